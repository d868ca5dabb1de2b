// How far decoded tiles are off on average: what bounds on the PSNR are about.
#pragma once

#include <optional>

#include <staithe/array_view.hpp>

#include "transform/scratch.hpp"

namespace staithe::transform {

/// The mean square error of the values (parts of complex numbers) that count for the range, in units of `noise`
/// squared; never less than it is. `decoded` lies densely in C order.
[[nodiscard]] double mean_square_error(const ArrayView& tile, const ArrayView& decoded, std::optional<double> fill,
                                       double noise, Scratch& scratch);

}  // namespace staithe::transform
