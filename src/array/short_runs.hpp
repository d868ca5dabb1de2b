// Copies of a few bytes whose number is known when the loop is chosen, so that each is one or two moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace staithe::array {

inline constexpr std::int64_t longest_short_run = 64;

/// Exactly `Size` bytes.
template <std::size_t Size>
struct Exactly {
    static void copy(std::byte* destination, const std::byte* source) { std::memcpy(destination, source, Size); }
};

/// Any number of bytes from `Half` to 2 * `Half`: two moves that overlap in the middle.
template <std::size_t Half>
struct Between {
    std::size_t size;
    void copy(std::byte* destination, const std::byte* source) const {
        std::byte first[Half];
        std::byte last[Half];
        std::memcpy(first, source, Half);
        std::memcpy(last, source + size - Half, Half);
        std::memcpy(destination, first, Half);
        std::memcpy(destination + size - Half, last, Half);
    }
};

/// Calls `work` with the mover for runs of `size` bytes, 1 to `longest_short_run`.
template <class Work>
void with_short_run(std::int64_t size, Work&& work) {
    const auto bytes = static_cast<std::size_t>(size);
    switch (bytes) {
        case 1: return work(Exactly<1>{});
        case 2: return work(Exactly<2>{});
        case 4: return work(Exactly<4>{});
        case 8: return work(Exactly<8>{});
        case 12: return work(Exactly<12>{});  // three f32, and below three f64: coordinates
        case 16: return work(Exactly<16>{});
        case 24: return work(Exactly<24>{});
        case 32: return work(Exactly<32>{});
        case 64: return work(Exactly<64>{});
        default: break;
    }
    if (bytes < 4) {
        work(Between<2>{bytes});
    } else if (bytes < 8) {
        work(Between<4>{bytes});
    } else if (bytes < 16) {
        work(Between<8>{bytes});
    } else if (bytes < 32) {
        work(Between<16>{bytes});
    } else {
        work(Between<32>{bytes});
    }
}

}  // namespace staithe::array
