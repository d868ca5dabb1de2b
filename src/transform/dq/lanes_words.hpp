// The words of a block's bit planes, brought together and apart by shuffles that AVX2 and AVX-512 share.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "transform/dq/plane_order.hpp"

namespace staithe::transform::dq {

/// `L` is the kind of lanes: so the files that are compiled for different processors share no function.
template <class L>
class PlaneWords {
  public:
    /// Of the widths of the eight groups.
    explicit PlaneWords(const std::uint8_t* widths)
        : widths_(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(widths))) {}

    /// Writes the words of that plane of the groups that are wide enough; returns the place behind them. All 16 bytes
    /// from `planes` on may be written.
    std::uint16_t* pack_plane(std::uint16_t* planes, __m128i words, unsigned plane) const {
        return pack(planes, words, groups_wider_than(plane));
    }
    /// The inverse, and moves on; the words of other groups are 0. All 16 bytes from `planes` on are read.
    __m128i unpack_plane(const std::uint16_t*& planes, unsigned plane) const {
        const unsigned set = groups_wider_than(plane);
        const __m128i words = unpack(planes, set);
        planes += __builtin_popcount(set);
        return words;
    }

    /// Writes those of eight words that are in the set; returns the place behind them. All 16 bytes may be written.
    static std::uint16_t* pack(std::uint16_t* to, __m128i words, unsigned set) {
        _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm_shuffle_epi8(words, shuffle(packing, set)));
        return to + __builtin_popcount(set);
    }
    /// The inverse; other words are 0. All 16 bytes are read.
    static __m128i unpack(const std::uint16_t* from, unsigned set) {
        const __m128i packed = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
        return _mm_shuffle_epi8(packed, shuffle(unpacking, set));
    }

  private:
    static __m128i shuffle(const Shuffles& shuffles, unsigned set) {
        return _mm_load_si128(reinterpret_cast<const __m128i*>(shuffles[set].data()));
    }
    [[nodiscard]] unsigned groups_wider_than(unsigned plane) const {
        const __m128i than = _mm_set1_epi8(static_cast<char>(plane));
        return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpgt_epi8(widths_, than)));
    }

    __m128i widths_;
};

}  // namespace staithe::transform::dq
