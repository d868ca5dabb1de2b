// Copies by whole cache lines of the destination, for the files that are compiled for one width of registers.
//
// A `Register` has `load(from)`, from any address, and `keep(to, value)` and `stream(to, value)`, to one that begins a
// register: in the cache, and past it. It belongs to one of those files alone, so that no two of them share a function
// made of these templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "array/copy_kernels.hpp"

namespace staithe::array {

// The hardware fetches ahead within a page only.
inline constexpr std::size_t page = 4096;

template <class Register, bool streams>
void copy_line(std::byte* to, const std::byte* from) {
    for (std::size_t at = 0; at < cache_line; at += sizeof(Register::load(from))) {
        const auto value = Register::load(from + at);
        if constexpr (streams) {
            Register::stream(to + at, value);
        } else {
            Register::keep(to + at, value);
        }
    }
}

/// So many pages in turn, a line of each: the memory of some processors takes several streams faster than one.
template <class Register, bool streams, std::size_t pages>
void copy_lines(std::byte* to, const std::byte* from, std::size_t size, std::int64_t ahead) {
    const std::size_t head = (0 - reinterpret_cast<std::uintptr_t>(to)) % cache_line;
    if (size < head + cache_line) {
        std::memcpy(to, from, size);
        return;
    }
    std::memcpy(to, from, head);
    to += head;
    from += head;
    size -= head;
    if constexpr (pages > 1) {
        for (; size >= pages * page; to += pages * page, from += pages * page, size -= pages * page) {
            for (std::size_t line = 0; line < page; line += cache_line) {
                for (std::size_t at = line; at < pages * page; at += page) {
                    __builtin_prefetch(from + at + ahead);
                    copy_line<Register, streams>(to + at, from + at);
                }
            }
        }
    }
    for (; size >= cache_line; to += cache_line, from += cache_line, size -= cache_line) {
        __builtin_prefetch(from + ahead);
        copy_line<Register, streams>(to, from);
    }
    std::memcpy(to, from, size);
}

template <class Register>
constexpr LineKernels line_kernels_of(const char* plain, const char* streaming, const char* interleaved) {
    return {{{plain, copy_lines<Register, false, 1>, page, false},
             {streaming, copy_lines<Register, true, 1>, page, true},
             {interleaved, copy_lines<Register, true, 4>, 4 * page, true}}};
}

}  // namespace staithe::array
