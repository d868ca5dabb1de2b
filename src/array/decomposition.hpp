// Shares: which part of a variable each rank of a group reads.
//
// Pure functions of shape, rank and group size, so that every rank knows every other's part without asking. Each
// element belongs to exactly one rank; ranks beyond the elements get an empty part. A scalar has no dimension to
// divide: every rank gets it. `size` is at least 1, `rank` in [0, size), the shape non-negative.
#pragma once

#include <cstdint>

#include <staithe/box.hpp>

namespace staithe::array {

/// Consecutive ranks or rows.
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;

    friend bool operator==(const Range&, const Range&) = default;
};

/// Part `rank` of `length` things cut into `size` consecutive parts whose lengths differ by one at most.
[[nodiscard]] Range balanced_part(std::int64_t length, std::int64_t rank, std::int64_t size) noexcept;

/// How many parts to cut each dimension into, so that the blocks are as close to cubes as can be. Their product is
/// `size`, or the next smaller number for which no part is empty.
[[nodiscard]] Extents process_grid(const Extents& shape, std::int64_t size) noexcept;

/// Share "block": a cell of the process grid, the last dimension's neighbour being the next rank.
[[nodiscard]] Box block_share(const Extents& shape, std::int64_t rank, std::int64_t size) noexcept;

/// Share "count": equally many consecutive rows of the first dimension.
[[nodiscard]] Box count_share(const Extents& shape, std::int64_t rank, std::int64_t size) noexcept;

/// Share "round": the rows rank, rank + size, … of the first dimension.
[[nodiscard]] Selection round_share(const Extents& shape, std::int64_t rank, std::int64_t size) noexcept;

/// Share "process": the writer ranks whose blocks a reader rank takes whole.
[[nodiscard]] Range process_share(std::int64_t writers, std::int64_t rank, std::int64_t size) noexcept;

}  // namespace staithe::array
