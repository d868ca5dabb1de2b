// Copies between arrays of different dtypes.
#pragma once

#include <staithe/array_view.hpp>

namespace staithe::array {

/// Copies every element as the other dtype has it. The views must agree in shape, the cast must be safe
/// (`is_safe_cast`) and the dtypes must differ, their memory must not overlap; strides and addresses may be anything.
/// One thread, no allocation.
void convert(const MutableArrayView& destination, const ArrayView& source) noexcept;

/// What a cast that is not safe may lose: for messages, as in "… would be lost".
[[nodiscard]] const char* what_is_lost(Dtype from, Dtype to) noexcept;

}  // namespace staithe::array
