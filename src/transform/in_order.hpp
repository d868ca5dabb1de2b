// What threads make, taken in the order of its numbers, whoever is done first.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "transform/parallel.hpp"

namespace staithe::transform {

/// Things that are used again, such as memory that has grown. Thread-safe.
template <class Thing>
class Spares {
  public:
    /// One of those that were given back, or a new one.
    Thing take() {
        const std::lock_guard lock(mutex_);
        if (things_.empty()) {
            return {};
        }
        Thing thing = std::move(things_.back());
        things_.pop_back();
        return thing;
    }
    void give(Thing thing) {
        const std::lock_guard lock(mutex_);
        things_.push_back(std::move(thing));
    }

  private:
    std::mutex mutex_;
    std::vector<Thing> things_;
};

/// Gives things on, one at a time, by whichever thread has just put one: each of which puts all of its own.
template <class Thing, class Take>
class InOrder {
  public:
    InOrder(std::size_t most_ahead, const Take& take) : most_ahead_(most_ahead), take_(take) {}

    /// Waits while it is too far ahead. Once something has failed nothing is taken any more.
    base::Result<> put(std::size_t number, Thing thing) {
        std::unique_lock lock(mutex_);
        moved_.wait(lock, [&] { return gave_up_ || number - next_ <= most_ahead_; });
        waiting_.emplace(number, std::move(thing));
        if (is_taking_ || gave_up_) {
            return {};
        }
        is_taking_ = true;
        while (!waiting_.empty() && waiting_.begin()->first == next_ && !gave_up_) {
            Thing first = std::move(waiting_.extract(waiting_.begin()).mapped());
            lock.unlock();
            if (auto taken = take_(next_, std::move(first)); !taken) {
                return taken;  // and nobody takes any more
            }
            lock.lock();
            ++next_;
            moved_.notify_all();
        }
        is_taking_ = false;
        return {};
    }

    /// There is one that will never be put.
    void give_up() {
        const std::lock_guard lock(mutex_);
        gave_up_ = true;
        moved_.notify_all();
    }

  private:
    const std::size_t most_ahead_;
    const Take& take_;
    std::mutex mutex_;
    std::condition_variable moved_;
    std::map<std::size_t, Thing> waiting_;
    std::size_t next_ = 0;  // to be taken; whoever is taking changes it
    bool is_taking_ = false;
    bool gave_up_ = false;
};

/// Calls `make(number, scratch)` for the numbers from 0 on, as `for_each` does, and `take(number, made)` with what came
/// of each, one after the other. Whoever is more than `most_ahead` before the next one that is to be taken waits.
template <class Made, class Make, class Take>
base::Result<> for_each_in_order(std::size_t count, int threads, std::size_t most_ahead,
                                 std::pmr::memory_resource* memory, const Make& make, const Take& take) {
    std::vector<std::size_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 0);
    InOrder<Made, Take> order(most_ahead, take);
    return for_each(numbers, threads, memory, [&](std::size_t number, Scratch& scratch) -> base::Result<> {
        auto done = guarded([&]() -> base::Result<> {
            base::Result<Made> made = make(number, scratch);
            return made ? order.put(number, *std::move(made)) : base::fail(std::move(made));
        });
        if (!done) {
            order.give_up();
        }
        return done;
    });
}

}  // namespace staithe::transform
