// Large boxes in pieces.
#pragma once

#include <cstdint>
#include <vector>

#include <staithe/box.hpp>

namespace staithe::store::space {

/// Elements that are looked at at once: a mask of them stays in the caches, and what is known of them is worth its
/// place.
inline constexpr std::int64_t most_in_slab = 1 << 18;

/// Cut along the first dimension in which that makes it small enough: of so many elements at most.
std::vector<Box> slabs_of(const Box& part, std::int64_t most = most_in_slab);

/// Of what a selection selects, a box.
Selection part_of(const Selection& selection, const Box& part);

}  // namespace staithe::store::space
