// The checksum of the indices of shards: CRC-32C, by G. Castagnoli's polynomial, as RFC 3720 has it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace staithe::format::zarr {

[[nodiscard]] std::uint32_t crc32c(std::span<const std::byte> bytes);

}  // namespace staithe::format::zarr
