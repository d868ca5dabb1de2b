// The bounds of a stream's queue. Pure values.
#pragma once

#include <cstdint>

namespace staithe::stream {

/// Which steps stay for readers to come, though nobody needs them: the newest ones, and the very newest always. They
/// take no room of the queue.
struct Retention {
    std::int64_t steps = 0;          // so many at most; 0: none
    std::int64_t bytes = INT64_MAX;  // of all writer ranks together

    static constexpr std::int64_t most_steps = 1 << 16;
};

/// The bounds of a stream's queue, over all writer ranks.
struct QueueLimits {
    int steps = 1;                 // in memory
    std::int64_t bytes = 0;        // of them
    std::int64_t spill_bytes = 0;  // of further steps, on disk; 0: nothing is spilled
    Retention keep{};              // beside them

    /// All steps that can be there at once.
    [[nodiscard]] std::uint64_t capacity() const {
        return static_cast<std::uint64_t>(steps) + (spill_bytes > 0 ? most_spilled_steps : 0) +
               static_cast<std::uint64_t>(keep.steps);
    }
    /// Whether memory has room for a step of `next_bytes` beside so many steps. Two always find room: one is read while
    /// the next is written.
    [[nodiscard]] bool admit(std::int64_t held_steps, std::int64_t held_bytes, std::int64_t next_bytes) const {
        constexpr std::int64_t overlapping_steps = 2;
        return held_steps < steps && (held_steps < overlapping_steps || held_bytes + next_bytes <= bytes);
    }
    /// What each of the writer ranks may use.
    [[nodiscard]] QueueLimits part_of_rank(int writers) const {
        return {steps, bytes / writers, spill_bytes / writers, keep};
    }

    static constexpr std::uint64_t most_spilled_steps = 1024;
};

}  // namespace staithe::stream
