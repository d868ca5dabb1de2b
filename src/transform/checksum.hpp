// The checksum of payloads: XXH3 of 64 bits, faster than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace staithe::transform {

[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes) noexcept;

}  // namespace staithe::transform
