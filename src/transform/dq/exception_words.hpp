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

namespace staithe::transform::dq {

inline constexpr std::uint16_t all_lanes = 0xFFFF;
inline constexpr std::size_t chunk_bits = 64;

template <class T>
T load(const std::byte* from) {
    T value{};
    std::memcpy(&value, from, sizeof(value));
    return value;
}

/// The lowest bits of eight bytes, the others of which are 0.
inline std::uint64_t low_bits(const std::uint8_t* bytes) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes, sizeof(eight));
    return eight * 0x0102040810204080U >> 56U;
}

/// Which of the words are not 0; at most `chunk_bits` of them.
inline std::uint64_t marked_words(const std::uint16_t* words, std::size_t count) {
    std::uint16_t filled_up[chunk_bits];
    if (count < chunk_bits) {
        std::fill(std::copy_n(words, count, filled_up), filled_up + chunk_bits, std::uint16_t{0});
        words = filled_up;
    }
    std::uint8_t marked[chunk_bits];
    for (std::size_t i = 0; i < chunk_bits; ++i) {
        marked[i] = words[i] != 0 ? 1 : 0;
    }
    std::uint64_t bits = 0;
    for (unsigned i = 0; i < chunk_bits; i += 8) {
        bits |= low_bits(marked + i) << i;
    }
    return bits;
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
    std::size_t begin = 0;  // of the chunk
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
        found.begin = begin;
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

/// Appends the words of a layer, chunk by chunk.
class WordsWriter {
  public:
    /// Of a tile of so many `words`; at most `marked` of them, but one at the least, will be added. Nothing else may be
    /// appended to `out` before `finish`.
    WordsWriter(std::vector<std::byte>& out, std::size_t words, std::size_t marked)
        : out_(out),
          begin_(out.size()),
          words_(words),
          all_at_(begin_ + room(words)),
          mixed_at_(all_at_ + room(marked + 1)) {
        out.resize(mixed_at_ + (marked + 1) * sizeof(std::uint16_t));  // the last one is written, but not kept
        mixed_ = out.data() + mixed_at_;
    }
    void add(const MarkedWords& chunk) {
        std::uint64_t any = 0;
        std::uint64_t all = all_;
        std::size_t added = added_;
        std::byte* mixed = mixed_;
        for (std::size_t i = 0; i < chunk.count; ++i) {
            const std::uint16_t word = chunk.words[i];
            if (word == 0) {
                continue;
            }
            const bool is_all = word == chunk.places[i].valid;
            any |= std::uint64_t{1} << chunk.numbers[i] % chunk_bits;
            all |= static_cast<std::uint64_t>(is_all) << added % chunk_bits;
            std::memcpy(mixed, &word, sizeof(word));
            mixed += is_all ? 0 : sizeof(word);
            if (++added % chunk_bits == 0) {
                store(all_at_, added - chunk_bits, all);
                all = 0;
            }
        }
        store(begin_, chunk.begin, any);
        all_ = all;
        added_ = added;
        mixed_ = mixed;
    }
    [[nodiscard]] std::size_t added() const { return added_; }
    /// Closes the gaps, which are there since nobody knew how many words would come.
    void finish() {
        store(all_at_, added_ / chunk_bits * chunk_bits, all_);
        std::byte* to = out_.data() + begin_ + (words_ + 7) / 8;
        to = std::copy_n(out_.data() + all_at_, (added_ + 7) / 8, to);
        to = std::copy(out_.data() + mixed_at_, mixed_, to);
        out_.resize(static_cast<std::size_t>(to - out_.data()));
    }

  private:
    static std::size_t room(std::size_t bits) { return (bits + chunk_bits - 1) / chunk_bits * sizeof(std::uint64_t); }
    void store(std::size_t at, std::size_t bit, std::uint64_t chunk) {
        std::memcpy(out_.data() + at + bit / 8, &chunk, sizeof(chunk));
    }

    std::vector<std::byte>& out_;
    const std::size_t begin_;
    const std::size_t words_;
    const std::size_t all_at_;
    const std::size_t mixed_at_;
    std::uint64_t all_ = 0;  // the chunk that is not full yet
    std::byte* mixed_ = nullptr;
    std::size_t added_ = 0;
};

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
    [[nodiscard]] bool operator[](std::size_t number) const {
        return (bytes_[number / 8] >> number % 8 & std::byte{1}) != std::byte{0};
    }
    /// The bits from there on, which is the beginning of a chunk; behind the last one are zeros.
    [[nodiscard]] std::uint64_t chunk(std::size_t begin) const {
        std::uint64_t bits = 0;
        std::memcpy(&bits, bytes_.data() + begin / 8, std::min(sizeof(bits), bytes_.size() - begin / 8));
        const std::size_t left = count_ - begin;
        return left < chunk_bits ? bits & ((std::uint64_t{1} << left) - 1) : bits;
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

/// The words of a layer, as `WordsWriter` wrote them.
class WordsReader {
  public:
    WordsReader(Taker& in, const TileRows& tile)
        : any_(in, tile.exception_words()), all_(in, any_.ones()), mixed_(in.take(2 * (all_.count() - all_.ones()))) {}

    /// Calls for each word, if there was enough to take: how far its values lie from the first value of the tile, and
    /// which of them are meant. Goes on until the call returns false, and returns whether it never did.
    template <class Call>
    bool for_each(const TileRows& tile, std::size_t item, const Call& call) const {
        Places places(tile, item);
        const std::byte* next_mixed = mixed_.data();
        std::size_t seen = 0;
        for (std::size_t begin = 0; begin < any_.count(); begin += chunk_bits) {
            for (std::uint64_t marked = any_.chunk(begin); marked != 0; marked &= marked - 1) {
                const Place place = places.of(begin + static_cast<std::size_t>(std::countr_zero(marked)));
                std::uint16_t word = place.valid;
                if (!all_[seen++]) {
                    word &= load<std::uint16_t>(next_mixed);
                    next_mixed += sizeof(word);
                }
                if (!call(place.at, word)) {
                    return false;
                }
            }
        }
        return true;
    }

  private:
    Bits any_;
    Bits all_;  // of those
    std::span<const std::byte> mixed_;
};

}  // namespace staithe::transform::dq
