#include "store/piped/block_server.hpp"

#include <string_view>

#include "store/piped/exchange.hpp"

namespace staithe::store::piped {
namespace {

base::Result<std::span<const std::byte>> part_of(std::span<const std::byte> block, const Request& request) {
    const auto size = static_cast<std::int64_t>(block.size());
    if (request.ref.bytes != size || request.first < 0 || request.bytes < 0 || request.first > size - request.bytes) {
        return base::fail(ErrorCode::protocol, "bytes {} + {} of {} were asked for, and {} are there", request.first,
                          request.bytes, request.ref.bytes, size);
    }
    return block.subspan(static_cast<std::size_t>(request.first), static_cast<std::size_t>(request.bytes));
}

}  // namespace

base::Result<> serve_blocks(const os::FileDescriptor& socket, FindBlock find, base::Seconds timeout) {
    for (;;) {
        Request request;
        const auto asked = receive(socket, writable_bytes_of(request), base::Deadline(base::Seconds(base::forever)));
        if (!asked) {
            return asked.error().code == ErrorCode::peer_lost ? base::Result<>() : asked;
        }
        const auto found = find(request.ref).and_then([&](auto block) { return part_of(block, request); });
        std::span<const std::byte> content;
        if (found) {
            content = *found;
        } else {
            content = std::as_bytes(std::span(std::string_view(found.error().message).substr(0, longest_text)));
        }
        const Reply reply{found ? Status::given : Status::refused, 0, static_cast<std::int64_t>(content.size())};
        const base::Deadline deadline(timeout);
        auto sent = send(socket, bytes_of(reply), deadline);
        if (sent) {
            sent = send(socket, content, deadline);
        }
        if (!sent) {
            return sent;
        }
    }
}

}  // namespace staithe::store::piped
