// Blocks of residuals, packed by the bit planes of their groups; and back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transform/dq/coding.hpp"

namespace staithe::transform::dq {

inline unsigned bit_width(std::uint32_t bits) {
    return bits == 0 ? 0 : 32U - static_cast<unsigned>(__builtin_clz(bits));
}
inline unsigned bit_width(std::uint64_t bits) {
    return bits == 0 ? 0 : 64U - static_cast<unsigned>(__builtin_clzll(bits));
}

template <class L>
void pack_block(const typename L::Word* residuals, std::size_t number, Sections& out) {
    typename L::Lanes lanes[groups_of_block];
    for (std::size_t g = 0; g < groups_of_block; ++g) {
        lanes[g] = L::load(residuals + group * g);
    }
    typename L::Word all[groups_of_block];
    L::combine(lanes, all);
    std::uint8_t widths[groups_of_block];
    unsigned any = 0;
    unsigned widest = 0;
    for (std::size_t g = 0; g < groups_of_block; ++g) {
        const unsigned width = bit_width(all[g]);
        widths[g] = static_cast<std::uint8_t>(width);
        any |= width;
        widest = width > widest ? width : widest;
    }
    Widths packed;
    std::memcpy(&packed.bytes, widths, sizeof(packed.bytes));
    const unsigned count = bit_width(any);
    for (unsigned bit = 0; bit < count; ++bit) {
        *out.widths++ = packed.plane(bit);
    }
    if (number % 2 == 0) {
        *out.counts = static_cast<std::uint8_t>(count);
    } else {
        *out.counts++ |= static_cast<std::uint8_t>(count << 4U);
    }
    out.planes = L::write_planes(out.planes, lanes, widths, widest);
}

/// False if the sections end within it, or a width is none.
template <class L>
bool unpack_block(typename L::Word* residuals, std::size_t number, ConstSections& in) {
    const unsigned count = number % 2 == 0 ? *in.counts & 15U : *in.counts++ >> 4U;
    if (count > 7 || in.widths_end - in.widths < static_cast<std::ptrdiff_t>(count)) {
        return false;
    }
    Widths packed;
    for (unsigned bit = 0; bit < count; ++bit) {
        packed.add_plane(bit, *in.widths++);
    }
    std::uint8_t widths[groups_of_block];
    std::memcpy(widths, &packed.bytes, sizeof(widths));
    unsigned widest = 0;
    unsigned words = 0;
    for (const std::uint8_t width : widths) {
        widest = width > widest ? width : widest;
        words += width;
    }
    if (widest > 8 * sizeof(typename L::Word) || in.planes_end - in.planes < static_cast<std::ptrdiff_t>(words)) {
        return false;
    }
    typename L::Lanes lanes[groups_of_block];
    in.planes = L::read_planes(in.planes, lanes, widths, widest);
    for (std::size_t g = 0; g < groups_of_block; ++g) {
        L::store(residuals + group * g, L::unfold_signs(lanes[g]));
    }
    return true;
}

}  // namespace staithe::transform::dq
