// Ways to copy that whoever writes by hand may choose from; the limit is the best of them. A library for ctypes.
#include <cstddef>
#include <cstring>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

extern "C" {

void copy_memcpy(char* to, const char* from, std::size_t size) { std::memcpy(to, from, size); }

#if defined(__x86_64__)

void copy_string(char* to, const char* from, std::size_t size) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size)::"memory");
}

// Ordinary stores, through the widest registers there are.
__attribute__((target_clones("avx512f", "avx2", "default"))) void copy_plain(char* to, const char* from,
                                                                             std::size_t size) {
    for (; size >= 64; to += 64, from += 64, size -= 64) {
        for (int at = 0; at < 64; ++at) {
            to[at] = from[at];
        }
    }
    std::memcpy(to, from, size);
}

static inline void stream_line(char* to, const char* from, std::ptrdiff_t ahead) {
    _mm_prefetch(from + ahead, _MM_HINT_T0);
    for (int at = 0; at < 64; at += 16) {
        _mm_stream_si128(reinterpret_cast<__m128i*>(to + at),
                         _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at)));
    }
}

// The slots begin on pages.
void copy_streaming(char* to, const char* from, std::size_t size) {
    for (; size >= 64; to += 64, from += 64, size -= 64) {
        stream_line(to, from, 4096);
    }
    _mm_sfence();
    std::memcpy(to, from, size);
}

void copy_interleaved(char* to, const char* from, std::size_t size) {
    constexpr std::size_t page = 4096;
    for (; size >= 4 * page; to += 4 * page, from += 4 * page, size -= 4 * page) {
        for (std::size_t line = 0; line < page; line += 64) {
            for (std::size_t at = line; at < 4 * page; at += page) {
                stream_line(to + at, from + at, 4 * page);
            }
        }
    }
    copy_streaming(to, from, size);
}

#endif
}
