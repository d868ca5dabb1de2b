// Copies through registers of 64 bytes.
#include "array/line_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace staithe::array {
namespace {

struct Register {
    static __m512i load(const std::byte* from) { return _mm512_loadu_si512(from); }
    static void keep(std::byte* to, __m512i value) { _mm512_store_si512(to, value); }
    static void stream(std::byte* to, __m512i value) { _mm512_stream_si512(reinterpret_cast<__m512i*>(to), value); }
};

}  // namespace

const LineKernels avx512_kernels =
    line_kernels_of<Register>("avx512", "avx512 past the cache", "avx512 past the cache, four pages in turn");

}  // namespace staithe::array
#endif
