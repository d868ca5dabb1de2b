// Copies through registers of 32 bytes.
#include "array/line_kernels.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace staithe::array {
namespace {

struct Register {
    static __m256i load(const std::byte* from) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)); }
    static void keep(std::byte* to, __m256i value) { _mm256_store_si256(reinterpret_cast<__m256i*>(to), value); }
    static void stream(std::byte* to, __m256i value) { _mm256_stream_si256(reinterpret_cast<__m256i*>(to), value); }
};

}  // namespace

const LineKernels avx2_kernels =
    line_kernels_of<Register>("avx2", "avx2 past the cache", "avx2 past the cache, four pages in turn");

}  // namespace staithe::array
#endif
