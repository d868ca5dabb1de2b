// What comes over a link: read by the loop, or for a moment by who waits for an answer.
#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <utility>

#include "base/log.hpp"
#include "os/event.hpp"
#include "os/socket.hpp"
#include "transport/link.hpp"

namespace staithe::transport {
namespace {

constexpr std::size_t bytes_at_once = std::size_t{64} << 10;

/// So long a caller reads itself: beyond it, a hand-over makes no difference. The loop hears of deaths and requests
/// later.
constexpr base::Seconds longest_reading{0.005};

}  // namespace

/// What goes wrong over a message ends the talk with its sender, and neither the loop's thread nor the simulation.
bool Link::survives(const std::function<bool()>& call) {
    try {
        return call();
    } catch (const std::bad_alloc&) {
        close({ErrorCode::limit_reached, "this process has no memory left for its message"});
    } catch (const std::exception& error) {
        base::log(base::LogLevel::error, "the connection to {} ends, since its message led to: {}", to_string(peer()),
                  error.what());
        close({ErrorCode::system, fmt::format("its message led to: {}", error.what())});
    }
    return false;
}

bool Link::read() {
    return survives([this] { return take_in(); });
}

bool Link::take_in() {
    const std::unique_lock reading(reading_, std::try_to_lock);
    if (!reading) {
        return true;  // a caller reads, who has the loop go on
    }
    if (torn_) {
        close(*torn_);
        return false;
    }
    if (left_) {
        dispatch(*std::exchange(left_, std::nullopt));
    }
    int descriptor = -1;
    {
        const std::lock_guard lock(mutex_);
        descriptor = watch_->descriptor();
    }
    const os::BorrowedDescriptor socket(descriptor);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled by the kernel
    std::array<std::byte, bytes_at_once> buffer;
    for (;;) {
        if (!handle_packets()) {
            return false;
        }
        auto received = os::receive_some(socket, buffer);
        if (!received || !received->open) {
            close(received ? base::Failure{ErrorCode::peer_lost, "went away"} : received.error(), Ending::By::peer);
            return false;
        }
        decoder_.feed(std::span(buffer).first(received->bytes), std::move(received->descriptors));
        if (received->bytes < buffer.size()) {  // there is no more, or the loop calls again
            return handle_packets();
        }
    }
}

/// False: the link is closed.
bool Link::handle_packets() {
    while (is_open()) {
        auto packet = decoder_.next();
        if (!packet) {
            close(packet.error());
            return false;
        }
        if (!*packet) {
            return true;
        }
        dispatch(**std::move(packet));
    }
    return false;
}

void Link::dispatch(Packet packet) {
    if (auto refusal = failure_in(packet.body, "refused")) {
        close(*std::move(refusal));
        return;
    }
    if (find(packet.body, heartbeat_field) != nullptr || answer(packet)) {
        return;  // that a heartbeat came is all that it says
    }
    if (!is_between_hosts_ && packet.id() != 0) {
        watch_->expect_more();
    }
    on_request_(shared_from_this(), std::move(packet));
}

/// Whether it is one.
bool Link::answer(Packet& packet) {
    const Value* const reply = find(packet.body, "reply");
    if (reply == nullptr) {
        return false;
    }
    const std::int64_t id = reply->as_int().value_or(-1);
    auto failure = failure_in(packet.body, "error");
    const std::lock_guard lock(mutex_);
    // Nobody waits for an answer that comes after its deadline.
    if (const auto waiting = pending_.find(id); waiting != pending_.end()) {
        waiting->second.answer =
            failure ? base::Result<Packet>(tl::unexpected(*std::move(failure))) : std::move(packet);
        answered_.notify_all();
    }
    return true;
}

/// What is there now. `reading_` is held.
Link::Taken Link::take_answers() {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): filled by the kernel
    std::array<std::byte, bytes_at_once> buffer;
    auto received = os::receive_some(os::BorrowedDescriptor(watch_->descriptor()), buffer);
    if (!received) {
        torn_ = std::move(received).error();
        return Taken::what_the_loop_handles;
    }
    if (!received->open) {
        return Taken::what_the_loop_handles;  // which will see the same
    }
    if (received->bytes == 0) {
        return Taken::nothing;
    }
    decoder_.feed(std::span(buffer).first(received->bytes), std::move(received->descriptors));
    for (;;) {
        auto packet = decoder_.next();
        if (!packet) {
            torn_ = std::move(packet).error();
            return Taken::what_the_loop_handles;
        }
        if (!*packet) {
            return Taken::something;
        }
        if (find((*packet)->body, "refused") != nullptr || !answer(**packet)) {
            left_ = **std::move(packet);  // and all that comes after it
            return Taken::what_the_loop_handles;
        }
    }
}

/// Returns once the answer is there, or it is the loop that has to go on reading: after a moment in any case.
void Link::read_for_itself(std::int64_t id, const base::Deadline& deadline) {
    std::unique_lock reading(reading_, std::try_to_lock);
    if (!reading || torn_ || left_ || is_between_hosts_) {
        return;  // somebody else reads, or had to leave it; or it is the heartbeat's to hear
    }
    const auto is_answered = [&] {
        const std::lock_guard lock(mutex_);
        return closed_ || pending_[id].answer.has_value();
    };
    watch_->pause();
    bool goes_on = true;
    const auto done = [&] {
        const Taken taken = take_answers();
        goes_on = taken != Taken::what_the_loop_handles;
        return !goes_on || (taken == Taken::something && is_answered());
    };
    const base::Deadline moment(longest_reading);
    for (bool is_done = is_answered() || done() || spin(patience_, done); !is_done && !moment.passed();) {
        if (deadline.passed()) {
            break;
        }
        os::poll({{watch_->descriptor()}}, base::Deadline(std::min(moment.left(), deadline.left())));
        is_done = done() || is_answered();
    }
    if (!goes_on) {
        reading.unlock();  // or the loop, which is called once, would find that somebody reads
    }
    watch_->go_on(!goes_on);
}

}  // namespace staithe::transport
