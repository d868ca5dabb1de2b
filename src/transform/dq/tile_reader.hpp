// Decodes one tile into rows.
#pragma once

#include <cstddef>
#include <span>

#include "transform/dq/kernels.hpp"
#include "transform/scratch.hpp"

#include <staithe/dtype.hpp>

namespace staithe::transform::dq {

/// False if the bytes are no tile of these elements and rows; the values are then anything.
[[nodiscard]] bool read_tile(const Kernels& kernels, std::span<const std::byte> coded, const TileRows& tile,
                             std::byte* values, Dtype element, Scratch& scratch);

}  // namespace staithe::transform::dq
