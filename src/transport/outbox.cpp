#include "transport/outbox.hpp"

#include <span>
#include <utility>

#include "os/socket.hpp"

namespace staithe::transport {
namespace {

constexpr std::size_t most_waiting_bytes = std::size_t{256} << 20;

}  // namespace

base::Result<> Outbox::send(const os::FileDescriptor& socket, std::vector<std::byte> frame,
                            const std::vector<int>& descriptors) {
    if (auto flushed = flush(socket); !flushed) {
        return flushed;
    }
    if (waiting_bytes_ + frame.size() > most_waiting_bytes) {
        return base::fail(ErrorCode::limit_reached, "{} bytes of messages wait for it to take them: is it stopped?",
                          waiting_bytes_);
    }
    Frame waiting;
    waiting.bytes = std::move(frame);
    if (frames_.empty()) {
        // Most often it goes at once: then a process that has no descriptor left can still hand one over.
        const auto sent = os::send_some(socket, waiting.bytes, descriptors);
        if (!sent) {
            return base::fail(sent);
        }
        waiting.sent = *sent;
    }
    if (waiting.sent == waiting.bytes.size()) {
        return {};
    }
    if (waiting.sent == 0) {
        for (const int descriptor : descriptors) {
            const os::BorrowedDescriptor borrowed(descriptor);
            auto copy = static_cast<const os::FileDescriptor&>(borrowed).duplicate();
            if (!copy) {
                return base::fail(copy);
            }
            waiting.descriptors.push_back(*std::move(copy));
        }
    }
    waiting_bytes_ += waiting.bytes.size() - waiting.sent;
    frames_.push_back(std::move(waiting));
    return {};
}

base::Result<> Outbox::flush(const os::FileDescriptor& socket) {
    while (!frames_.empty()) {
        Frame& frame = frames_.front();
        std::vector<int> descriptors;
        for (const os::FileDescriptor& descriptor : frame.descriptors) {
            descriptors.push_back(descriptor.get());
        }
        const auto sent = os::send_some(socket, std::span(frame.bytes).subspan(frame.sent), descriptors);
        if (!sent) {
            return base::fail(sent);
        }
        if (*sent == 0) {
            return {};
        }
        frame.descriptors.clear();  // they went with the first byte
        frame.sent += *sent;
        waiting_bytes_ -= *sent;
        if (frame.sent == frame.bytes.size()) {
            frames_.pop_front();
        }
    }
    return {};
}

}  // namespace staithe::transport
