// Waiting for a word in shared memory by hand: spin for a moment, then sleep in the kernel.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

#include "pair.hpp"

namespace bench {

inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) {
    syscall(SYS_futex, &word, FUTEX_WAIT, seen, nullptr, nullptr, 0);
}

inline void futex_wake(std::atomic<std::uint32_t>& word) {
    syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

/// A counter that one side moves and the other waits for, with a note of whether that one sleeps.
struct alignas(64) Counter {
    std::atomic<std::uint32_t> value{0};
    std::atomic<bool> sleeper{false};

    void set(std::uint32_t count) {
        value.store(count, std::memory_order_seq_cst);
        if (sleeper.load(std::memory_order_seq_cst)) {
            futex_wake(value);
        }
    }

    /// Returns the counter's value once it is not `seen` any more.
    std::uint32_t wait_for_change(std::uint32_t seen) {
        constexpr std::int64_t spin_ns = 50'000;
        std::uint32_t found = value.load(std::memory_order_acquire);
        if (found != seen) {
            return found;
        }
        const std::int64_t until = now_ns() + spin_ns;
        while ((found = value.load(std::memory_order_acquire)) == seen) {
            if (now_ns() > until) {
                sleeper.store(true, std::memory_order_seq_cst);
                if (value.load(std::memory_order_seq_cst) == seen) {
                    futex_wait(value, seen);
                }
                sleeper.store(false, std::memory_order_relaxed);
            }
        }
        return found;
    }
};

}  // namespace bench
