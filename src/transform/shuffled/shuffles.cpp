// Plain loops, in a shape that compilers turn into the vector instructions that every processor has. That is several
// times faster than any of the compressors, so that newer instructions would gain little.
#include "transform/shuffled/shuffles.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace staithe::transform::shuffled {
namespace {

// Elements are taken by so many, which fit a core's first cache. Planes of a block lie at fixed distances, else the
// compiler would have to suspect that they overlap.
template <std::size_t item>
constexpr std::size_t block = std::min<std::size_t>(2048, 16384 / item);

template <std::size_t item, std::size_t distance>
void split(const std::byte* from, std::size_t count, std::byte* planes) {
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t plane = 0; plane < item; ++plane) {
            planes[plane * distance + i] = from[i * item + plane];
        }
    }
}

template <std::size_t item, std::size_t distance>
void join(const std::byte* planes, std::size_t count, std::byte* to) {
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t plane = 0; plane < item; ++plane) {
            to[i * item + plane] = planes[plane * distance + i];
        }
    }
}

/// Calls with the first element of each block and how many it has.
template <std::size_t item, class Call>
void for_each_block(std::size_t elements, const Call& call) {
    for (std::size_t begin = 0; begin < elements; begin += block<item>) {
        call(begin, std::min(block<item>, elements - begin));
    }
}

template <std::size_t item>
struct Bytes {
    static constexpr std::size_t size = block<item>;

    static void apply(const std::byte* from, std::size_t elements, std::byte* to) {
        alignas(64) std::byte planes[item * size];
        for_each_block<item>(elements, [&](std::size_t begin, std::size_t count) {
            split<item, size>(from + begin * item, count, planes);
            for (std::size_t plane = 0; plane < item; ++plane) {
                std::memcpy(to + plane * elements + begin, planes + plane * size, count);
            }
        });
    }

    static void undo(const std::byte* from, std::size_t elements, std::byte* to) {
        alignas(64) std::byte planes[item * size];
        for_each_block<item>(elements, [&](std::size_t begin, std::size_t count) {
            for (std::size_t plane = 0; plane < item; ++plane) {
                std::memcpy(planes + plane * size, from + plane * elements + begin, count);
            }
            join<item, size>(planes, count, to + begin * item);
        });
    }
};

/// Eight rows of bytes. The bytes at one place of all of them are a square of 8 × 8 bits.
template <std::size_t row_bytes>
class Squares {
  public:
    static constexpr std::size_t row = row_bytes;

    std::byte* bytes() { return reinterpret_cast<std::byte*>(words_); }

    /// Each square over its diagonal, in words of the squares of eight places.
    void turn() {
        exchange<4>(0x0F0F0F0F0F0F0F0F);
        exchange<2>(0x3333333333333333);
        exchange<1>(0x5555555555555555);
    }

  private:
    /// The high bits of one row are exchanged for the low bits of the row that is so far `apart`, in all pairs of rows.
    template <std::size_t apart>
    void exchange(std::uint64_t low) {
        for (std::size_t i = 0; i < 8; ++i) {
            if ((i & apart) == 0) {
                for (std::size_t word = 0; word < row_bytes / 8; ++word) {
                    const std::uint64_t moved = ((words_[i][word] >> apart) ^ words_[i + apart][word]) & low;
                    words_[i + apart][word] ^= moved;
                    words_[i][word] ^= moved << apart;
                }
            }
        }
    }

    alignas(64) std::uint64_t words_[8][row_bytes / 8] = {};
};

/// A plane of bytes, taken apart into its every eighth bytes, is rows of squares; turned, they are planes of bits.
template <std::size_t item>
struct Bits {
    static constexpr std::size_t size = block<item>;
    using Rows = Squares<size / 8>;

    static void apply(const std::byte* from, std::size_t elements, std::byte* to) {
        const std::size_t whole = elements / 8 * 8;  // the others stay as they are
        alignas(64) std::byte planes[item * size];
        Rows rows;
        for_each_block<item>(whole, [&](std::size_t begin, std::size_t count) {
            split<item, size>(from + begin * item, count, planes);
            for (std::size_t plane = 0; plane < item; ++plane) {
                split<8, Rows::row>(planes + plane * size, count / 8, rows.bytes());
                rows.turn();
                for (std::size_t bit = 0; bit < 8; ++bit) {
                    std::memcpy(to + ((8 * plane + bit) * whole + begin) / 8, rows.bytes() + bit * Rows::row,
                                count / 8);
                }
            }
        });
        std::memcpy(to + whole * item, from + whole * item, (elements - whole) * item);
    }

    static void undo(const std::byte* from, std::size_t elements, std::byte* to) {
        const std::size_t whole = elements / 8 * 8;
        alignas(64) std::byte planes[item * size];
        Rows rows;
        for_each_block<item>(whole, [&](std::size_t begin, std::size_t count) {
            for (std::size_t plane = 0; plane < item; ++plane) {
                for (std::size_t bit = 0; bit < 8; ++bit) {
                    std::memcpy(rows.bytes() + bit * Rows::row, from + ((8 * plane + bit) * whole + begin) / 8,
                                count / 8);
                }
                rows.turn();
                join<8, Rows::row>(rows.bytes(), count / 8, planes + plane * size);
            }
            join<item, size>(planes, count, to + begin * item);
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
