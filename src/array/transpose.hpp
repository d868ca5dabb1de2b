// Copies whose source runs along another dimension than the destination.
#pragma once

#include <cstddef>
#include <cstdint>

#include "array/copy_plan.hpp"

namespace staithe::array {

/// Rows of the destination that are written side by side: lines that wait for their other half must stay in the
/// first-level cache, and these take 32 KiB.
inline constexpr std::int64_t transposed_band = 512;

/// Two loops over items of `size` bytes (at most `longest_short_run`): neighbours in the destination are `across` apart
/// from each other, neighbours in the source `along`. Both sides are touched tile by tile, so that each cache line is
/// fetched once.
struct Transpose {
    std::int64_t size;
    Loop across;  // the loop with the smaller stride in the destination
    Loop along;   // the loop with the smaller stride in the source
    bool stream;  // write the destination past the cache, where its lines are written whole

    void operator()(std::byte* destination, const std::byte* source) const noexcept;
};

}  // namespace staithe::array
