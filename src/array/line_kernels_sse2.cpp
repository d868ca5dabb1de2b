// Copies through registers of 16 bytes.
#include "array/line_kernels.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>

namespace staithe::array {
namespace {

template <bool stream>
struct Line {
    static void copy(std::byte* to, const std::byte* from) {
        for (std::size_t at = 0; at < cache_line; at += sizeof(__m128i)) {
            const __m128i value = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at));
            if constexpr (stream) {
                _mm_stream_si128(reinterpret_cast<__m128i*>(to + at), value);
            } else {
                _mm_store_si128(reinterpret_cast<__m128i*>(to + at), value);
            }
        }
    }
};

}  // namespace

const LineKernels sse2_kernels =
    line_kernels_of<Line<false>, Line<true>>("sse2", "sse2 past the cache", "sse2 past the cache, four pages in turn");

}  // namespace staithe::array
#endif
