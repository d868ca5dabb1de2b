// Copies between arrays of any strides.
#pragma once

#include <staithe/array_view.hpp>

namespace staithe::array {

/// Copies every element. The views must agree in shape and in bytes per element (the dtypes themselves are not looked
/// at), their memory must not overlap; strides and addresses may be anything. One thread, no allocation.
void copy(const MutableArrayView& destination, const ArrayView& source) noexcept;

}  // namespace staithe::array
