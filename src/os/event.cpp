#include "os/event.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>
#include <vector>

namespace staithe::os {

namespace {

pollfd asked_of(const Polled& each) {
    const int events = (each.readable ? POLLIN : 0) | (each.writable ? POLLOUT : 0);
    return {each.descriptor, static_cast<short>(events), 0};
}

/// Whether any has something to say.
bool sleep_on(std::span<pollfd> polled, const base::Deadline& deadline) {
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.left()).count();
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    timeout.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
    return ::ppoll(polled.data(), polled.size(), &timeout, nullptr) > 0;
}

}  // namespace

unsigned poll(std::initializer_list<Polled> descriptors, const base::Deadline& deadline) {
    std::array<pollfd, most_polled> polled{};
    std::size_t count = 0;
    for (const Polled& each : descriptors) {
        polled.at(count++) = asked_of(each);
    }
    unsigned reasons = 0;
    if (sleep_on(std::span(polled).first(count), deadline)) {
        for (std::size_t i = 0; i < count; ++i) {
            reasons |= polled.at(i).revents != 0 ? 1U << i : 0;
        }
    }
    return reasons;
}

void poll(std::span<Polled> many, const base::Deadline& deadline) {
    std::vector<pollfd> polled(many.size());
    std::transform(many.begin(), many.end(), polled.begin(), asked_of);
    const bool any = sleep_on(polled, deadline);
    for (std::size_t i = 0; i < many.size(); ++i) {
        many[i].ready = any && polled[i].revents != 0;
    }
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
