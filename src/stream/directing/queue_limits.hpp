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
    bool compresses = false;       // further steps in memory are encoded: half of the bytes are for them
    Retention keep{};              // beside all of them

    /// All steps that can be there at once.
    [[nodiscard]] std::uint64_t capacity() const {
        return static_cast<std::uint64_t>(steps) + (spill_bytes > 0 || compresses ? most_further_steps : 0) +
               static_cast<std::uint64_t>(keep.steps);
    }
    /// Whether memory has room for a step of `next_bytes` beside so many steps. Two always find room: one is read while
    /// the next is written.
    [[nodiscard]] bool admit(std::int64_t held_steps, std::int64_t held_bytes, std::int64_t next_bytes) const {
        constexpr std::int64_t overlapping_steps = 2;
        const std::int64_t bytes_as_they_are = compresses ? bytes / 2 : bytes;
        return held_steps < steps && (held_steps < overlapping_steps || held_bytes + next_bytes <= bytes_as_they_are);
    }
    /// Whether it has room for one that takes so many bytes encoded, beside so many that are. One always finds room:
    /// how many bytes it takes is not known before the first one.
    [[nodiscard]] bool admit_encoded(std::int64_t held_steps, std::int64_t held_bytes, std::int64_t next_bytes) const {
        return compresses && held_steps < static_cast<std::int64_t>(most_further_steps) &&
               (held_steps == 0 || held_bytes + next_bytes <= bytes / 2);
    }
    /// What each of the writer ranks may use.
    [[nodiscard]] QueueLimits part_of_rank(int writers) const {
        return {steps, bytes / writers, spill_bytes / writers, compresses, keep};
    }

    static constexpr std::uint64_t most_further_steps = 1024;
};

}  // namespace staithe::stream
