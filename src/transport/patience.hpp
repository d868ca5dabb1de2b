// How waiting begins: spinning while that pays, then sleeping, and others are told so.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "base/deadline.hpp"
#include "base/interruption.hpp"

namespace staithe::transport {

/// How long a waiter spins before it sleeps. Spinning saves the 25 µs of a wake-up when the other side is
/// quick, and steals a core from it when it is not; so it goes on only while it pays.
class Patience {
  public:
    Patience();
    [[nodiscard]] std::chrono::nanoseconds spin_time() const;
    void spinning_paid() { failures_ = 0; }
    void spinning_failed() { ++failures_; }

    /// Has others told when this waiter fell asleep, in nanoseconds of the monotonic clock; 0: it is awake.
    using ShowSleep = std::function<void(std::int64_t since)>;
    void show_sleep_by(ShowSleep show) { show_ = std::move(show); }

    /// While it lives, the waiter is shown as asleep: since then, or since another of its kind that lives longer.
    class Sleep {
      public:
        explicit Sleep(Patience& patience, base::Clock::time_point since = base::Clock::now())
            : patience_(patience.show_ && !patience.is_shown_ ? &patience : nullptr) {
            if (patience_ != nullptr) {
                patience_->is_shown_ = true;
                patience_->show_(since.time_since_epoch().count());
            }
        }
        ~Sleep() {
            if (patience_ != nullptr) {
                patience_->is_shown_ = false;
                patience_->show_(0);
            }
        }
        Sleep(const Sleep&) = delete;
        Sleep& operator=(const Sleep&) = delete;

      private:
        Patience* patience_;
    };

  private:
    bool cores_to_spare_;
    int failures_ = 0;
    ShowSleep show_;
    bool is_shown_ = false;
};

inline void pause_briefly() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

/// Spins until `ready()`, as far as `patience` goes; returns the last `ready()`.
template <class Ready>
bool spin(Patience& patience, Ready&& ready) {
    if (const auto spin_time = patience.spin_time(); spin_time.count() > 0) {
        const auto end = base::Clock::now() + spin_time;
        int turns = 1;  // between two looks at the clock: `ready` may be slow
        do {
            for (int turn = 0; turn < turns; ++turn) {
                pause_briefly();
                if (ready()) {
                    patience.spinning_paid();
                    return true;
                }
            }
            turns = std::min(2 * turns, 32);
        } while (base::Clock::now() < end);
    }
    patience.spinning_failed();
    return false;
}

/// Waits until `ready()`, the deadline or an interruption, and returns the last `ready()`. After spinning it calls
/// `sleep()`, which returns when it may be time to look again, or true if it has found that it is.
template <class Ready, class Sleep>
bool wait_by(const base::Deadline& deadline, Patience& patience, Ready&& ready, Sleep&& sleep) {
    if (ready() || spin(patience, ready)) {
        return true;
    }
    const Patience::Sleep asleep(patience);
    for (;;) {
        if (sleep() || ready()) {
            return true;
        }
        if (deadline.passed() || base::interrupted()) {
            return false;
        }
    }
}

}  // namespace staithe::transport
