// Bounds as the caller gives them, turned into an absolute one, once for the whole array.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>

#include <staithe/transform.hpp>

#include "base/result.hpp"
#include "transform/codec.hpp"

namespace staithe::transform {

/// Errors that are spread evenly within a bound are off by the bound over √3 on average (root mean square). A little
/// less: then most tiles, in which chance has its part, may have the noise that the bound was made of.
inline constexpr double bound_of_noise = 1.732 * 0.99;

/// What codecs::parse_bound promises.
base::Result<codecs::Bound> parse_bound(const std::string& text);

/// As bounds of values that are on their way travel: 0 exact, 1 absolute, 2 relative, 3 pointwise relative. Frozen.
std::uint8_t code_of(const codecs::Bound& bound);
/// Nothing if there is no such code, or the value cannot be one.
std::optional<codecs::Bound> bound_from_code(std::uint8_t code, double value);

/// Of a variable that has none of its own.
inline constexpr const char* all_others = "*";

/// The variable's own, or that of all others, if there is one.
std::optional<codecs::Bound> bound_for(const std::map<std::string, codecs::Bound>& error, const std::string& variable);

/// Whether values within a bound, which is an absolute one for those that there are, are within another one.
[[nodiscard]] bool is_as_fine(const codecs::Bound& bound, double absolute, const codecs::Bound& wanted);

/// `invalid_argument` for one that cannot mean anything, or not for values that are on their way: abs, rel and pw_rel
/// are known of each value by itself.
base::Result<> check_error(const std::string& variable, const codecs::Bound& bound);

/// `invalid_argument` for a bound that cannot mean anything. Of an array that lies in parts, of which there is one at
/// least.
base::Result<TileOptions> resolve_bound(std::span<const ArrayView> parts, const codecs::EncodeOptions& options);
inline base::Result<TileOptions> resolve_bound(const ArrayView& array, const codecs::EncodeOptions& options) {
    return resolve_bound(std::span(&array, 1), options);
}

}  // namespace staithe::transform
