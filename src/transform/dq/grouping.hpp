// How residuals stand together in a coded tile: groups that share a width, and blocks of groups. docs/formats/dq.md,
// "Coding by planes". Compiled for GPUs, too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace staithe::transform::dq {

/// Residuals that share a width: one register of AVX-512, half a warp.
inline constexpr std::size_t group = 16;
/// Groups whose widths are packed together.
inline constexpr std::size_t groups_of_block = 8;
inline constexpr std::size_t block = group * groups_of_block;

/// The widths of a block's groups, a byte each, and the bit planes of such eight bytes: one byte a plane.
struct Widths {
    std::uint64_t bytes = 0;

    [[nodiscard]] std::uint8_t plane(unsigned bit) const {
        return static_cast<std::uint8_t>((bytes >> bit & ones) * 0x0102040810204080U >> 56U);
    }
    void add_plane(unsigned bit, std::uint8_t plane) {
        // Bit g of the plane, alone in byte g, then as that byte's lowest.
        const std::uint64_t apart = plane * ones & 0x8040201008040201U;
        bytes |= ((apart + 0x7F7F7F7F7F7F7F7FU) >> 7U & ones) << bit;
    }

  private:
    static constexpr std::uint64_t ones = 0x0101010101010101U;
};

}  // namespace staithe::transform::dq
