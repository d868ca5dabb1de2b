// A bell: how processes wait for each other through shared memory.
//
// Whoever waits looks at its own condition (a ring that fills, a flag); the bell only says when to look
// again. Nobody sleeps: ringing is one fence and one load. Somebody sleeps: one futex call, by the first who rings;
// until that has led to a thread that runs, which takes long where there are more threads than cores, the others need
// none.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/deadline.hpp"
#include "base/interruption.hpp"
#include "os/futex.hpp"
#include "transport/patience.hpp"

namespace staithe::transport {

/// Lies in shared memory. Zero bytes are a valid, silent bell.
struct Bell {
    std::atomic<std::uint32_t> rings;
    std::atomic<std::uint32_t> asleep;  // not 0: somebody may sleep whom nobody has woken yet
};
static_assert(sizeof(Bell) == 8);

/// Call after the change that a waiter looks for.
inline void ring(Bell& bell) {
    // Pairs with the fence in `wait`: either this thread sees the sleeper, or the sleeper sees the change.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (bell.asleep.load(std::memory_order_relaxed) != 0) {
        // Before the ring: whoever sets the mark after this has read `rings` before that, or need not see it.
        bell.asleep.store(0, std::memory_order_seq_cst);
        bell.rings.fetch_add(1, std::memory_order_seq_cst);
        os::futex_wake_all(bell.rings);
    }
}

/// Rings even when nobody is seen asleep: for the rare news that must not be missed.
inline void ring_always(Bell& bell) {
    bell.rings.fetch_add(1, std::memory_order_seq_cst);
    os::futex_wake_all(bell.rings);
}

/// Waits until `ready()`, the deadline or an interruption; returns the last `ready()`.
template <class Ready>
bool wait(Bell& bell, const base::Deadline& deadline, Patience& patience, Ready&& ready) {
    return wait_by(deadline, patience, ready, [&] {
        const std::uint32_t seen = bell.rings.load(std::memory_order_seq_cst);
        bell.asleep.store(1, std::memory_order_seq_cst);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const bool now_ready = ready();
        if (!now_ready && !deadline.passed()) {
            os::futex_wait(bell.rings, seen, base::next_question(deadline));
        }
        return now_ready;  // the mark stays: others may sleep here, too
    });
}

}  // namespace staithe::transport
