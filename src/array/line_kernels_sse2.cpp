// Copies through registers of 16 bytes.
#include "array/line_kernels.hpp"

#if defined(__x86_64__)
#include <emmintrin.h>

namespace staithe::array {
namespace {

struct Register {
    static __m128i load(const std::byte* from) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from)); }
    static void keep(std::byte* to, __m128i value) { _mm_store_si128(reinterpret_cast<__m128i*>(to), value); }
    static void stream(std::byte* to, __m128i value) { _mm_stream_si128(reinterpret_cast<__m128i*>(to), value); }
};

}  // namespace

const LineKernels sse2_kernels =
    line_kernels_of<Register>("sse2", "sse2 past the cache", "sse2 past the cache, four pages in turn");

}  // namespace staithe::array
#endif
