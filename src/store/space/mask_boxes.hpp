// The elements that a mask marks, as few boxes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <staithe/box.hpp>

namespace staithe::store::space {

/// Boxes that hold all elements whose byte is 1, and no others, each once; in the order of their offsets. Runs along
/// the last dimension, joined where the same ones follow each other along the one before, and so on. `mask` has a byte,
/// 0 or 1, for each element of the shape, in C order.
[[nodiscard]] std::vector<Box> boxes_of(std::span<const std::uint8_t> mask, const Extents& shape);

}  // namespace staithe::store::space
