#include "array/copy_bytes.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <emmintrin.h>
#endif

namespace staithe::array {
namespace {

constexpr std::size_t cache_line = 64;

std::size_t bytes_to_next_line(const void* address) {
    return (0 - reinterpret_cast<std::uintptr_t>(address)) % cache_line;
}

}  // namespace

#if defined(__x86_64__)

namespace {

// The string instruction knows the length and so writes whole lines without reading them first; its start costs more
// than it saves below this.
constexpr std::size_t string_threshold = std::size_t{512} << 10;

// The hardware fetches ahead within a page only.
constexpr std::int64_t prefetch_distance = 16384;

bool has_fast_strings() {
    static const bool answer = [] {
        unsigned a = 0;
        unsigned b = 0;
        unsigned c = 0;
        unsigned d = 0;
        return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & (1U << 9U)) != 0;  // "ERMS"
    }();
    return answer;
}

// If the destination lies less than a line above the source, modulo a page, then loads seem to depend on the stores
// just made, and the string instruction falls back to the pace of plain stores.
bool is_aliased(const void* destination, const void* source) {
    const auto distance = reinterpret_cast<std::uintptr_t>(destination) - reinterpret_cast<std::uintptr_t>(source);
    return distance % 4096 > 0 && distance % 4096 < cache_line;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool instrumented = true;
#elif defined(__has_feature)
constexpr bool instrumented = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool instrumented = false;
#endif

}  // namespace

void copy_bytes(void* destination, const void* source, std::size_t size) noexcept {
    // A sanitizer sees memcpy, but no assembler.
    const bool string = size >= string_threshold && !instrumented && has_fast_strings();
    if (string && !is_aliased(destination, source)) {
        asm volatile("rep movsb" : "+D"(destination), "+S"(source), "+c"(size)::"memory");
    } else if (size >= static_cast<std::size_t>(streaming_threshold)) {
        stream_bytes(destination, source, size, prefetch_distance);
        finish_streaming();
    } else {
        std::memcpy(destination, source, size);
    }
}

void stream_bytes(void* destination, const void* source, std::size_t size, std::int64_t ahead) noexcept {
    const std::size_t head = bytes_to_next_line(destination);
    if (size < head + cache_line) {
        std::memcpy(destination, source, size);
        return;
    }
    std::memcpy(destination, source, head);
    auto* to = static_cast<char*>(destination) + head;
    const auto* from = static_cast<const char*>(source) + head;
    std::size_t left = size - head;
    for (; left >= cache_line; left -= cache_line, to += cache_line, from += cache_line) {
        _mm_prefetch(from + ahead, _MM_HINT_T0);
        const auto* lanes = reinterpret_cast<const __m128i*>(from);
        const __m128i first = _mm_loadu_si128(lanes);
        const __m128i second = _mm_loadu_si128(lanes + 1);
        const __m128i third = _mm_loadu_si128(lanes + 2);
        const __m128i fourth = _mm_loadu_si128(lanes + 3);
        auto* line = reinterpret_cast<__m128i*>(to);
        _mm_stream_si128(line, first);
        _mm_stream_si128(line + 1, second);
        _mm_stream_si128(line + 2, third);
        _mm_stream_si128(line + 3, fourth);
    }
    std::memcpy(to, from, left);
}

void finish_streaming() noexcept { _mm_sfence(); }

#else  // elsewhere the C library already knows best

void copy_bytes(void* destination, const void* source, std::size_t size) noexcept {
    std::memcpy(destination, source, size);
}

void stream_bytes(void* destination, const void* source, std::size_t size, std::int64_t /*ahead*/) noexcept {
    std::memcpy(destination, source, size);
}

void finish_streaming() noexcept {}

#endif

}  // namespace staithe::array
