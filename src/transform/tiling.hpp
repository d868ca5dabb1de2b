// How an array is cut into tiles, and how the dimensions of a tile are arranged for coding.
#pragma once

#include <cstdint>
#include <functional>

#include <staithe/array_view.hpp>

namespace staithe::transform {

/// Values of a tile, at most: 1 MiB of float32, which stays in a core's own cache.
inline constexpr std::int64_t tile_values = std::int64_t{1} << 18;

/// The shape of the tiles of an array of that shape: near to cubes, but rows are up to 128 long where other sides are
/// shorter.
[[nodiscard]] Extents tile_shape(const Extents& shape);

/// How many tiles there are along each dimension. 0 along one: the array is empty.
[[nodiscard]] Extents tile_counts(const Extents& shape, const Extents& tile);

/// The tile of that number, in C order.
[[nodiscard]] Box tile_box(const Extents& shape, const Extents& tile, std::int64_t number);

/// Calls for the number of each tile that the box touches.
void for_each_tile_in(const Box& box, const Extents& shape, const Extents& tile,
                      const std::function<void(std::int64_t)>& call);

/// The same elements with their dimensions arranged for coding: those of length 1 left out, trailing ones shorter than
/// 16 moved to the front, so that rows are long.
[[nodiscard]] ArrayView arranged(const ArrayView& tile);
[[nodiscard]] MutableArrayView arranged(const MutableArrayView& tile);

}  // namespace staithe::transform
