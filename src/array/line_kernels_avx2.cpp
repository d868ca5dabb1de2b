// Copies through registers of 32 bytes.
#include "array/line_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace staithe::array {
namespace {

template <bool stream>
struct Line {
    static void copy(std::byte* to, const std::byte* from) {
        for (std::size_t at = 0; at < cache_line; at += sizeof(__m256i)) {
            const __m256i value = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + at));
            if constexpr (stream) {
                _mm256_stream_si256(reinterpret_cast<__m256i*>(to + at), value);
            } else {
                _mm256_store_si256(reinterpret_cast<__m256i*>(to + at), value);
            }
        }
    }
};

}  // namespace

const LineKernels avx2_kernels =
    line_kernels_of<Line<false>, Line<true>>("avx2", "avx2 past the cache", "avx2 past the cache, four pages in turn");

}  // namespace staithe::array
#endif
