// Bounds as the caller gives them, turned into an absolute one, once for the whole array.
#pragma once

#include <span>

#include <staithe/transform.hpp>

#include "base/result.hpp"
#include "transform/codec.hpp"

namespace staithe::transform {

/// Errors that are spread evenly within a bound are off by the bound over √3 on average (root mean square). A little
/// less: then most tiles, in which chance has its part, may have the noise that the bound was made of.
inline constexpr double bound_of_noise = 1.732 * 0.99;

/// `invalid_argument` for a bound that cannot mean anything. Of an array that lies in parts, of which there is one at
/// least.
base::Result<TileOptions> resolve_bound(std::span<const ArrayView> parts, const codecs::EncodeOptions& options);
inline base::Result<TileOptions> resolve_bound(const ArrayView& array, const codecs::EncodeOptions& options) {
    return resolve_bound(std::span(&array, 1), options);
}

}  // namespace staithe::transform
