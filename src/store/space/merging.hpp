// Which small blocks of a complete version become one, since those who read pay for each: where what is seen of them
// lies side by side in a box. What is seen of all blocks is the same before and after.
//
// Knows neither messages nor who has the memory.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <staithe/box.hpp>
#include <staithe/dtype.hpp>

#include "base/function_ref.hpp"
#include "store/space/overlay.hpp"

namespace staithe::store::space {

/// A block, as far as it matters for that.
struct Mergeable {
    Box box;
    bool may_go = false;  // in another one
};

/// A new block, and what is seen of others there, which together is all of it.
struct Merge {
    Box box;
    std::vector<Shown> parts;
};

struct MergePlan {
    std::vector<Merge> merges;      // disjoint: they lie over all others
    std::vector<std::size_t> gone;  // places of those of which nothing is seen any more, in their order
};

/// What comes of those blocks of a version that meet the region, in the order in which they were put, within it. Fewer
/// than `least` blocks become no new one.
[[nodiscard]] MergePlan plan_merges(std::span<const Mergeable> blocks, const Box& region, std::size_t least);

/// Where a block lies.
struct MergeSource {
    Box box;
    bool column_major = false;
    const std::byte* bytes = nullptr;
};
/// Copies all parts of a new block from where their blocks lie, dense and in that order. False if there was no source.
[[nodiscard]] bool copy_parts(const Merge& merge, Dtype dtype, bool column_major, std::byte* to,
                              base::FunctionRef<std::optional<MergeSource>(std::size_t layer)> source_of);

/// The region in two, cut where about half of the blocks begin along the first dimension in which any does within it;
/// nothing if none does.
[[nodiscard]] std::optional<std::pair<Box, Box>> cut_between(std::span<const Mergeable> blocks, const Box& region);

}  // namespace staithe::store::space
