// The inner loops over elements that lie densely, compiled for several widths of registers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <staithe/dtype.hpp>

#include "store/space/condition.hpp"
#include "store/space/statistics.hpp"

namespace staithe::store::space {

/// So many elements are looked at in turn, so that they and what is made of them stay in the cache.
inline constexpr std::int64_t chunk_elements = 8192;

/// The dtype in which the kernels see elements of another: processors compare no f16, and a byte of another process may
/// be neither true nor false.
[[nodiscard]] constexpr Dtype compared_as(Dtype dtype) {
    return dtype == Dtype::boolean ? Dtype::u8 : dtype == Dtype::f16 ? Dtype::f32 : dtype;
}

/// One byte an element: 1 where it has the relation to the constant, which its dtype has; else 0.
using Compare = void(const std::byte* elements, std::int64_t count, Number constant, std::uint8_t* mask);
using Summarize = Statistics(const std::byte* elements, std::int64_t count);
/// The ones of a mask.
using CountHits = std::int64_t(const std::uint8_t* mask, std::int64_t count);

/// For at most `chunk_elements` at a time. By dtype: none for those that are compared as others, and none for the order
/// of complex numbers.
struct Kernels {
    std::array<std::array<Compare*, relation_count>, dtype_count> compare{};
    std::array<Summarize*, dtype_count> summarize{};
    CountHits* count_hits = nullptr;
};

extern const Kernels plain_kernels;
#if defined(__x86_64__)
extern const Kernels avx2_kernels;
#endif

/// The widest that this processor has.
[[nodiscard]] const Kernels& kernels();

}  // namespace staithe::store::space
