// What elements are of which nobody has stored a chunk.
#pragma once

#include <optional>

#include <staithe/dtype.hpp>
#include <staithe/value.hpp>

#include "format/recording.hpp"

namespace staithe::format::zarr {

/// As metadata have it: numbers, "NaN", "Infinity", "-Infinity", or their bits as "0x7fc00000"; of complex numbers a
/// list of two. Null is zero. Untrusted: nothing if it is something else.
[[nodiscard]] std::optional<FillValue> fill_value_in(const Value& value, Dtype dtype);

}  // namespace staithe::format::zarr
