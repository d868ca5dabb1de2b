// Sixteen lanes in one AVX-512 register.
#pragma once

#include <immintrin.h>

#include <cstdint>

#include "transform/dq/lanes_words.hpp"
#include "transform/dq/quantisation.hpp"

namespace staithe::transform::dq {

struct Avx512Lanes {
    using Word = std::uint32_t;
    static constexpr std::size_t register_bytes = 64;
    using Lanes = __m512i;

    static constexpr bool replaces_at_once = true;

    static Lanes zero() { return _mm512_setzero_si512(); }
    static Lanes load(const std::uint32_t* from) { return _mm512_loadu_si512(from); }
    static void store(std::uint32_t* to, Lanes lanes) { _mm512_storeu_si512(to, lanes); }

    static Lanes quantise(const float* values, const Quantiser<float>& by, std::uint32_t& exceptions) {
        const __m512 x = _mm512_loadu_ps(values);
        const __m512i q = _mm512_cvtps_epi32(_mm512_mul_ps(x, _mm512_set1_ps(by.inverse_step)));
        const __m512 restored = _mm512_mul_ps(_mm512_cvtepi32_ps(q), _mm512_set1_ps(by.step));
        const __m512 error = _mm512_sub_ps(x, restored);
        const __mmask16 far = _mm512_cmp_ps_mask(_mm512_abs_ps(error), _mm512_set1_ps(by.bound), _CMP_NLE_UQ);
        exceptions = static_cast<std::uint32_t>(far | _mm512_fpclass_ps_mask(x, negative_zero_or_denormal));
        if (by.has_fill) {
            const __m512 fill = _mm512_set1_ps(by.fill);
            exceptions |= static_cast<std::uint32_t>(_mm512_cmp_ps_mask(x, fill, _CMP_EQ_OQ) |
                                                     _mm512_cmp_ps_mask(restored, fill, _CMP_EQ_OQ));
        }
        return q;
    }
    static Lanes quantise(const double* values, const Quantiser<double>& by, std::uint32_t& exceptions) {
        std::uint32_t low = 0;
        std::uint32_t high = 0;
        const __m256i first = quantise_half(values, by, low);
        const __m256i second = quantise_half(values + 8, by, high);
        exceptions = low | high << 8U;
        return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
    }
    static std::uint32_t exact_values(const float* values, float fill) {
        const __m512 x = _mm512_loadu_ps(values);
        return static_cast<std::uint32_t>(_mm512_fpclass_ps_mask(x, negative_zero_or_denormal | not_finite) |
                                          _mm512_cmp_ps_mask(x, _mm512_set1_ps(fill), _CMP_EQ_OQ));
    }
    static std::uint32_t exact_values(const double* values, double fill) {
        const auto half = [fill](__m512d x) {
            return static_cast<std::uint32_t>(_mm512_fpclass_pd_mask(x, negative_zero_or_denormal | not_finite) |
                                              _mm512_cmp_pd_mask(x, _mm512_set1_pd(fill), _CMP_EQ_OQ));
        };
        return half(_mm512_loadu_pd(values)) | half(_mm512_loadu_pd(values + 8)) << 8U;
    }
    static void restore(float* values, Lanes lanes, float step) {
        _mm512_storeu_ps(values, _mm512_mul_ps(_mm512_cvtepi32_ps(lanes), _mm512_set1_ps(step)));
    }
    static void restore(double* values, Lanes lanes, double step) {
        const __m512d by = _mm512_set1_pd(step);
        _mm512_storeu_pd(values, _mm512_mul_pd(_mm512_cvtepi32_pd(_mm512_castsi512_si256(lanes)), by));
        _mm512_storeu_pd(values + 8, _mm512_mul_pd(_mm512_cvtepi32_pd(_mm512_extracti64x4_epi64(lanes, 1)), by));
    }

    static std::uint32_t equal(const std::byte* integers, std::uint32_t value) {
        return _mm512_cmpeq_epi32_mask(_mm512_loadu_si512(integers), _mm512_set1_epi32(static_cast<int>(value)));
    }
    static std::uint32_t equal(const std::byte* integers, std::uint64_t value) {
        const __m512i all = _mm512_set1_epi64(static_cast<long long>(value));
        const __mmask8 low = _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(integers), all);
        const __mmask8 high = _mm512_cmpeq_epi64_mask(_mm512_loadu_si512(integers + 64), all);
        return static_cast<std::uint32_t>(low) | static_cast<std::uint32_t>(high) << 8U;
    }
    static void put(std::byte* integers, std::uint32_t mask, std::uint32_t value) {
        _mm512_mask_storeu_epi32(integers, static_cast<__mmask16>(mask), _mm512_set1_epi32(static_cast<int>(value)));
    }
    static void put(std::byte* integers, std::uint32_t mask, std::uint64_t value) {
        const __m512i all = _mm512_set1_epi64(static_cast<long long>(value));
        _mm512_mask_storeu_epi64(integers, static_cast<__mmask8>(mask), all);
        _mm512_mask_storeu_epi64(integers + 64, static_cast<__mmask8>(mask >> 8U), all);
    }

    static Lanes add(Lanes a, Lanes b) { return _mm512_add_epi32(a, b); }
    static Lanes subtract(Lanes a, Lanes b) { return _mm512_sub_epi32(a, b); }
    static Lanes minimum(Lanes a, Lanes b) { return _mm512_min_epu32(a, b); }
    static Lanes replace(Lanes lanes, std::uint32_t mask, Lanes others) {
        return _mm512_mask_mov_epi32(lanes, static_cast<__mmask16>(mask), others);
    }
    static Lanes splat(Word word) { return _mm512_set1_epi32(static_cast<int>(word)); }
    static Lanes mask(Lanes lanes, Word bits_to_keep) { return _mm512_and_si512(lanes, splat(bits_to_keep)); }
    template <unsigned count>
    static Lanes shift_right(Lanes lanes) {
        return _mm512_srli_epi32(lanes, count);
    }
    template <unsigned count>
    static Lanes shift_left(Lanes lanes) {
        return _mm512_slli_epi32(lanes, count);
    }
    static Lanes shift_right(Lanes lanes, Lanes counts) { return _mm512_srlv_epi32(lanes, counts); }
    static Lanes shift_left(Lanes lanes, Lanes counts) { return _mm512_sllv_epi32(lanes, counts); }
    static Lanes multiply(Lanes a, Lanes b) { return _mm512_mullo_epi32(a, b); }
    static Lanes multiply_high(Lanes a, Lanes b) {
        const __m512i even = _mm512_srli_epi64(_mm512_mul_epu32(a, b), 32);
        const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(a, 32), _mm512_srli_epi64(b, 32));
        return _mm512_mask_mov_epi32(even, 0xAAAA, odd);
    }
    static std::uint32_t at_least(Lanes a, Lanes b) { return _mm512_cmpge_epu32_mask(a, b); }
    static Lanes gather(const Word* table, Lanes index) { return _mm512_i32gather_epi32(index, table, 4); }
    static bool any_bit(const void* lanes) {
        const Lanes bits = _mm512_loadu_si512(lanes);
        return _mm512_test_epi32_mask(bits, bits) != 0;
    }
    /// Of a table of 64 words, which four registers hold.
    static Lanes look_up(const Word* table, Lanes index) {
        const Lanes low = _mm512_permutex2var_epi32(load(table), index, load(table + 16));
        const Lanes high = _mm512_permutex2var_epi32(load(table + 32), index, load(table + 48));
        return _mm512_mask_mov_epi32(low, _mm512_test_epi32_mask(index, splat(32)), high);
    }
    static std::uint16_t* pack_words(std::uint16_t* to, Lanes lanes, std::uint32_t mask) {
        const Lanes together = _mm512_maskz_compress_epi32(static_cast<__mmask16>(mask), lanes);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi32_epi16(together));
        return to + __builtin_popcount(mask);
    }
    static Lanes unpack_words(const std::uint16_t* from, std::uint32_t mask) {
        const __m256i together = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
        return _mm512_maskz_expand_epi32(static_cast<__mmask16>(mask), _mm512_cvtepu16_epi32(together));
    }
    static Lanes differences(Lanes before, Lanes lanes) {
        return _mm512_sub_epi32(lanes, _mm512_alignr_epi32(lanes, before, 15));
    }
    static Lanes sums(Lanes before, Lanes lanes) {
        const Lanes none = _mm512_setzero_si512();
        lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, none, 15));
        lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, none, 14));
        lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, none, 12));
        lanes = _mm512_add_epi32(lanes, _mm512_alignr_epi32(lanes, none, 8));
        return _mm512_add_epi32(lanes, _mm512_permutexvar_epi32(_mm512_set1_epi32(15), before));
    }
    static Lanes fold_signs(Lanes lanes) {
        return _mm512_xor_si512(_mm512_slli_epi32(lanes, 1), _mm512_srai_epi32(lanes, 31));
    }
    static Lanes unfold_signs(Lanes lanes) {
        const Lanes signs = _mm512_sub_epi32(_mm512_setzero_si512(), _mm512_and_si512(lanes, _mm512_set1_epi32(1)));
        return _mm512_xor_si512(_mm512_srli_epi32(lanes, 1), signs);
    }

    static void combine(const Lanes* groups, Word* all) {
        const __m128i low = combine_four(groups);
        const __m128i high = combine_four(groups + 4);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(all), low);
        _mm_storeu_si128(reinterpret_cast<__m128i*>(all + 4), high);
    }
    static std::uint16_t* write_planes(std::uint16_t* planes, const Lanes* groups, const std::uint8_t* widths,
                                       unsigned widest) {
        const PlaneWords<Avx512Lanes> order(widths);
        for (unsigned first = 0; first < widest; first += 8) {
            // A byte of each residual, in two registers: one bit of each is the words of four groups.
            const __m128i up = _mm_cvtsi32_si128(static_cast<int>(first));
            const __m512i low = bytes_of(groups, up);
            const __m512i high = bytes_of(groups + 4, up);
            __m512i bit = _mm512_set1_epi8(1);
            const unsigned end = widest < first + 8 ? widest : first + 8;
            for (unsigned i = first; i < end; ++i) {
                const __m128i words = _mm_set_epi64x(static_cast<long long>(_mm512_test_epi8_mask(high, bit)),
                                                     static_cast<long long>(_mm512_test_epi8_mask(low, bit)));
                planes = order.pack_plane(planes, words, i);
                bit = _mm512_add_epi8(bit, bit);
            }
        }
        return planes;
    }
    static const std::uint16_t* read_planes(const std::uint16_t* planes, Lanes* groups, const std::uint8_t* widths,
                                            unsigned widest) {
        const PlaneWords<Avx512Lanes> order(widths);
#pragma GCC unroll 8
        for (unsigned g = 0; g < 8; ++g) {
            groups[g] = zero();
        }
        for (unsigned first = 0; first < widest; first += 8) {
            __m512i low = zero();
            __m512i high = zero();
            __m512i bit = _mm512_set1_epi8(1);
            const unsigned end = widest < first + 8 ? widest : first + 8;
            for (unsigned i = first; i < end; ++i) {
                const __m128i words = order.unpack_plane(planes, i);
                low = _mm512_mask_add_epi8(low, static_cast<__mmask64>(_mm_cvtsi128_si64(words)), low, bit);
                high = _mm512_mask_add_epi8(high, static_cast<__mmask64>(_mm_extract_epi64(words, 1)), high, bit);
                bit = _mm512_add_epi8(bit, bit);
            }
            const __m128i up = _mm_cvtsi32_si128(static_cast<int>(first));
            add_bytes(groups, low, up);
            add_bytes(groups + 4, high, up);
        }
        return planes;
    }

  private:
    // Classes of floating-point numbers, as the instruction that tells them counts them.
    static constexpr int negative_zero_or_denormal = 0x04 | 0x20;
    static constexpr int not_finite = 0x01 | 0x08 | 0x10 | 0x80;

    /// The byte from that bit on, of each lane of four registers.
    static __m512i bytes_of(const Lanes* groups, __m128i from) {
        const auto bytes = [&](unsigned g) { return _mm512_cvtepi32_epi8(_mm512_srl_epi32(groups[g], from)); };
        const __m256i first = _mm256_inserti128_si256(_mm256_castsi128_si256(bytes(0)), bytes(1), 1);
        const __m256i second = _mm256_inserti128_si256(_mm256_castsi128_si256(bytes(2)), bytes(3), 1);
        return _mm512_inserti64x4(_mm512_castsi256_si512(first), second, 1);
    }
    /// The inverse: ors them to the lanes.
    static void add_bytes(Lanes* groups, __m512i bytes, __m128i to) {
        const auto add = [&](unsigned g, __m128i own) {
            groups[g] = _mm512_or_si512(groups[g], _mm512_sll_epi32(_mm512_cvtepu8_epi32(own), to));
        };
        add(0, _mm512_castsi512_si128(bytes));
        add(1, _mm512_extracti32x4_epi32(bytes, 1));
        add(2, _mm512_extracti32x4_epi32(bytes, 2));
        add(3, _mm512_extracti32x4_epi32(bytes, 3));
    }
    /// All bits of each of four registers.
    static __m128i combine_four(const Lanes* groups) {
        const __m512i first =
            _mm512_or_si512(_mm512_unpacklo_epi32(groups[0], groups[1]), _mm512_unpackhi_epi32(groups[0], groups[1]));
        const __m512i second =
            _mm512_or_si512(_mm512_unpacklo_epi32(groups[2], groups[3]), _mm512_unpackhi_epi32(groups[2], groups[3]));
        const __m512i both =
            _mm512_or_si512(_mm512_unpacklo_epi64(first, second), _mm512_unpackhi_epi64(first, second));
        const __m256i half = _mm256_or_si256(_mm512_castsi512_si256(both), _mm512_extracti64x4_epi64(both, 1));
        return _mm_or_si128(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    }
    static __m256i quantise_half(const double* values, const Quantiser<double>& by, std::uint32_t& exceptions) {
        const __m512d x = _mm512_loadu_pd(values);
        const __m256i q = _mm512_cvtpd_epi32(_mm512_mul_pd(x, _mm512_set1_pd(by.inverse_step)));
        const __m512d restored = _mm512_mul_pd(_mm512_cvtepi32_pd(q), _mm512_set1_pd(by.step));
        const __m512d error = _mm512_sub_pd(x, restored);
        const __mmask8 far = _mm512_cmp_pd_mask(_mm512_abs_pd(error), _mm512_set1_pd(by.bound), _CMP_NLE_UQ);
        exceptions = static_cast<std::uint32_t>(far | _mm512_fpclass_pd_mask(x, negative_zero_or_denormal));
        if (by.has_fill) {
            const __m512d fill = _mm512_set1_pd(by.fill);
            exceptions |= static_cast<std::uint32_t>(_mm512_cmp_pd_mask(x, fill, _CMP_EQ_OQ) |
                                                     _mm512_cmp_pd_mask(restored, fill, _CMP_EQ_OQ));
        }
        return q;
    }
};

}  // namespace staithe::transform::dq
