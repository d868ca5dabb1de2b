#include "base/result.hpp"

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
    switch (failure.code) {
        case ErrorCode::invalid_argument: throw InvalidArgument(failure.message);
        case ErrorCode::not_found: throw NotFound(failure.message);
        case ErrorCode::already_exists: throw AlreadyExists(failure.message);
        case ErrorCode::timeout: throw Timeout(failure.message);
        case ErrorCode::peer_lost: throw PeerLost(failure.message);
        case ErrorCode::closed: throw Closed(failure.message);
        case ErrorCode::limit_reached: throw LimitReached(failure.message);
        case ErrorCode::protocol: throw ProtocolError(failure.message);
        case ErrorCode::system: throw SystemFailure(failure.message);
        case ErrorCode::writer_failed: throw WriterFailed(failure.message);
        case ErrorCode::deadlock: throw Deadlock(failure.message);
    }
    throw Error(failure.code, failure.message);
}

}  // namespace base
}  // namespace staithe
