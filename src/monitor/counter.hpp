// Counters that one thread adds to and any thread reads. Adding costs no locked instruction.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace staithe::monitor {

class Counter {
  public:
    /// One thread at a time.
    void add(std::int64_t amount) {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    [[nodiscard]] std::int64_t value() const { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::int64_t> value_{0};
};

/// Time that was spent somewhere, in nanoseconds.
class TimeCounter {
  public:
    void add(std::chrono::nanoseconds time);
    [[nodiscard]] double seconds() const;

  private:
    Counter nanoseconds_;
};

}  // namespace staithe::monitor
