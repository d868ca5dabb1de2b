// Values rounded to fewer bits: how bounds that are a share of each value are kept, and others where what decodes knows
// nothing of bounds. What is left is coded exactly, and the zeros behind cost little.
#pragma once

#include <staithe/array_view.hpp>

#include "transform/codec.hpp"
#include "transform/scratch.hpp"

namespace staithe::transform {

/// Whether values of that dtype are rounded: f32, f64, and complex numbers of them. Others stay as they are.
[[nodiscard]] bool can_be_rounded(Dtype dtype);

/// The tile with each value off by `options.share` of itself at most, in memory of `scratch`. What comes back bit by
/// bit under every bound does so here, and no other value turns into fill.
[[nodiscard]] ArrayView rounded(const ArrayView& tile, const TileOptions& options, Scratch& scratch);

/// The values of a dense array, into another one or in place: each off by `options.share` of itself at most or, if that
/// is 0, by `options.bound`, with as few bits as that takes. Else as above. Integers stay as they are.
void round_values(const MutableArrayView& to, const ArrayView& from, const TileOptions& options);

/// The most by which a value of the array may then be off.
[[nodiscard]] double largest_rounding(const ArrayView& array, const TileOptions& options, int threads);

}  // namespace staithe::transform
