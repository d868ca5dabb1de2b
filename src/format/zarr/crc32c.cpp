#include "format/zarr/crc32c.hpp"

#include <array>

namespace staithe::format::zarr {
namespace {

constexpr std::uint32_t castagnoli = 0x82F63B78;  // its bits from the last one on

/// What a byte makes of a remainder of zero.
constexpr std::array<std::uint32_t, 256> remainders = [] {
    std::array<std::uint32_t, 256> all{};
    for (std::uint32_t byte = 0; byte < all.size(); ++byte) {
        std::uint32_t rest = byte;
        for (int bit = 0; bit < 8; ++bit) {
            rest = (rest & 1U) != 0 ? rest >> 1 ^ castagnoli : rest >> 1;
        }
        all[byte] = rest;
    }
    return all;
}();

}  // namespace

std::uint32_t crc32c(std::span<const std::byte> bytes) {
    std::uint32_t rest = ~std::uint32_t{0};
    for (const std::byte byte : bytes) {
        rest = rest >> 8 ^ remainders[(rest ^ std::to_integer<std::uint32_t>(byte)) & 0xFFU];
    }
    return ~rest;
}

}  // namespace staithe::format::zarr
