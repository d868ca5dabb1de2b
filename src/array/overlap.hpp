// Where a block and a selection meet.
#pragma once

#include <optional>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>

namespace staithe::array {

/// The common elements, seen from both sides.
struct Overlap {
    Box destination;   // within the shape of the selection
    Selection source;  // within the block; as many elements per dimension
};

/// Nothing if block and selection have no element in common, or differ in dimensions. Both must fit the variable's
/// shape.
[[nodiscard]] std::optional<Overlap> overlap(const Box& block, const Selection& selection) noexcept;

/// The same elements, where only `part` of the block is at hand. It must hold all of them.
[[nodiscard]] Overlap within(Overlap overlap, const Box& part) noexcept;

/// Copies an overlap from the block's data into a destination that has the selection's shape; as its dtype, to which
/// the cast must be safe.
void copy(const Overlap& overlap, const MutableArrayView& destination, const ArrayView& block) noexcept;

}  // namespace staithe::array
