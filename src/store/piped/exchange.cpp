#include "store/piped/exchange.hpp"

#include "os/event.hpp"
#include "os/socket.hpp"

namespace staithe::store::piped {
namespace {

base::Result<> fail_with_timeout(const base::Deadline& deadline) {
    return base::fail(ErrorCode::timeout, "the process that serves blocks did not answer within {} s",
                      deadline.seconds());
}
base::Result<> fail_with_loss() {
    return base::fail(ErrorCode::peer_lost, "the process at the other end of the socket for blocks is gone");
}

}  // namespace

base::Result<> send(const os::FileDescriptor& socket, std::span<const std::byte> bytes,
                    const base::Deadline& deadline) {
    while (!bytes.empty()) {
        const auto sent = os::send_some(socket, bytes, {});
        if (!sent) {
            return fail_with_loss();
        }
        bytes = bytes.subspan(*sent);
        if (*sent == 0) {
            if (deadline.passed()) {
                return fail_with_timeout(deadline);
            }
            os::poll({{.descriptor = socket.get(), .writable = true, .readable = false}}, deadline);
        }
    }
    return {};
}

base::Result<> receive(const os::FileDescriptor& socket, std::span<std::byte> bytes, const base::Deadline& deadline) {
    while (!bytes.empty()) {
        const auto received = os::receive_some(socket, bytes);
        if (!received || !received->open) {
            return fail_with_loss();
        }
        bytes = bytes.subspan(received->bytes);
        if (received->bytes == 0) {
            if (deadline.passed()) {
                return fail_with_timeout(deadline);
            }
            os::poll({{.descriptor = socket.get()}}, deadline);
        }
    }
    return {};
}

}  // namespace staithe::store::piped
