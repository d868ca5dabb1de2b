#include "os/event.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <array>
#include <ctime>
#include <utility>

namespace staithe::os {

namespace {

pollfd as_asked(const Polled& each) {
    const int events = (each.readable ? POLLIN : 0) | (each.writable ? POLLOUT : 0);
    return {each.descriptor, static_cast<short>(events), 0};
}

bool sleep_on(std::span<pollfd> descriptors, const base::Deadline& deadline) {
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.left()).count();
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    timeout.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
    return ::ppoll(descriptors.data(), descriptors.size(), &timeout, nullptr) > 0;
}

}  // namespace

unsigned poll(std::initializer_list<Polled> descriptors, const base::Deadline& deadline) {
    std::array<pollfd, most_polled> polled{};
    std::size_t count = 0;
    for (const Polled& each : descriptors) {
        polled.at(count++) = as_asked(each);
    }
    unsigned reasons = 0;
    if (sleep_on(std::span(polled).first(count), deadline)) {
        for (std::size_t i = 0; i < count; ++i) {
            reasons |= polled.at(i).revents != 0 ? 1U << i : 0;
        }
    }
    return reasons;
}

std::vector<bool> poll_all(std::span<const Polled> descriptors, const base::Deadline& deadline) {
    std::vector<pollfd> polled;
    for (const Polled& each : descriptors) {
        polled.push_back(as_asked(each));
    }
    std::vector<bool> reasons(polled.size());
    if (sleep_on(polled, deadline)) {
        for (std::size_t i = 0; i < polled.size(); ++i) {
            reasons[i] = polled[i].revents != 0;
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
