// The words that say which values of a tile are exceptions: where the values of a word lie, and how words are written
// and read. Bits stand in 64-bit chunks here, the lowest first, which are bytes in their order in the format.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "transform/dq/coding.hpp"
#include "transform/dq/lanes_plain.hpp"

namespace staithe::transform::dq {

inline constexpr std::uint16_t all_lanes = 0xFFFF;
inline constexpr std::size_t chunk_bits = 64;

template <class T>
T load(const std::byte* from) {
    T value{};
    std::memcpy(&value, from, sizeof(value));
    return value;
}

/// Which of the words are not that one; at most `chunk_bits` of them.
inline std::uint64_t words_other_than(std::uint16_t one, const std::uint16_t* words, std::size_t count) {
    std::uint16_t filled_up[chunk_bits];
    if (count < chunk_bits) {
        std::fill(std::copy_n(words, count, filled_up), filled_up + chunk_bits, one);
        words = filled_up;
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < chunk_bits; i += group) {
        const auto* const sixteen = reinterpret_cast<const std::byte*>(words + i);
        bits |= std::uint64_t{PlainLanes<std::uint32_t>::equal(sixteen, one) ^ all_lanes} << i;
    }
    return bits;
}
/// Which of them are not 0.
inline std::uint64_t marked_words(const std::uint16_t* words, std::size_t count) {
    return words_other_than(0, words, count);
}

/// Calls with the number of each lane that the word means.
template <class Call>
void for_each_lane(std::uint16_t word, const Call& call) {
    for (std::uint32_t lanes = word; lanes != 0; lanes &= lanes - 1) {
        call(static_cast<std::size_t>(std::countr_zero(lanes)));
    }
}

/// How far a word's values lie from the first value of the tile, in bytes, and which lanes the word has.
struct Place {
    std::ptrdiff_t at;
    std::uint16_t valid;
};

/// Finds the places of words by their numbers, which go up.
class Places {
  public:
    Places(const TileRows& tile, std::size_t item)
        : tile_(tile),
          words_(tile.words_of_row()),
          word_bytes_(static_cast<std::ptrdiff_t>(group * item)),
          last_valid_(static_cast<std::uint16_t>((1U << (tile.count[3] - (words_ - 1) * group)) - 1)),
          end_(words_) {}

    Place of(std::size_t number) {
        if (number >= end_) {
            move_to_row_of(number);
        }
        const std::size_t left = end_ - number;
        return {row_ + static_cast<std::ptrdiff_t>(words_ - left) * word_bytes_, left > 1 ? all_lanes : last_valid_};
    }

  private:
    void move_to_row_of(std::size_t number) {
        if (number < end_ + words_ && ++y_ < tile_.count[2]) {  // the next one, without a division
            row_ += tile_.stride[2];
            end_ += words_;
            return;
        }
        const std::size_t row = number / words_;
        y_ = row % tile_.count[2];
        const std::size_t z = row / tile_.count[2] % tile_.count[1];
        const std::size_t w = row / tile_.count[2] / tile_.count[1];
        row_ = static_cast<std::ptrdiff_t>(w) * tile_.stride[0] + static_cast<std::ptrdiff_t>(z) * tile_.stride[1] +
               static_cast<std::ptrdiff_t>(y_) * tile_.stride[2];
        end_ = (row + 1) * words_;
    }

    const TileRows& tile_;
    const std::size_t words_;  // of a row
    const std::ptrdiff_t word_bytes_;
    const std::uint16_t last_valid_;
    std::size_t y_ = 0;
    std::ptrdiff_t row_ = 0;
    std::size_t end_;  // of the row: the number of the next one's first word
};

/// Those words of a chunk that are not 0; only the first `count` of each array are meant.
// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): to clear the arrays would take longer than to use them
struct MarkedWords {
    std::size_t count = 0;
    std::uint16_t words[chunk_bits];
    std::size_t numbers[chunk_bits];
    Place places[chunk_bits];
};

/// Calls for each chunk of words of a tile, if any of them is not 0. The values that they mean are on their way to the
/// cache then.
template <class Call>
void for_each_chunk(const TileRows& tile, const std::byte* values, std::size_t item, const std::uint16_t* words,
                    const Call& call) {
    const std::size_t count = tile.exception_words();
    Places places(tile, item);
    for (std::size_t begin = 0; begin < count; begin += chunk_bits) {
        MarkedWords found;
        for (std::uint64_t marked = marked_words(words + begin, std::min(count - begin, chunk_bits)); marked != 0;
             marked &= marked - 1) {
            const std::size_t number = begin + static_cast<std::size_t>(std::countr_zero(marked));
            const Place place = places.of(number);
            __builtin_prefetch(values + place.at);
            __builtin_prefetch(values + place.at + group * item - 1);
            found.words[found.count] = words[number];
            found.numbers[found.count] = number;
            found.places[found.count++] = place;
        }
        if (found.count > 0) {
            call(found);
        }
    }
}

/// Appends a layer's words, which are used up.
inline void append_words(const TileRows& tile, std::uint16_t* words, std::vector<std::byte>& out) {
    const std::size_t count = tile.exception_words();
    if (const std::size_t in_last = tile.count[3] % group; in_last != 0) {
        // All of its values: the same for the last word of a row.
        const auto whole = static_cast<std::uint16_t>((1U << in_last) - 1);
        for (std::size_t last = tile.words_of_row() - 1; last < count; last += tile.words_of_row()) {
            words[last] = words[last] == whole ? all_lanes : words[last];
        }
    }
    // The bits of words that are all of it are written behind the longest that may come before them, and moved then.
    const auto room = [](std::size_t bits) { return (bits + chunk_bits - 1) / chunk_bits * sizeof(std::uint64_t); };
    const std::size_t begin = out.size();
    out.resize(begin + 2 * room(count) + sizeof(std::uint64_t) + (count + 1) * sizeof(*words));
    std::byte* any = out.data() + begin;
    std::byte* const all = any + room(count);
    std::byte* const mixed = all + room(count) + sizeof(std::uint64_t);
    std::byte* next_mixed = mixed;
    std::uint64_t all_bits = 0;  // of the chunk that is not full yet
    std::size_t added = 0;
    for (std::size_t first = 0; first < count; first += chunk_bits) {
        const std::size_t some = std::min(count - first, chunk_bits);
        const std::uint64_t marked = marked_words(words + first, some);
        std::memcpy(any, &marked, sizeof(marked));
        any += sizeof(marked);
        if (marked == 0) {
            continue;
        }
        const std::uint64_t partial = marked & words_other_than(all_lanes, words + first, some);
        const auto ones = static_cast<std::size_t>(std::popcount(marked));
        std::uint64_t is_all = ~std::uint64_t{0} >> (chunk_bits - ones);
        for (std::uint64_t left = partial; left != 0; left &= left - 1) {
            const std::uint64_t before = marked & (left ^ (left - 1)) >> 1U;
            is_all ^= std::uint64_t{1} << std::popcount(before);
            std::memcpy(next_mixed, words + first + std::countr_zero(left), sizeof(*words));
            next_mixed += sizeof(*words);
        }
        const std::size_t shift = added % chunk_bits;
        all_bits |= is_all << shift;
        if (shift + ones >= chunk_bits) {
            std::memcpy(all + added / chunk_bits * sizeof(all_bits), &all_bits, sizeof(all_bits));
            all_bits = shift == 0 ? 0 : is_all >> (chunk_bits - shift);
        }
        added += ones;
    }
    std::memcpy(all + added / chunk_bits * sizeof(all_bits), &all_bits, sizeof(all_bits));
    std::byte* to = std::copy_n(all, (added + 7) / 8, out.data() + begin + (count + 7) / 8);
    to = std::copy(mixed, next_mixed, to);
    out.resize(static_cast<std::size_t>(to - out.data()));
}

/// Takes bytes from the front of a span, or finds it too short.
class Taker {
  public:
    explicit Taker(std::span<const std::byte> in) : in_(in) {}
    std::span<const std::byte> take(std::size_t bytes) {
        broken_ = broken_ || bytes > in_.size();
        const auto taken = in_.first(broken_ ? 0 : bytes);
        in_ = in_.subspan(taken.size());
        return taken;
    }
    [[nodiscard]] bool broken() const { return broken_; }
    [[nodiscard]] bool empty() const { return in_.empty(); }

  private:
    std::span<const std::byte> in_;
    bool broken_ = false;
};

/// So many bits that were taken; none if there were too few.
class Bits {
  public:
    Bits(Taker& in, std::size_t count) : bytes_(in.take((count + 7) / 8)), count_(in.broken() ? 0 : count) {}

    [[nodiscard]] std::size_t count() const { return count_; }
    /// The bits from there on; behind the last one are zeros.
    [[nodiscard]] std::uint64_t chunk(std::size_t begin) const {
        std::uint64_t bits[2] = {};
        std::memcpy(bits, bytes_.data() + begin / 8, std::min(sizeof(bits), bytes_.size() - begin / 8));
        const std::size_t shift = begin % 8;
        const std::uint64_t found = bits[0] >> shift | bits[1] << 1U << (chunk_bits - 1 - shift);
        const std::size_t left = count_ - begin;
        return left < chunk_bits ? found & ((std::uint64_t{1} << left) - 1) : found;
    }
    [[nodiscard]] std::size_t ones() const {
        std::size_t found = 0;
        for (std::size_t begin = 0; begin < count_; begin += chunk_bits) {
            found += static_cast<std::size_t>(std::popcount(chunk(begin)));
        }
        return found;
    }

  private:
    std::span<const std::byte> bytes_;
    std::size_t count_;
};

/// Takes all words of a layer, as `append_words` wrote them; false if there is too little. Bits behind the end of a row
/// may be set.
inline bool take_words(Taker& in, const TileRows& tile, std::uint16_t* words) {
    const Bits any(in, tile.exception_words());
    const Bits all(in, any.ones());
    const auto mixed = in.take(sizeof(*words) * (all.count() - all.ones()));
    if (in.broken()) {
        return false;
    }
    const auto* const whole = reinterpret_cast<const std::byte*>(&all_lanes);
    const std::byte* next_mixed = mixed.data();
    std::size_t seen = 0;
    for (std::size_t begin = 0; begin < any.count(); begin += chunk_bits) {
        std::uint64_t marked = any.chunk(begin);
        std::fill_n(words + begin, std::min(any.count() - begin, chunk_bits), std::uint16_t{0});
        if (marked == 0) {
            continue;
        }
        std::uint64_t is_all = all.chunk(seen);
        seen += static_cast<std::size_t>(std::popcount(marked));
        for (; marked != 0; marked &= marked - 1, is_all >>= 1U) {
            const bool is_whole = (is_all & 1U) != 0;  // which comes and goes: no branch on it
            std::memcpy(words + begin + std::countr_zero(marked), is_whole ? whole : next_mixed, sizeof(*words));
            next_mixed += is_whole ? 0 : sizeof(*words);
        }
    }
    return true;
}

}  // namespace staithe::transform::dq
