#include "os/event.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <ctime>
#include <utility>

namespace staithe::os {

unsigned poll(std::initializer_list<Polled> descriptors, const base::Deadline& deadline) {
    std::array<pollfd, most_polled> polled{};
    nfds_t count = 0;
    for (const Polled& each : descriptors) {
        const int events = (each.readable ? POLLIN : 0) | (each.writable ? POLLOUT : 0);
        polled.at(count++) = {each.descriptor, static_cast<short>(events), 0};
    }
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.left()).count();
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    timeout.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
    unsigned reasons = 0;
    if (::ppoll(polled.data(), count, &timeout, nullptr) > 0) {
        for (nfds_t i = 0; i < count; ++i) {
            reasons |= polled.at(i).revents != 0 ? 1U << i : 0;
        }
    }
    return reasons;
}

base::Result<Event> Event::create() {
    auto descriptor = open_descriptor("make an event", [] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); });
    if (!descriptor) {
        return base::fail(std::move(descriptor));
    }
    return Event(*std::move(descriptor));
}

// Neither fails on a descriptor that does not block: what is set stays set, what is clear stays clear.
void Event::set() const { static_cast<void>(::eventfd_write(descriptor_.get(), 1)); }

void Event::clear() const {
    eventfd_t ignored = 0;
    static_cast<void>(::eventfd_read(descriptor_.get(), &ignored));
}

}  // namespace staithe::os
