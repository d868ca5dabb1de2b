// Sixteen lanes in two AVX2 registers.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "transform/dq/lanes_words.hpp"
#include "transform/dq/quantisation.hpp"

namespace staithe::transform::dq {

struct Avx2Lanes {
    using Word = std::uint32_t;
    static constexpr std::size_t register_bytes = 32;
    struct Lanes {
        __m256i low, high;
    };

    static constexpr bool replaces_at_once = false;

    static Lanes zero() { return {_mm256_setzero_si256(), _mm256_setzero_si256()}; }
    static Lanes load(const std::uint32_t* from) {
        return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)),
                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 8))};
    }
    static void store(std::uint32_t* to, Lanes lanes) {
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), lanes.low);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + 8), lanes.high);
    }

    static Lanes quantise(const float* values, const Quantiser<float>& by, std::uint32_t& exceptions) {
        std::uint32_t low = 0;
        std::uint32_t high = 0;
        const Lanes lanes{quantise_half(values, by, low), quantise_half(values + 8, by, high)};
        exceptions = low | high << 8U;
        return lanes;
    }
    static Lanes quantise(const double* values, const Quantiser<double>& by, std::uint32_t& exceptions) {
        exceptions = 0;
        __m128i quarters[4];
        for (unsigned i = 0; i < 4; ++i) {
            std::uint32_t found = 0;
            quarters[i] = quantise_quarter(values + 4 * i, by, found);
            exceptions |= found << 4 * i;
        }
        return {_mm256_set_m128i(quarters[1], quarters[0]), _mm256_set_m128i(quarters[3], quarters[2])};
    }
    static std::uint32_t exact_values(const float* values, float fill) {
        return exact_half(values, fill) | exact_half(values + 8, fill) << 8U;
    }
    static std::uint32_t exact_values(const double* values, double fill) {
        std::uint32_t found = 0;
        for (unsigned i = 0; i < 4; ++i) {
            found |= exact_quarter(values + 4 * i, fill) << 4 * i;
        }
        return found;
    }
    static void restore(float* values, Lanes lanes, float step) {
        const __m256 by = _mm256_set1_ps(step);
        _mm256_storeu_ps(values, _mm256_mul_ps(_mm256_cvtepi32_ps(lanes.low), by));
        _mm256_storeu_ps(values + 8, _mm256_mul_ps(_mm256_cvtepi32_ps(lanes.high), by));
    }
    static void restore(double* values, Lanes lanes, double step) {
        const __m256d by = _mm256_set1_pd(step);
        const __m128i quarters[4] = {_mm256_castsi256_si128(lanes.low), _mm256_extracti128_si256(lanes.low, 1),
                                     _mm256_castsi256_si128(lanes.high), _mm256_extracti128_si256(lanes.high, 1)};
        for (unsigned i = 0; i < 4; ++i) {
            _mm256_storeu_pd(values + 4 * i, _mm256_mul_pd(_mm256_cvtepi32_pd(quarters[i]), by));
        }
    }

    static std::uint32_t equal(const std::byte* integers, std::uint32_t value) {
        const __m256i all = _mm256_set1_epi32(static_cast<int>(value));
        const auto half = [&](const std::byte* from) {
            const __m256i found = _mm256_cmpeq_epi32(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), all);
            return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(found)));
        };
        return half(integers) | half(integers + 32) << 8U;
    }
    static std::uint32_t equal(const std::byte* integers, std::uint64_t value) {
        const __m256i all = _mm256_set1_epi64x(static_cast<long long>(value));
        std::uint32_t bits = 0;
        for (unsigned i = 0; i < 16; i += 4) {
            const auto* const from = reinterpret_cast<const __m256i*>(integers + 8 * i);
            const __m256i found = _mm256_cmpeq_epi64(_mm256_loadu_si256(from), all);
            bits |= static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(found))) << i;
        }
        return bits;
    }
    static void put(std::byte* integers, std::uint32_t mask, std::uint32_t value) {
        const __m256i all = _mm256_set1_epi32(static_cast<int>(value));
        auto* const to = reinterpret_cast<int*>(integers);
        _mm256_maskstore_epi32(to, spread(mask), all);
        _mm256_maskstore_epi32(to + 8, spread(mask >> 8U), all);
    }
    static void put(std::byte* integers, std::uint32_t mask, std::uint64_t value) {
        const __m256i all = _mm256_set1_epi64x(static_cast<long long>(value));
        for (unsigned i = 0; i < 16; i += 4) {
            const __m256i four = _mm256_cvtepi32_epi64(_mm256_castsi256_si128(spread(mask >> i)));
            _mm256_maskstore_epi64(reinterpret_cast<long long*>(integers + 8 * i), four, all);
        }
    }

    static Lanes add(Lanes a, Lanes b) { return {_mm256_add_epi32(a.low, b.low), _mm256_add_epi32(a.high, b.high)}; }
    static Lanes subtract(Lanes a, Lanes b) {
        return {_mm256_sub_epi32(a.low, b.low), _mm256_sub_epi32(a.high, b.high)};
    }
    static Lanes minimum(Lanes a, Lanes b) {
        return {_mm256_min_epu32(a.low, b.low), _mm256_min_epu32(a.high, b.high)};
    }
    static Lanes replace(Lanes lanes, std::uint32_t mask, Lanes others) {
        return {_mm256_blendv_epi8(lanes.low, others.low, spread(mask)),
                _mm256_blendv_epi8(lanes.high, others.high, spread(mask >> 8U))};
    }
    static Lanes splat(Word word) {
        const __m256i half = _mm256_set1_epi32(static_cast<int>(word));
        return {half, half};
    }
    static Lanes mask(Lanes lanes, Word bits_to_keep) {
        const __m256i kept = _mm256_set1_epi32(static_cast<int>(bits_to_keep));
        return {_mm256_and_si256(lanes.low, kept), _mm256_and_si256(lanes.high, kept)};
    }
    template <unsigned count>
    static Lanes shift_right(Lanes lanes) {
        return {_mm256_srli_epi32(lanes.low, count), _mm256_srli_epi32(lanes.high, count)};
    }
    template <unsigned count>
    static Lanes shift_left(Lanes lanes) {
        return {_mm256_slli_epi32(lanes.low, count), _mm256_slli_epi32(lanes.high, count)};
    }
    static Lanes shift_right(Lanes lanes, Lanes counts) {
        return {_mm256_srlv_epi32(lanes.low, counts.low), _mm256_srlv_epi32(lanes.high, counts.high)};
    }
    static Lanes shift_left(Lanes lanes, Lanes counts) {
        return {_mm256_sllv_epi32(lanes.low, counts.low), _mm256_sllv_epi32(lanes.high, counts.high)};
    }
    static Lanes multiply(Lanes a, Lanes b) {
        return {_mm256_mullo_epi32(a.low, b.low), _mm256_mullo_epi32(a.high, b.high)};
    }
    static Lanes multiply_high(Lanes a, Lanes b) {
        return {multiply_high(a.low, b.low), multiply_high(a.high, b.high)};
    }
    static std::uint32_t at_least(Lanes a, Lanes b) {
        const auto half = [](__m256i left, __m256i right) {
            const __m256i found = _mm256_cmpeq_epi32(_mm256_max_epu32(left, right), left);
            return static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(found)));
        };
        return half(a.low, b.low) | half(a.high, b.high) << 8U;
    }
    static Lanes gather(const Word* table, Lanes index) {
        const int* const from = reinterpret_cast<const int*>(table);
        return {_mm256_i32gather_epi32(from, index.low, 4), _mm256_i32gather_epi32(from, index.high, 4)};
    }
    static bool any_bit(const void* lanes) {
        const __m256i bits = _mm256_loadu_si256(static_cast<const __m256i*>(lanes));
        return _mm256_testz_si256(bits, bits) == 0;
    }
    static Lanes look_up(const Word* table, Lanes index) { return gather(table, index); }
    static std::uint16_t* pack_words(std::uint16_t* to, Lanes lanes, std::uint32_t mask) {
        const Lanes halves = Avx2Lanes::mask(lanes, 0xFFFF);
        const __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(halves.low, halves.high), 0b11'01'10'00);
        to = PlaneWords<Avx2Lanes>::pack(to, _mm256_castsi256_si128(words), mask & 0xFFU);
        return PlaneWords<Avx2Lanes>::pack(to, _mm256_extracti128_si256(words, 1), mask >> 8U);
    }
    static Lanes unpack_words(const std::uint16_t* from, std::uint32_t mask) {
        const std::uint16_t* const behind = from + __builtin_popcount(mask & 0xFFU);
        return {_mm256_cvtepu16_epi32(PlaneWords<Avx2Lanes>::unpack(from, mask & 0xFFU)),
                _mm256_cvtepu16_epi32(PlaneWords<Avx2Lanes>::unpack(behind, mask >> 8U))};
    }
    static Lanes differences(Lanes before, Lanes lanes) {
        return {_mm256_sub_epi32(lanes.low, shifted(before.high, lanes.low)),
                _mm256_sub_epi32(lanes.high, shifted(lanes.low, lanes.high))};
    }
    static Lanes sums(Lanes before, Lanes lanes) {
        const __m256i last = _mm256_set1_epi32(7);
        lanes.low = _mm256_add_epi32(sums(lanes.low), _mm256_permutevar8x32_epi32(before.high, last));
        lanes.high = _mm256_add_epi32(sums(lanes.high), _mm256_permutevar8x32_epi32(lanes.low, last));
        return lanes;
    }
    static Lanes fold_signs(Lanes lanes) {
        const auto fold = [](__m256i half) {
            return _mm256_xor_si256(_mm256_slli_epi32(half, 1), _mm256_srai_epi32(half, 31));
        };
        return {fold(lanes.low), fold(lanes.high)};
    }
    static Lanes unfold_signs(Lanes lanes) {
        const auto unfold = [](__m256i half) {
            const __m256i signs =
                _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(half, _mm256_set1_epi32(1)));
            return _mm256_xor_si256(_mm256_srli_epi32(half, 1), signs);
        };
        return {unfold(lanes.low), unfold(lanes.high)};
    }

    static void combine(const Lanes* groups, Word* all) {
        for (unsigned g = 0; g < 8; ++g) {
            const __m256i both = _mm256_or_si256(groups[g].low, groups[g].high);
            __m128i bits = _mm_or_si128(_mm256_castsi256_si128(both), _mm256_extracti128_si256(both, 1));
            bits = _mm_or_si128(bits, _mm_shuffle_epi32(bits, 0x4E));
            bits = _mm_or_si128(bits, _mm_shuffle_epi32(bits, 0xB1));
            all[g] = static_cast<std::uint32_t>(_mm_cvtsi128_si32(bits));
        }
    }
    static std::uint16_t* write_planes(std::uint16_t* planes, const Lanes* groups, const std::uint8_t* widths,
                                       unsigned widest) {
        const PlaneWords<Avx2Lanes> order(widths);
        for (unsigned first = 0; first < widest; first += 8) {
            // A byte of each residual: one bit of each in a register is the words of two groups.
            __m256i bytes[4];
            for (unsigned i = 0; i < 4; ++i) {
                bytes[i] = bytes_of(groups + 2 * i, first);
            }
            const unsigned end = widest < first + 8 ? widest : first + 8;
            for (unsigned i = first; i < end; ++i) {
                const __m128i up = _mm_cvtsi32_si128(static_cast<int>(first + 7 - i));
                const auto words = [&](unsigned pair) {
                    return _mm256_movemask_epi8(_mm256_sll_epi16(bytes[pair], up));
                };
                planes = order.pack_plane(planes, _mm_setr_epi32(words(0), words(1), words(2), words(3)), i);
            }
        }
        return planes;
    }
    static const std::uint16_t* read_planes(const std::uint16_t* planes, Lanes* groups, const std::uint8_t* widths,
                                            unsigned widest) {
        const PlaneWords<Avx2Lanes> order(widths);
        for (unsigned g = 0; g < 8; ++g) {
            groups[g] = zero();
        }
        for (unsigned first = 0; first < widest; first += 8) {
            __m256i bytes[4] = {};
            __m256i bit = _mm256_set1_epi8(1);
            const unsigned end = widest < first + 8 ? widest : first + 8;
            for (unsigned i = first; i < end; ++i) {
                const __m128i words = order.unpack_plane(planes, i);
                add_bit(bytes[0], _mm_extract_epi32(words, 0), bit);
                add_bit(bytes[1], _mm_extract_epi32(words, 1), bit);
                add_bit(bytes[2], _mm_extract_epi32(words, 2), bit);
                add_bit(bytes[3], _mm_extract_epi32(words, 3), bit);
                bit = _mm256_add_epi8(bit, bit);
            }
            const __m128i up = _mm_cvtsi32_si128(static_cast<int>(first));
            for (unsigned g = 0; g < 8; ++g) {
                const __m128i own =
                    g % 2 == 0 ? _mm256_castsi256_si128(bytes[g / 2]) : _mm256_extracti128_si256(bytes[g / 2], 1);
                const auto wide = [&](__m128i eight) { return _mm256_sll_epi32(_mm256_cvtepu8_epi32(eight), up); };
                groups[g].low = _mm256_or_si256(groups[g].low, wide(own));
                groups[g].high = _mm256_or_si256(groups[g].high, wide(_mm_srli_si128(own, 8)));
            }
        }
        return planes;
    }

  private:
    /// The byte from that bit on, of each lane of two groups.
    static __m256i bytes_of(const Lanes* groups, unsigned from) {
        const __m128i down = _mm_cvtsi32_si128(static_cast<int>(from));
        const auto byte = [&](__m256i half) {
            return _mm256_and_si256(_mm256_srl_epi32(half, down), _mm256_set1_epi32(0xFF));
        };
        const __m256i first = _mm256_packus_epi32(byte(groups[0].low), byte(groups[0].high));
        const __m256i second = _mm256_packus_epi32(byte(groups[1].low), byte(groups[1].high));
        // Packing goes by halves of a register: these four bytes lie apart.
        return _mm256_permutevar8x32_epi32(_mm256_packus_epi16(first, second),
                                           _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
    }
    /// Sets the bit in those bytes whose bit of the mask is set.
    static void add_bit(__m256i& bytes, int mask, __m256i bit) {
        const __m256i from = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
        const __m256i own = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201U));
        const __m256i spread_out = _mm256_shuffle_epi8(_mm256_set1_epi32(mask), from);
        const __m256i set = _mm256_cmpeq_epi8(_mm256_and_si256(spread_out, own), own);
        bytes = _mm256_or_si256(bytes, _mm256_and_si256(set, bit));
    }
    static __m256i multiply_high(__m256i a, __m256i b) {
        const __m256i even = _mm256_srli_epi64(_mm256_mul_epu32(a, b), 32);
        const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(a, 32), _mm256_srli_epi64(b, 32));
        return _mm256_blend_epi32(even, odd, 0xAA);
    }
    /// All bits of the lanes whose bit of the mask (its lowest eight) is set.
    static __m256i spread(std::uint32_t mask) {
        const __m256i own = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
        return _mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32(static_cast<int>(mask)), own), own);
    }
    /// The last lane of `before`, then all but the last of `lanes`.
    static __m256i shifted(__m256i before, __m256i lanes) {
        const __m256i rotation = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
        return _mm256_blend_epi32(_mm256_permutevar8x32_epi32(lanes, rotation),
                                  _mm256_permutevar8x32_epi32(before, rotation), 1);
    }
    static __m256i sums(__m256i lanes) {
        lanes = _mm256_add_epi32(lanes, _mm256_slli_si256(lanes, 4));
        lanes = _mm256_add_epi32(lanes, _mm256_slli_si256(lanes, 8));
        const __m256i middle = _mm256_permutevar8x32_epi32(lanes, _mm256_set1_epi32(3));
        return _mm256_add_epi32(lanes, _mm256_blend_epi32(_mm256_setzero_si256(), middle, 0xF0));
    }
    /// Numbers, by their bits, below the smallest normal one: -0.0 is among them.
    static __m256i small_but_not_zero(__m256i bits) {
        const __m256i small = _mm256_cmpgt_epi32(_mm256_set1_epi32(0x00800000), magnitude(bits));
        return _mm256_andnot_si256(_mm256_cmpeq_epi32(bits, _mm256_setzero_si256()), small);
    }
    static __m256i small_but_not_zero_64(__m256i bits) {
        const __m256i small = _mm256_cmpgt_epi64(_mm256_set1_epi64x(0x0010000000000000), magnitude_64(bits));
        return _mm256_andnot_si256(_mm256_cmpeq_epi64(bits, _mm256_setzero_si256()), small);
    }
    static __m256i magnitude(__m256i bits) { return _mm256_andnot_si256(_mm256_set1_epi32(INT32_MIN), bits); }
    static __m256i magnitude_64(__m256i bits) { return _mm256_andnot_si256(_mm256_set1_epi64x(INT64_MIN), bits); }
    static std::uint32_t exact_half(const float* values, float fill) {
        const __m256 x = _mm256_loadu_ps(values);
        const __m256i bits = _mm256_castps_si256(x);
        const __m256i not_finite = _mm256_cmpgt_epi32(magnitude(bits), _mm256_set1_epi32(0x7F7FFFFF));
        const __m256i is_fill = _mm256_castps_si256(_mm256_cmp_ps(x, _mm256_set1_ps(fill), _CMP_EQ_OQ));
        const __m256i found = _mm256_or_si256(_mm256_or_si256(not_finite, is_fill), small_but_not_zero(bits));
        return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(found)));
    }
    static std::uint32_t exact_quarter(const double* values, double fill) {
        const __m256d x = _mm256_loadu_pd(values);
        const __m256i bits = _mm256_castpd_si256(x);
        const __m256i not_finite = _mm256_cmpgt_epi64(magnitude_64(bits), _mm256_set1_epi64x(0x7FEFFFFFFFFFFFFF));
        const __m256i is_fill = _mm256_castpd_si256(_mm256_cmp_pd(x, _mm256_set1_pd(fill), _CMP_EQ_OQ));
        const __m256i found = _mm256_or_si256(_mm256_or_si256(not_finite, is_fill), small_but_not_zero_64(bits));
        return static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(found)));
    }
    static __m256i quantise_half(const float* values, const Quantiser<float>& by, std::uint32_t& exceptions) {
        const __m256 x = _mm256_loadu_ps(values);
        const __m256i q = _mm256_cvtps_epi32(_mm256_mul_ps(x, _mm256_set1_ps(by.inverse_step)));
        const __m256 restored = _mm256_mul_ps(_mm256_cvtepi32_ps(q), _mm256_set1_ps(by.step));
        const __m256 error = _mm256_sub_ps(x, restored);
        const __m256 size = _mm256_andnot_ps(_mm256_castsi256_ps(_mm256_set1_epi32(INT32_MIN)), error);
        __m256i found = _mm256_castps_si256(_mm256_cmp_ps(size, _mm256_set1_ps(by.bound), _CMP_NLE_UQ));
        found = _mm256_or_si256(found, small_but_not_zero(_mm256_castps_si256(x)));
        if (by.has_fill) {
            const __m256 fill = _mm256_set1_ps(by.fill);
            const __m256 either =
                _mm256_or_ps(_mm256_cmp_ps(x, fill, _CMP_EQ_OQ), _mm256_cmp_ps(restored, fill, _CMP_EQ_OQ));
            found = _mm256_or_si256(found, _mm256_castps_si256(either));
        }
        exceptions = static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(found)));
        return q;
    }
    static __m128i quantise_quarter(const double* values, const Quantiser<double>& by, std::uint32_t& exceptions) {
        const __m256d x = _mm256_loadu_pd(values);
        const __m128i q = _mm256_cvtpd_epi32(_mm256_mul_pd(x, _mm256_set1_pd(by.inverse_step)));
        const __m256d restored = _mm256_mul_pd(_mm256_cvtepi32_pd(q), _mm256_set1_pd(by.step));
        const __m256d error = _mm256_sub_pd(x, restored);
        const __m256d size = _mm256_andnot_pd(_mm256_castsi256_pd(_mm256_set1_epi64x(INT64_MIN)), error);
        __m256i found = _mm256_castpd_si256(_mm256_cmp_pd(size, _mm256_set1_pd(by.bound), _CMP_NLE_UQ));
        found = _mm256_or_si256(found, small_but_not_zero_64(_mm256_castpd_si256(x)));
        if (by.has_fill) {
            const __m256d fill = _mm256_set1_pd(by.fill);
            const __m256d either =
                _mm256_or_pd(_mm256_cmp_pd(x, fill, _CMP_EQ_OQ), _mm256_cmp_pd(restored, fill, _CMP_EQ_OQ));
            found = _mm256_or_si256(found, _mm256_castpd_si256(either));
        }
        exceptions = static_cast<std::uint32_t>(_mm256_movemask_pd(_mm256_castsi256_pd(found)));
        return q;
    }
};

}  // namespace staithe::transform::dq
