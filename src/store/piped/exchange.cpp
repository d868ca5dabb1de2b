#include "store/piped/exchange.hpp"

#include <algorithm>

#include "os/event.hpp"
#include "os/socket.hpp"

namespace staithe::store::piped {
namespace {

/// Sent at once: the kernel takes packets of such a size with the buffers that sockets have unless somebody asks for
/// others. Who receives asks for as many, so that it gets each packet whole.
constexpr std::size_t packet = 64 << 10;

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
        const auto sent = os::send_some(socket, bytes.first(std::min(packet, bytes.size())), {});
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
        const auto received = os::receive_some(socket, bytes.first(std::min(packet, bytes.size())));
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
