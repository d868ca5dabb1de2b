// Where a block and a selection meet.
#pragma once

#include <optional>
#include <span>
#include <utility>

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

/// Two boxes that have an element in common, by their places in `boxes`; nothing if there are none. For the usual
/// decompositions the time grows little faster than the number of boxes. All have the same dimensions.
[[nodiscard]] std::optional<std::pair<std::size_t, std::size_t>> find_clash(std::span<const Box> boxes);

/// Copies an overlap from the block's data into a destination that has the selection's shape; as its dtype, to which
/// the cast must be safe.
void copy(const Overlap& overlap, const MutableArrayView& destination, const ArrayView& block) noexcept;

}  // namespace staithe::array
