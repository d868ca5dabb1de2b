#include "store/piped/piped_source.hpp"

#include <string>

#include "store/piped/exchange.hpp"

namespace staithe::store::piped {

base::Result<> PipedSource::read(const BlockRef& ref, std::int64_t first, std::span<std::byte> destination) {
    const std::lock_guard lock(mutex_);
    return usable_ ? ask(ref, first, destination) : usable_;
}

base::Result<> PipedSource::ask(const BlockRef& ref, std::int64_t first, std::span<std::byte> destination) {
    const base::Deadline deadline(timeout_);
    const Request request{ref, first, static_cast<std::int64_t>(destination.size())};
    Reply reply;
    usable_ = send(socket_, bytes_of(request), deadline).and_then([&] {
        return receive(socket_, writable_bytes_of(reply), deadline);
    });
    if (!usable_) {
        return usable_;
    }
    if (reply.status == Status::given && reply.bytes == request.bytes) {
        return usable_ = receive(socket_, destination, deadline);
    }
    if (reply.status != Status::refused || reply.bytes < 0 || reply.bytes > longest_text) {
        return usable_ = base::fail(ErrorCode::protocol, "what serves blocks answered what cannot be understood");
    }
    std::string why(static_cast<std::size_t>(reply.bytes), '\0');
    usable_ = receive(socket_, std::as_writable_bytes(std::span(why)), deadline);
    return usable_ ? base::fail(ErrorCode::protocol, "{}", why) : usable_;
}

}  // namespace staithe::store::piped
