#include "os/futex.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace staithe::os {

static_assert(sizeof(std::atomic<std::uint32_t>) == sizeof(std::uint32_t));
static_assert(std::atomic<std::uint32_t>::is_always_lock_free);

void futex_wait(const std::atomic<std::uint32_t>& word, std::uint32_t expected, const base::Deadline& deadline) {
    const auto nanoseconds = std::chrono::duration_cast<std::chrono::nanoseconds>(deadline.left()).count();
    timespec timeout{};
    timeout.tv_sec = static_cast<time_t>(nanoseconds / 1'000'000'000);
    timeout.tv_nsec = static_cast<long>(nanoseconds % 1'000'000'000);
    // Every outcome (woken, word changed, interrupted, timed out) means the same: the caller looks again.
    static_cast<void>(::syscall(SYS_futex, &word, FUTEX_WAIT, expected, &timeout, nullptr, 0));
}

void futex_wake_all(const std::atomic<std::uint32_t>& word) {
    static_cast<void>(::syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0));
}

}  // namespace staithe::os
