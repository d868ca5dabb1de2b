// What expressions are computed in: truth values, 64-bit integers, and floating-point and complex numbers as they are.
//
// Narrower numbers are widened first, so that nothing overflows on the way: integers to 64 bits, half precision to
// single. From there on kinds combine as NumPy's dtypes do.
#pragma once

#include <cstdint>

#include <staithe/dtype.hpp>

namespace staithe::transform::expression {

enum class Category : std::uint8_t { boolean, integer, real, complex };

[[nodiscard]] constexpr Category category_of(Dtype dtype) {
    return dtype == Dtype::boolean ? Category::boolean
           : dtype < Dtype::f16    ? Category::integer
           : dtype < Dtype::c64    ? Category::real
                                   : Category::complex;
}

/// What elements of that dtype are computed in.
[[nodiscard]] Dtype widened(Dtype dtype);

/// What two that are computed with become.
[[nodiscard]] Dtype common(Dtype a, Dtype b);

/// The least kind of that category that is at least as precise: a number that was written adapts to `dtype`, but for
/// its category.
[[nodiscard]] Dtype at_least(Dtype dtype, Category category);

}  // namespace staithe::transform::expression
