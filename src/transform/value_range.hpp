// The range of an array's values: what relative bounds refer to.
#pragma once

#include <optional>

#include <staithe/array_view.hpp>

namespace staithe::transform {

struct ValueRange {
    double smallest = 0.0;
    double largest = 0.0;
};

/// Of all values of a floating-point array (or the parts of its complex numbers) but NaN, infinities and fill. Nothing
/// if there are none, or the array is of another kind.
[[nodiscard]] std::optional<ValueRange> value_range(const ArrayView& array, std::optional<double> fill,
                                                    int threads = 1);

}  // namespace staithe::transform
