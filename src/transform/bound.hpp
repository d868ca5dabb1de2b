// Bounds as the caller gives them, turned into an absolute one, once for the whole array.
#pragma once

#include <staithe/transform.hpp>

#include "base/result.hpp"
#include "transform/codec.hpp"

namespace staithe::transform {

/// `invalid_argument` for a bound that cannot mean anything.
base::Result<TileOptions> resolve_bound(const ArrayView& array, const codecs::EncodeOptions& options);

}  // namespace staithe::transform
