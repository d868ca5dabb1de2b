// Plain loops, in a shape that compilers turn into the vector instructions that every processor has. That is faster by
// an order of magnitude than any of the compressors, so that newer instructions would be no gain.
#include "transform/shuffled/shuffles.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace staithe::transform::shuffled {
namespace {

// Elements are taken by so many; planes of a block lie at fixed distances, else the compiler would have to suspect that
// they overlap.
constexpr std::size_t block = 512;
static_assert(block % 8 == 0);

template <std::size_t item>
void split(const std::byte* from, std::size_t count, std::byte* planes) {
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t plane = 0; plane < item; ++plane) {
            planes[plane * block + i] = from[i * item + plane];
        }
    }
}

template <std::size_t item>
void join(const std::byte* planes, std::size_t count, std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t plane = 0; plane < item; ++plane) {
            to[i * item + plane] = planes[plane * block + i];
        }
    }
}

/// Eight bytes as a square of bits, turned over its diagonal.
void turn(std::byte* bytes, std::size_t count) {
    for (std::size_t i = 0; i < count; i += 8) {
        std::uint64_t square = 0;
        std::memcpy(&square, bytes + i, sizeof(square));
        std::uint64_t moved = (square ^ (square >> 7)) & 0x00AA00AA00AA00AA;
        square ^= moved ^ (moved << 7);
        moved = (square ^ (square >> 14)) & 0x0000CCCC0000CCCC;
        square ^= moved ^ (moved << 14);
        moved = (square ^ (square >> 28)) & 0x00000000F0F0F0F0;
        square ^= moved ^ (moved << 28);
        std::memcpy(bytes + i, &square, sizeof(square));
    }
}

/// Calls with the first element of each block and how many it has.
template <class Call>
void for_each_block(std::size_t elements, const Call& call) {
    for (std::size_t begin = 0; begin < elements; begin += block) {
        call(begin, std::min(block, elements - begin));
    }
}

template <std::size_t item>
struct Bytes {
    static void apply(const std::byte* from, std::size_t elements, std::byte* to) {
        alignas(64) std::byte planes[item * block];
        for_each_block(elements, [&](std::size_t begin, std::size_t count) {
            split<item>(from + begin * item, count, planes);
            for (std::size_t plane = 0; plane < item; ++plane) {
                std::memcpy(to + plane * elements + begin, planes + plane * block, count);
            }
        });
    }

    static void undo(const std::byte* from, std::size_t elements, std::byte* to) {
        alignas(64) std::byte planes[item * block];
        for_each_block(elements, [&](std::size_t begin, std::size_t count) {
            for (std::size_t plane = 0; plane < item; ++plane) {
                std::memcpy(planes + plane * block, from + plane * elements + begin, count);
            }
            join<item>(planes, count, to + begin * item);
        });
    }
};

/// The bytes of a plane, turned eight by eight, are elements of eight bytes: what is left is to split those.
template <std::size_t item>
struct Bits {
    static void apply(const std::byte* from, std::size_t elements, std::byte* to) {
        const std::size_t whole = elements / 8 * 8;  // the others stay as they are
        alignas(64) std::byte planes[item * block];
        alignas(64) std::byte bits[8 * block];
        for_each_block(whole, [&](std::size_t begin, std::size_t count) {
            split<item>(from + begin * item, count, planes);
            for (std::size_t plane = 0; plane < item; ++plane) {
                turn(planes + plane * block, count);
                split<8>(planes + plane * block, count / 8, bits);
                for (std::size_t bit = 0; bit < 8; ++bit) {
                    std::memcpy(to + ((8 * plane + bit) * whole + begin) / 8, bits + bit * block, count / 8);
                }
            }
        });
        std::memcpy(to + whole * item, from + whole * item, (elements - whole) * item);
    }

    static void undo(const std::byte* from, std::size_t elements, std::byte* to) {
        const std::size_t whole = elements / 8 * 8;
        alignas(64) std::byte planes[item * block];
        alignas(64) std::byte bits[8 * block];
        for_each_block(whole, [&](std::size_t begin, std::size_t count) {
            for (std::size_t plane = 0; plane < item; ++plane) {
                for (std::size_t bit = 0; bit < 8; ++bit) {
                    std::memcpy(bits + bit * block, from + ((8 * plane + bit) * whole + begin) / 8, count / 8);
                }
                join<8>(bits, count / 8, planes + plane * block);
                turn(planes + plane * block, count);
            }
            join<item>(planes, count, to + begin * item);
        });
        std::memcpy(to + whole * item, from + whole * item, (elements - whole) * item);
    }
};

/// The bytes of an element are those of some dtype: a power of two up to 32.
template <template <std::size_t> class Kind>
constexpr auto with_item = [](std::size_t item, const auto& call) {
    switch (item) {
        case 1: return call(Kind<1>{});
        case 2: return call(Kind<2>{});
        case 4: return call(Kind<4>{});
        case 8: return call(Kind<8>{});
        case 16: return call(Kind<16>{});
        default: return call(Kind<32>{});
    }
};

template <template <std::size_t> class Kind>
constexpr Shuffle shuffle_of(std::string_view name, std::string_view what) {
    return {name, what,
            [](std::span<const std::byte> elements, std::size_t item, std::span<std::byte> to) {
                with_item<Kind>(item,
                                [&](auto kind) { kind.apply(elements.data(), elements.size() / item, to.data()); });
            },
            [](std::span<const std::byte> from, std::size_t item, std::span<std::byte> elements) {
                with_item<Kind>(item, [&](auto kind) { kind.undo(from.data(), from.size() / item, elements.data()); });
            }};
}

}  // namespace

const Shuffle byte_shuffle = shuffle_of<Bytes>("shuffle", "bytes");
const Shuffle bit_shuffle = shuffle_of<Bits>("bitshuffle", "bits");

}  // namespace staithe::transform::shuffled
