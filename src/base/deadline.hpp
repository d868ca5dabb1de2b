// A point in time after which waiting is an error. Nothing in the library waits without one.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

namespace staithe::base {

using Clock = std::chrono::steady_clock;  // jumps of the wall clock must not shorten or stretch a wait
using Seconds = std::chrono::duration<double>;

/// As a timeout: as long as it takes.
inline constexpr double forever = std::numeric_limits<double>::infinity();

class Deadline {
  public:
    explicit Deadline(Seconds timeout)
        : timeout_(timeout), at_(Clock::now() + std::chrono::duration_cast<Clock::duration>(bounded(timeout))) {}

    [[nodiscard]] bool passed() const { return Clock::now() >= at_; }
    [[nodiscard]] Clock::time_point at() const { return at_; }
    [[nodiscard]] Clock::duration left() const { return std::max(at_ - Clock::now(), Clock::duration::zero()); }
    /// The whole time that was granted, for messages.
    [[nodiscard]] double seconds() const { return timeout_.count(); }

  private:
    // A year stands for "as long as it takes", and keeps the sum within the clock's range.
    static Seconds bounded(Seconds timeout) { return std::clamp(timeout, Seconds(0), Seconds(365.0 * 86400.0)); }

    Seconds timeout_;
    Clock::time_point at_;
};

}  // namespace staithe::base
