// A bell: how processes wait for each other through shared memory.
//
// Whoever waits looks at its own condition (a ring that fills, a flag); the bell only says when to look
// again. Nobody sleeps: ringing is one fence and one load. Somebody sleeps: one futex call.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/deadline.hpp"
#include "base/interruption.hpp"
#include "os/futex.hpp"

namespace staithe::transport {

/// Lies in shared memory. Zero bytes are a valid, silent bell.
struct Bell {
    std::atomic<std::uint32_t> rings;
    std::atomic<std::uint32_t> sleepers;
};
static_assert(sizeof(Bell) == 8);

/// Call after the change that a waiter looks for.
inline void ring(Bell& bell) {
    // Pairs with the fence in `wait`: either this thread sees the sleeper, or the sleeper sees the change.
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (bell.sleepers.load(std::memory_order_relaxed) != 0) {
        bell.rings.fetch_add(1, std::memory_order_seq_cst);
        os::futex_wake_all(bell.rings);
    }
}

/// Rings even when nobody is seen asleep: for the rare news that must not be missed.
inline void ring_always(Bell& bell) {
    bell.rings.fetch_add(1, std::memory_order_seq_cst);
    os::futex_wake_all(bell.rings);
}

/// How long a waiter spins before it sleeps. Spinning saves the 25 µs of a wake-up when the other side is
/// quick, and steals a core from it when it is not; so it goes on only while it pays.
class Patience {
  public:
    Patience();
    [[nodiscard]] std::chrono::nanoseconds spin_time() const;
    void spinning_paid() { failures_ = 0; }
    void spinning_failed() { ++failures_; }

    /// Has `since` say when this waiter fell asleep, in nanoseconds of the monotonic clock; 0: it is awake. `since` may
    /// lie in memory that other processes see, and outlives this.
    void show_sleep_in(std::atomic<std::int64_t>& since) { asleep_since_ = &since; }

    /// While it lives, the waiter is shown as asleep: since then, or since another of its kind that lives longer.
    class Sleep {
      public:
        explicit Sleep(const Patience& patience, base::Clock::time_point since = base::Clock::now())
            : since_(patience.asleep_since_ != nullptr && patience.asleep_since_->load(std::memory_order_relaxed) == 0
                         ? patience.asleep_since_
                         : nullptr) {
            if (since_ != nullptr) {
                since_->store(since.time_since_epoch().count(), std::memory_order_relaxed);
            }
        }
        ~Sleep() {
            if (since_ != nullptr) {
                since_->store(0, std::memory_order_relaxed);
            }
        }
        Sleep(const Sleep&) = delete;
        Sleep& operator=(const Sleep&) = delete;

      private:
        std::atomic<std::int64_t>* since_;
    };

  private:
    bool cores_to_spare_;
    int failures_ = 0;
    std::atomic<std::int64_t>* asleep_since_ = nullptr;
};

inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Waits until `ready()`, the deadline or an interruption; returns the last `ready()`.
template <class Ready>
bool wait(Bell& bell, const base::Deadline& deadline, Patience& patience, Ready&& ready) {
    if (ready()) {
        return true;
    }
    if (const auto spin_time = patience.spin_time(); spin_time.count() > 0) {
        const auto end = base::Clock::now() + spin_time;
        do {
            for (int turn = 0; turn < 32; ++turn) {
                pause_briefly();
                if (ready()) {
                    patience.spinning_paid();
                    return true;
                }
            }
        } while (base::Clock::now() < end);
    }
    patience.spinning_failed();
    const Patience::Sleep asleep(patience);
    for (;;) {
        const std::uint32_t seen = bell.rings.load(std::memory_order_seq_cst);
        bell.sleepers.fetch_add(1, std::memory_order_seq_cst);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        const bool now_ready = ready();
        if (!now_ready && !deadline.passed()) {
            os::futex_wait(bell.rings, seen, base::next_question(deadline));
        }
        bell.sleepers.fetch_sub(1, std::memory_order_seq_cst);
        if (now_ready || ready()) {
            return true;
        }
        if (deadline.passed() || base::interrupted()) {
            return false;
        }
    }
}

}  // namespace staithe::transport
