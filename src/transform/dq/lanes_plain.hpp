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

    static Lanes zero() { return {}; }
    static Lanes load(const Word* from) {
        Lanes lanes;
        std::memcpy(&lanes, from, sizeof(lanes));
        return lanes;
    }
    static void store(Word* to, const Lanes& lanes) { std::memcpy(to, &lanes, sizeof(lanes)); }

    template <class T>
    static Lanes quantise(const T* values, const Quantiser<T>& by, std::uint32_t& exceptions) {
        Lanes lanes;
        exceptions = 0;
        for (unsigned i = 0; i < 16; ++i) {
            const Quantised made = dq::quantise(values[i], by);
            lanes.word[i] = static_cast<Word>(made.value);
            exceptions |= static_cast<std::uint32_t>(made.exception) << i;
        }
        return lanes;
    }
    template <class T>
    static void restore(T* values, const Lanes& lanes, T step) {
        for (unsigned i = 0; i < 16; ++i) {
            values[i] = static_cast<T>(static_cast<std::int32_t>(lanes.word[i])) * step;
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
    /// `others` where the mask has a bit.
    static Lanes replace(Lanes lanes, std::uint32_t mask, const Lanes& others) {
        for (unsigned i = 0; i < 16; ++i) {
            lanes.word[i] = (mask >> i & 1U) != 0 ? others.word[i] : lanes.word[i];
        }
        return lanes;
    }
    /// Each lane less the one before it; before the first stands the last of `before`.
    static Lanes differences(const Lanes& before, const Lanes& lanes) {
        Lanes result;
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

    /// Bits of the largest lane.
    static unsigned width(const Lanes& lanes) {
        Word all = 0;
        for (const Word word : lanes.word) {
            all |= word;
        }
        return static_cast<unsigned>(std::bit_width(all));
    }
    /// Writes `width` bit planes, the lowest first, one word of 16 bits each; returns the place behind them.
    static std::uint16_t* write_planes(std::uint16_t* planes, const Lanes& lanes, unsigned width) {
        for (unsigned bit = 0; bit < width; ++bit) {
            std::uint32_t plane = 0;
            for (unsigned i = 0; i < 16; ++i) {
                plane |= static_cast<std::uint32_t>(lanes.word[i] >> bit & 1U) << i;
            }
            *planes++ = static_cast<std::uint16_t>(plane);
        }
        return planes;
    }
    static Lanes read_planes(const std::uint16_t* planes, unsigned width) {
        Lanes lanes{};
        for (unsigned bit = 0; bit < width; ++bit) {
            for (unsigned i = 0; i < 16; ++i) {
                lanes.word[i] |= (Word{planes[bit]} >> i & 1U) << bit;
            }
        }
        return lanes;
    }
};

}  // namespace staithe::transform::dq
