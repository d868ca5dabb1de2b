// Sixteen lanes as plain loops: the reference for every other kind, what other processors run, and the only one that
// has words of 64 bits.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

#include "transform/dq/quantisation.hpp"

namespace staithe::transform::dq {

template <class Integer>
struct PlainLanes {
    using Word = Integer;
    struct Lanes {
        Word word[16];
    };
    static constexpr unsigned bits = 8 * sizeof(Word);
    static constexpr std::size_t register_bytes = 16;  // which nearly all processors have
    /// Whether `replace` costs less than a branch around it that goes either way.
    static constexpr bool replaces_at_once = false;

    static Lanes zero() { return {}; }
    static Lanes load(const Word* from) {
        Lanes lanes{};
        std::memcpy(&lanes, from, sizeof(lanes));
        return lanes;
    }
    static void store(Word* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof(lanes)); }

    template <class T>
    static Lanes quantise(const T* values, const Quantiser<T>& by, std::uint32_t& exceptions) {
        Lanes lanes{};
        exceptions = 0;
        for (unsigned i = 0; i < 16; ++i) {
            const Quantised made = dq::quantise(values[i], by);
            lanes.word[i] = static_cast<Word>(made.value);
            exceptions |= static_cast<std::uint32_t>(made.exception) << i;
        }
        return lanes;
    }
    /// Which values must come back bit by bit: see comes_back_exactly.
    template <class T>
    static std::uint32_t exact_values(const T* values, T fill) {
        std::uint32_t found = 0;
        for (unsigned i = 0; i < 16; ++i) {
            found |= static_cast<std::uint32_t>(comes_back_exactly(values[i], fill)) << i;
        }
        return found;
    }
    template <class T>
    static void restore(T* values, const Lanes& lanes, T step) {
        for (unsigned i = 0; i < 16; ++i) {
            values[i] = static_cast<T>(static_cast<std::int32_t>(lanes.word[i])) * step;
        }
    }

    /// A bit for each of sixteen integers that equals the value.
    template <class Bits>
    static std::uint32_t equal(const std::byte* integers, Bits value) {
        std::uint8_t found[16];
        // gcc makes a vector of the loop, but not of sixteen copies of its body.
#pragma GCC unroll 1
        for (unsigned i = 0; i < 16; ++i) {
            Bits integer{};
            std::memcpy(&integer, integers + i * sizeof(Bits), sizeof(integer));
            found[i] = integer == value ? 1 : 0;
        }
        return lowest_bits(found) | lowest_bits(found + 8) << 8U;
    }
    /// Writes the value over those of sixteen that have a bit.
    template <class Bits>
    static void put(std::byte* integers, std::uint32_t mask, Bits value) {
        for (; mask != 0; mask &= mask - 1) {
            std::memcpy(integers + static_cast<unsigned>(std::countr_zero(mask)) * sizeof(value), &value,
                        sizeof(value));
        }
    }

    static Lanes add(Lanes a, const Lanes& b) {
        for (unsigned i = 0; i < 16; ++i) {
            a.word[i] += b.word[i];
        }
        return a;
    }
    static Lanes subtract(Lanes a, const Lanes& b) {
        for (unsigned i = 0; i < 16; ++i) {
            a.word[i] -= b.word[i];
        }
        return a;
    }
    static Lanes minimum(Lanes a, const Lanes& b) {
        for (unsigned i = 0; i < 16; ++i) {
            a.word[i] = b.word[i] < a.word[i] ? b.word[i] : a.word[i];
        }
        return a;
    }
    /// `others` where the mask has a bit.
    static Lanes replace(Lanes lanes, std::uint32_t mask, const Lanes& others) {
        for (unsigned i = 0; i < 16; ++i) {
            lanes.word[i] = (mask >> i & 1U) != 0 ? others.word[i] : lanes.word[i];
        }
        return lanes;
    }
    static Lanes splat(Word word) {
        Lanes lanes{};
        for (Word& each : lanes.word) {
            each = word;
        }
        return lanes;
    }
    static Lanes mask(Lanes lanes, Word bits_to_keep) {
        for (Word& word : lanes.word) {
            word &= bits_to_keep;
        }
        return lanes;
    }
    template <unsigned count>
    static Lanes shift_right(Lanes lanes) {
        for (Word& word : lanes.word) {
            word >>= count;
        }
        return lanes;
    }
    template <unsigned count>
    static Lanes shift_left(Lanes lanes) {
        for (Word& word : lanes.word) {
            word <<= count;
        }
        return lanes;
    }
    static Lanes shift_right(Lanes lanes, const Lanes& counts) {
        for (unsigned i = 0; i < 16; ++i) {
            lanes.word[i] >>= counts.word[i];
        }
        return lanes;
    }
    static Lanes shift_left(Lanes lanes, const Lanes& counts) {
        for (unsigned i = 0; i < 16; ++i) {
            lanes.word[i] <<= counts.word[i];
        }
        return lanes;
    }
    static Lanes multiply(Lanes a, const Lanes& b) {
        for (unsigned i = 0; i < 16; ++i) {
            a.word[i] *= b.word[i];
        }
        return a;
    }
    /// The upper halves of the products.
    static Lanes multiply_high(Lanes a, const Lanes& b) {
        for (unsigned i = 0; i < 16; ++i) {
            a.word[i] = static_cast<Word>(std::uint64_t{a.word[i]} * b.word[i] >> 32U);
        }
        return a;
    }
    /// A bit for each lane that is at least as large as the other.
    static std::uint32_t at_least(const Lanes& a, const Lanes& b) {
        std::uint32_t found = 0;
        for (unsigned i = 0; i < 16; ++i) {
            found |= static_cast<std::uint32_t>(a.word[i] >= b.word[i]) << i;
        }
        return found;
    }
    static Lanes gather(const Word* table, Lanes index) {
        for (Word& word : index.word) {
            word = table[word];
        }
        return index;
    }
    /// Of a register.
    static bool any_bit(const void* lanes) {
        std::uint64_t bits[register_bytes / sizeof(std::uint64_t)];
        std::memcpy(bits, lanes, sizeof(bits));
        return (bits[0] | bits[1]) != 0;
    }
    /// Of a table of 64 words.
    static Lanes look_up(const Word* table, const Lanes& index) { return gather(table, index); }
    /// Writes the lower 16 bits of the lanes in the mask, and returns the place behind them; 32 bytes may be written.
    static std::uint16_t* pack_words(std::uint16_t* to, const Lanes& lanes, std::uint32_t mask) {
        for (unsigned i = 0; i < 16; ++i) {
            *to = static_cast<std::uint16_t>(lanes.word[i]);
            to += mask >> i & 1U;
        }
        return to;
    }
    /// The inverse; the other lanes are 0. 32 bytes may be read.
    static Lanes unpack_words(const std::uint16_t* from, std::uint32_t mask) {
        Lanes lanes{};
        for (unsigned i = 0; i < 16; ++i) {
            lanes.word[i] = (mask >> i & 1U) != 0 ? *from++ : 0;
        }
        return lanes;
    }

    /// Each lane less the one before it; before the first stands the last of `before`.
    static Lanes differences(const Lanes& before, const Lanes& lanes) {
        Lanes result{};
        result.word[0] = lanes.word[0] - before.word[15];
        for (unsigned i = 1; i < 16; ++i) {
            result.word[i] = lanes.word[i] - lanes.word[i - 1];
        }
        return result;
    }
    /// The inverse of `differences`.
    static Lanes sums(const Lanes& before, Lanes lanes) {
        Word sum = before.word[15];
        for (Word& word : lanes.word) {
            word = sum += word;
        }
        return lanes;
    }
    /// Signed numbers as small unsigned ones: 0, -1, 1, -2, … → 0, 1, 2, 3, …
    static Lanes fold_signs(Lanes lanes) {
        for (Word& word : lanes.word) {
            word = word << 1U ^ (Word{0} - (word >> (bits - 1)));
        }
        return lanes;
    }
    static Lanes unfold_signs(Lanes lanes) {
        for (Word& word : lanes.word) {
            word = word >> 1U ^ (Word{0} - (word & 1U));
        }
        return lanes;
    }

    /// All bits of each of eight groups.
    static void combine(const Lanes* groups, Word* all) {
        for (unsigned g = 0; g < 8; ++g) {
            all[g] = 0;
            for (const Word word : groups[g].word) {
                all[g] |= word;
            }
        }
    }
    /// Writes the bit planes of eight groups, the lowest first: of each plane a word for each group that is wider than
    /// that. Returns the place behind them; 16 bytes from there may have been written.
    static std::uint16_t* write_planes(std::uint16_t* planes, const Lanes* groups, const std::uint8_t* widths,
                                       unsigned widest) {
        for (unsigned bit = 0; bit < widest; ++bit) {
            for (unsigned g = 0; g < 8; ++g) {
                if (widths[g] > bit) {
                    std::uint32_t plane = 0;
                    for (unsigned i = 0; i < 16; ++i) {
                        plane |= static_cast<std::uint32_t>(groups[g].word[i] >> bit & 1U) << i;
                    }
                    *planes++ = static_cast<std::uint16_t>(plane);
                }
            }
        }
        return planes;
    }
    /// The inverse. May read 16 bytes from the place behind them.
    static const std::uint16_t* read_planes(const std::uint16_t* planes, Lanes* groups, const std::uint8_t* widths,
                                            unsigned widest) {
        for (unsigned g = 0; g < 8; ++g) {
            groups[g] = zero();
        }
        for (unsigned bit = 0; bit < widest; ++bit) {
            for (unsigned g = 0; g < 8; ++g) {
                if (widths[g] > bit) {
                    for (unsigned i = 0; i < 16; ++i) {
                        groups[g].word[i] |= (Word{*planes} >> i & 1U) << bit;
                    }
                    ++planes;
                }
            }
        }
        return planes;
    }

  private:
    /// The lowest bits of eight bytes, the others of which are 0.
    static std::uint32_t lowest_bits(const std::uint8_t* bytes) {
        std::uint64_t eight = 0;
        std::memcpy(&eight, bytes, sizeof(eight));
        return static_cast<std::uint32_t>(eight * 0x0102040810204080U >> 56U);
    }
};

}  // namespace staithe::transform::dq
