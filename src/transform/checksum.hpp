// The checksum of payloads, and by what arrays are told apart: XXH3, faster than memory.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <staithe/array_view.hpp>

namespace staithe::transform {

[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

/// 128 bits, which two arrays share only by a chance that nobody will see, unless somebody makes them so.
struct Fingerprint {
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    auto operator<=>(const Fingerprint&) const = default;
};

/// Of the dtype, the shape, the elements and what else is said. Nothing where few elements lie together: to look at
/// them takes too long.
[[nodiscard]] std::optional<Fingerprint> fingerprint(const ArrayView& array, std::string_view said) noexcept;

}  // namespace staithe::transform
