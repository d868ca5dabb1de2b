#include "os/ready_set.hpp"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace staithe::os {
namespace {

constexpr std::size_t most_at_once = 64;

epoll_event asked_of(std::uint64_t number, ReadySet::Wanted wanted) {
    epoll_event event{};
    event.events = (wanted.readable ? EPOLLIN : 0U) | (wanted.writable ? EPOLLOUT : 0U) |
                   (wanted.once || !(wanted.readable || wanted.writable) ? EPOLLONESHOT : 0U);
    event.data.u64 = number;
    return event;
}

}  // namespace

base::Result<ReadySet> ReadySet::create() {
    auto descriptor = open_descriptor("watch descriptors", [] { return ::epoll_create1(EPOLL_CLOEXEC); });
    return descriptor ? base::Result<ReadySet>(ReadySet(*std::move(descriptor))) : base::fail(std::move(descriptor));
}

base::Result<> ReadySet::add(int descriptor, std::uint64_t number) {
    epoll_event event = asked_of(number, {});
    return ::epoll_ctl(descriptor_.get(), EPOLL_CTL_ADD, descriptor, &event) == 0
               ? base::Result<>()
               : fail_with_errno(errno, "watch a descriptor");
}

void ReadySet::want(int descriptor, std::uint64_t number, Wanted wanted) const {
    epoll_event event = asked_of(number, wanted);
    ::epoll_ctl(descriptor_.get(), EPOLL_CTL_MOD, descriptor, &event);
}

void ReadySet::remove(int descriptor) const {
    epoll_event none{};
    ::epoll_ctl(descriptor_.get(), EPOLL_CTL_DEL, descriptor, &none);
}

std::size_t ReadySet::look(std::span<Ready> ready, Wait wait) const {
    std::array<epoll_event, most_at_once> events{};
    const auto most = static_cast<int>(std::min(ready.size(), events.size()));
    const int count = ::epoll_wait(descriptor_.get(), events.data(), most, wait == Wait::no ? 0 : -1);
    for (int i = 0; i < count; ++i) {
        const epoll_event& event = events.at(static_cast<std::size_t>(i));
        const bool is_gone = (event.events & (EPOLLHUP | EPOLLERR)) != 0;
        ready[static_cast<std::size_t>(i)] = {event.data.u64, is_gone || (event.events & EPOLLIN) != 0,
                                              is_gone || (event.events & EPOLLOUT) != 0};
    }
    return static_cast<std::size_t>(std::max(count, 0));
}

base::Result<Alarm> Alarm::create() {
    auto descriptor = open_descriptor("set an alarm", [] {
        return ::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);  // base::Clock's
    });
    return descriptor ? base::Result<Alarm>(Alarm(*std::move(descriptor))) : base::fail(std::move(descriptor));
}

void Alarm::set(base::Clock::time_point time) const {
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
    itimerspec at{};
    at.it_value.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    at.it_value.tv_nsec = static_cast<long>(std::max<std::int64_t>(nanoseconds % 1'000'000'000, 1));  // 0 is never
    ::timerfd_settime(descriptor_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

void Alarm::clear() const {
    const itimerspec never{};
    ::timerfd_settime(descriptor_.get(), 0, &never, nullptr);
}

}  // namespace staithe::os
