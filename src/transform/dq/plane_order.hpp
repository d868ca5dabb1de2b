// How the words of a block's bit planes are brought together and apart: of each plane only the groups that are wide
// enough have a word. Tables for byte shuffles; they hold no code, so all kernels share them.
#pragma once

#include <array>
#include <cstdint>

namespace staithe::transform::dq {

/// For each set of the eight groups, where each byte of eight words of 16 bits comes from; 0x80: from nowhere.
using Shuffles = std::array<std::array<std::uint8_t, 16>, 256>;

constexpr Shuffles make_shuffles(bool gather) {
    Shuffles shuffles{};
    for (unsigned set = 0; set < 256; ++set) {
        shuffles[set].fill(0x80);
        unsigned packed = 0;
        for (unsigned group = 0; group < 8; ++group) {
            if ((set >> group & 1U) != 0) {
                const unsigned to = gather ? packed : group;
                const unsigned from = gather ? group : packed;
                shuffles[set][2 * to] = static_cast<std::uint8_t>(2 * from);
                shuffles[set][2 * to + 1] = static_cast<std::uint8_t>(2 * from + 1);
                ++packed;
            }
        }
    }
    return shuffles;
}

/// Brings the words of the set together.
alignas(64) inline constexpr Shuffles packing = make_shuffles(true);
/// Puts them back; the words of other groups become 0.
alignas(64) inline constexpr Shuffles unpacking = make_shuffles(false);

}  // namespace staithe::transform::dq
