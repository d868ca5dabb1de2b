#include "base/result.hpp"

#include "base/text.hpp"

namespace staithe {

const char* name_of(ErrorCode code) noexcept {
    switch (code) {
        case ErrorCode::invalid_argument: return "invalid_argument";
        case ErrorCode::not_found: return "not_found";
        case ErrorCode::already_exists: return "already_exists";
        case ErrorCode::timeout: return "timeout";
        case ErrorCode::peer_lost: return "peer_lost";
        case ErrorCode::closed: return "closed";
        case ErrorCode::limit_reached: return "limit_reached";
        case ErrorCode::protocol: return "protocol";
        case ErrorCode::system: return "system";
        case ErrorCode::writer_failed: return "writer_failed";
        case ErrorCode::deadlock: return "deadlock";
    }
    return "unknown";
}

namespace base {

void raise(Failure failure) {
    const std::string message = printable(failure.message);  // it may name what another program named
    switch (failure.code) {
        case ErrorCode::invalid_argument: throw InvalidArgument(message);
        case ErrorCode::not_found: throw NotFound(message);
        case ErrorCode::already_exists: throw AlreadyExists(message);
        case ErrorCode::timeout: throw Timeout(message);
        case ErrorCode::peer_lost: throw PeerLost(message);
        case ErrorCode::closed: throw Closed(message);
        case ErrorCode::limit_reached: throw LimitReached(message);
        case ErrorCode::protocol: throw ProtocolError(message);
        case ErrorCode::system: throw SystemFailure(message);
        case ErrorCode::writer_failed: throw WriterFailed(message);
        case ErrorCode::deadlock: throw Deadlock(message);
    }
    throw Error(failure.code, message);
}

}  // namespace base
}  // namespace staithe
