// Copies between arrays of any strides.
#pragma once

#include <staithe/array_view.hpp>

namespace staithe::array {

/// Copies every element. The views must agree in shape and in bytes per element (the dtypes themselves are not looked
/// at), their memory must not overlap; strides and addresses may be anything. One thread, no allocation. `together`:
/// bytes that are copied along with these before anybody reads them, if there are more.
void copy(const MutableArrayView& destination, const ArrayView& source, std::int64_t together = 0) noexcept;

}  // namespace staithe::array
