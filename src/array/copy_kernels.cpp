#include "array/copy_kernels.hpp"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <emmintrin.h>
#endif

namespace staithe::array {
namespace {

void copy_by_library(std::byte* to, const std::byte* from, std::size_t size, std::int64_t /*ahead*/) {
    std::memcpy(to, from, size);
}

#if defined(__x86_64__)

// A sanitizer sees memcpy, but no assembler.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool instrumented = true;
#elif defined(__has_feature)
constexpr bool instrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool instrumented = false;
#endif

bool has_fast_strings() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 9U)) != 0;  // "ERMS"
}

// Knows the length, and so writes whole lines without reading them first.
void copy_by_string_instruction(std::byte* to, const std::byte* from, std::size_t size, std::int64_t /*ahead*/) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size)::"memory");
}

#endif

std::vector<CopyKernel> find_kernels() {
    std::vector<CopyKernel> found{{"memcpy", copy_by_library}};
#if defined(__x86_64__)
    if (!instrumented && has_fast_strings()) {
        found.push_back({"string", copy_by_string_instruction});
    }
    const auto add = [&](const LineKernels& kernels) {
        for (const CopyKernel& kernel : kernels) {
            const auto first_streaming =
                std::find_if(found.begin(), found.end(), [](const CopyKernel& other) { return other.streams; });
            found.insert(kernel.streams ? found.end() : first_streaming, kernel);
        }
    };
    if (__builtin_cpu_supports("avx2")) {
        add(avx2_kernels);
    } else {
        add(sse2_kernels);
    }
    if (__builtin_cpu_supports("avx512f")) {
        add(avx512_kernels);
    }
#endif
    return found;
}

}  // namespace

const std::vector<CopyKernel>& copy_kernels() {
    static const std::vector<CopyKernel> kernels = find_kernels();
    return kernels;
}

void finish_streaming() noexcept {
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

}  // namespace staithe::array
