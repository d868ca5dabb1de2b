// A point in time after which waiting is an error, or earlier, when somebody stops it. Nothing in the library waits
// without one.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>
#include <stop_token>
#include <utility>

namespace staithe::base {

using Clock = std::chrono::steady_clock;  // jumps of the wall clock must not shorten or stretch a wait
using Seconds = std::chrono::duration<double>;

/// As a timeout: as long as it takes.
inline constexpr double forever = std::numeric_limits<double>::infinity();

class Deadline {
  public:
    /// Who waits without looking at the clock has to be woken by the stop, too: with a std::stop_callback.
    explicit Deadline(Seconds timeout, std::stop_token stop = {})
        : timeout_(timeout),
          at_(Clock::now() + std::chrono::duration_cast<Clock::duration>(bounded(timeout))),
          stop_(std::move(stop)) {}

    [[nodiscard]] bool passed() const { return is_stopped() || Clock::now() >= at_; }
    [[nodiscard]] bool is_stopped() const { return stop_.stop_requested(); }
    [[nodiscard]] const std::stop_token& stop() const { return stop_; }
    [[nodiscard]] Clock::time_point at() const { return at_; }
    [[nodiscard]] Clock::duration left() const { return std::max(at_ - Clock::now(), Clock::duration::zero()); }
    /// The whole time that was granted, for messages.
    [[nodiscard]] double seconds() const { return timeout_.count(); }

  private:
    // A year stands for "as long as it takes", and keeps the sum within the clock's range.
    static Seconds bounded(Seconds timeout) { return std::clamp(timeout, Seconds(0), Seconds(365.0 * 86400.0)); }

    Seconds timeout_;
    Clock::time_point at_;
    std::stop_token stop_;
};

}  // namespace staithe::base
