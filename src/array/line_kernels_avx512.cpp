// Copies through registers of 64 bytes.
#include "array/line_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace staithe::array {
namespace {

template <bool stream>
struct Line {
    static void copy(std::byte* to, const std::byte* from) {
        for (std::size_t at = 0; at < cache_line; at += sizeof(__m512i)) {
            const __m512i value = _mm512_loadu_si512(from + at);
            if constexpr (stream) {
                _mm512_stream_si512(reinterpret_cast<__m512i*>(to + at), value);
            } else {
                _mm512_store_si512(to + at, value);
            }
        }
    }
};

}  // namespace

const LineKernels avx512_kernels = line_kernels_of<Line<false>, Line<true>>(
    "avx512", "avx512 past the cache", "avx512 past the cache, four pages in turn");

}  // namespace staithe::array
#endif
