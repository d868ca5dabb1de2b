#include "os/vectored.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>

namespace staithe::os {
namespace {

/// Calls sendmsg or recvmsg until no signal comes between: what it gives, or 0 where it would wait.
template <class Call>
base::Result<std::size_t> call_with(Parts parts, const char* action, const Call& call) {
    assert(parts.size() <= most_parts);
    std::array<iovec, most_parts> ranges;  // NOLINT(cppcoreguidelines-pro-type-member-init): as many as are used
    std::transform(parts.begin(), parts.end(), ranges.begin(),
                   [](std::span<std::byte> part) { return iovec{part.data(), part.size()}; });
    msghdr message{};
    message.msg_iov = ranges.data();
    message.msg_iovlen = parts.size();
    ssize_t count = 0;
    do {
        count = call(&message);
    } while (count < 0 && errno == EINTR);
    if (count >= 0) {
        return static_cast<std::size_t>(count);
    }
    switch (errno) {
        case EAGAIN: return std::size_t{0};
        case EPIPE:
        case ECONNRESET:
        case ETIMEDOUT:
        case EHOSTUNREACH:
        case ENETUNREACH:
        case ENOTSOCK:  // it was this process's parent's (os/fork.hpp)
            return base::fail(ErrorCode::peer_lost, "{}", fail_with_errno(errno, action).value().message);
        default: return fail_with_errno(errno, action);
    }
}

}  // namespace

base::Result<std::size_t> send_parts(const FileDescriptor& socket, Parts parts) {
    return call_with(parts, "send over a socket", [&](const msghdr* message) {
        return ::sendmsg(socket.get(), message, MSG_NOSIGNAL | MSG_DONTWAIT);
    });
}

base::Result<std::size_t> receive_parts(const FileDescriptor& socket, Parts parts) {
    bool at_end = false;
    auto received = call_with(parts, "receive from a socket", [&](msghdr* message) {
        const ssize_t count = ::recvmsg(socket.get(), message, MSG_DONTWAIT);
        at_end = count == 0;
        return count;
    });
    if (at_end) {
        return base::fail(ErrorCode::peer_lost, "the other end of the socket was closed");
    }
    return received;
}

void make_readable_at(const FileDescriptor& socket, int bytes) {
    // Where it cannot be, each byte wakes.
    static_cast<void>(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVLOWAT, &bytes, sizeof(bytes)));
}

}  // namespace staithe::os
