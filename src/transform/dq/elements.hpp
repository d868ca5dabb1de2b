// What a tile is made of for dq: elements that it can calculate with, in rows.
#pragma once

#include <optional>

#include <staithe/array_view.hpp>

#include "transform/dq/kernels.hpp"
#include "transform/scratch.hpp"

namespace staithe::transform::dq {

/// How elements of that dtype are coded exactly.
[[nodiscard]] Elements exact_elements(Dtype element);

/// The tile by its elements (complex numbers are pairs, what has no arithmetic here is bytes), arranged for coding.
/// Nothing if that takes more dimensions than there can be.
[[nodiscard]] std::optional<ArrayView> by_elements(const ArrayView& tile);
[[nodiscard]] std::optional<MutableArrayView> by_elements(const MutableArrayView& tile);

/// Whether the kernels can work on the view where it lies.
[[nodiscard]] bool is_direct(const ArrayView& view);

/// Memory for the same elements in C order, where kernels can always work.
[[nodiscard]] MutableArrayView dense(const ArrayView& like, Scratch& scratch);

/// The rows of a view that is direct or dense.
[[nodiscard]] TileRows rows_of(const ArrayView& view);

}  // namespace staithe::transform::dq
