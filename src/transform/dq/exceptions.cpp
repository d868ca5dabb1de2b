#include "transform/dq/exceptions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace staithe::transform::dq {
namespace {

/// Calls for each word of the tile: its number, the address of its first value, the bits that stand for values.
template <class Call>
void for_each_word(const TileRows& tile, std::size_t item, const Call& call) {
    std::size_t number = 0;
    for_each_row(tile, [&](std::size_t /*w*/, std::size_t /*z*/, std::size_t /*y*/, std::ptrdiff_t row) {
        for (std::size_t x = 0; x < tile.count[3]; x += group) {
            const std::size_t length = std::min(group, tile.count[3] - x);
            call(number++, row + static_cast<std::ptrdiff_t>(x * item), static_cast<std::uint16_t>((1U << length) - 1));
        }
    });
}

/// Bits one after the other, the lowest of a byte first.
class BitWriter {
  public:
    void add(bool bit) {
        if (bits_ % 8 == 0) {
            bytes_.push_back(std::byte{0});
        }
        bytes_.back() |= static_cast<std::byte>(static_cast<unsigned>(bit) << bits_++ % 8);
    }
    [[nodiscard]] const std::vector<std::byte>& bytes() const { return bytes_; }

  private:
    std::vector<std::byte> bytes_;
    std::size_t bits_ = 0;
};

bool bit_of(std::span<const std::byte> bytes, std::size_t number) {
    return (bytes[number / 8] >> number % 8 & std::byte{1}) != std::byte{0};
}

template <class T>
void append(std::vector<std::byte>& out, const T* from, std::size_t count) {
    const auto* bytes = reinterpret_cast<const std::byte*>(from);
    out.insert(out.end(), bytes, bytes + count * sizeof(T));
}

/// Appends which values the words mean.
void append_words(const TileRows& tile, std::size_t item, const std::uint16_t* words, std::vector<std::byte>& out) {
    BitWriter any;
    BitWriter all;
    std::vector<std::uint16_t> mixed;
    for_each_word(tile, item, [&](std::size_t number, std::ptrdiff_t /*at*/, std::uint16_t valid) {
        const std::uint16_t word = words[number];
        any.add(word != 0);
        if (word != 0) {
            all.add(word == valid);
        }
        if (word != 0 && word != valid) {
            mixed.push_back(word);
        }
    });
    append(out, any.bytes().data(), any.bytes().size());
    append(out, all.bytes().data(), all.bytes().size());
    append(out, mixed.data(), mixed.size());
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

std::size_t count_bits(std::span<const std::byte> bytes, std::size_t bits) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < bits; ++i) {
        count += bit_of(bytes, i) ? 1 : 0;
    }
    return count;
}

/// What `append_words` wrote; nothing if there is too little of it.
std::vector<std::uint16_t> take_words(Taker& in, const TileRows& tile) {
    const std::size_t count = tile.exception_words();
    const auto any = in.take((count + 7) / 8);
    if (in.broken()) {
        return {};
    }
    const std::size_t some = count_bits(any, count);
    const auto all = in.take((some + 7) / 8);
    if (in.broken()) {
        return {};
    }
    const auto mixed = in.take(2 * (some - count_bits(all, some)));
    if (in.broken()) {
        return {};
    }
    std::vector<std::uint16_t> words(count);
    std::size_t seen = 0;
    std::size_t next_mixed = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (bit_of(any, i)) {
            words[i] = 0xFFFF;
            if (!bit_of(all, seen++)) {
                std::memcpy(&words[i], mixed.data() + 2 * next_mixed++, sizeof(words[i]));
            }
        }
    }
    return words;
}

/// Calls for the place of each value that the words mean, until the call returns false.
template <class Call>
bool for_each_place(const TileRows& tile, std::size_t item, const std::uint16_t* words, const Call& call) {
    bool go_on = true;
    for_each_word(tile, item, [&](std::size_t number, std::ptrdiff_t at, std::uint16_t valid) {
        for (std::uint16_t word = words[number] & valid; word != 0 && go_on;
             word &= static_cast<std::uint16_t>(word - 1)) {
            const auto lane = static_cast<std::size_t>(std::countr_zero(word));
            go_on = call(number, lane, at + static_cast<std::ptrdiff_t>(lane * item));
        }
    });
    return go_on;
}

/// The value that most places hold, if any holds more than half of them (Boyer and Moore, 1981); else some value.
const std::byte* find_common(const TileRows& tile, const std::byte* values, std::size_t item,
                             const std::uint16_t* words) {
    const std::byte* common = nullptr;
    std::size_t lead = 0;
    for_each_place(tile, item, words, [&](std::size_t /*word*/, std::size_t /*lane*/, std::ptrdiff_t at) {
        if (lead == 0) {
            common = values + at;
        }
        lead += std::memcmp(common, values + at, item) == 0 ? 1 : std::size_t(-1);
        return true;
    });
    return common;
}

}  // namespace

std::uint8_t append_exceptions(const TileRows& tile, const std::byte* values, std::size_t item, std::uint16_t* words,
                               std::vector<std::byte>& out) {
    const std::byte* const common = find_common(tile, values, item, words);
    std::vector<std::uint16_t> with_common(tile.exception_words());
    std::size_t commons = 0;
    std::vector<std::byte> others;
    for_each_place(tile, item, words, [&](std::size_t word, std::size_t lane, std::ptrdiff_t at) {
        if (std::memcmp(common, values + at, item) == 0) {
            with_common[word] |= static_cast<std::uint16_t>(1U << lane);
            ++commons;
        } else {
            append(others, values + at, item);
        }
        return true;
    });
    std::uint8_t layers = 0;
    if (commons > 1) {
        layers |= has_common;
        append_words(tile, item, with_common.data(), out);
        append(out, common, item);
        for (std::size_t i = 0; i < with_common.size(); ++i) {
            words[i] &= static_cast<std::uint16_t>(~with_common[i]);
        }
    } else {
        others.clear();
        for_each_place(tile, item, words, [&](std::size_t /*word*/, std::size_t /*lane*/, std::ptrdiff_t at) {
            append(others, values + at, item);
            return true;
        });
    }
    if (!others.empty()) {
        layers |= has_others;
        append_words(tile, item, words, out);
        append(out, others.data(), others.size());
    }
    return layers;
}

bool restore_exceptions(std::span<const std::byte> in, std::uint8_t layers, const TileRows& tile, std::byte* values,
                        std::size_t item) {
    Taker taker(in);
    for (const std::uint8_t layer : {has_common, has_others}) {
        if ((layers & layer) == 0) {
            continue;
        }
        const std::vector<std::uint16_t> words = take_words(taker, tile);
        if (words.empty()) {
            return false;
        }
        std::span<const std::byte> value;
        if (layer == has_common) {
            value = taker.take(item);
        }
        const bool whole =
            !taker.broken() && for_each_place(tile, item, words.data(),
                                              [&](std::size_t /*word*/, std::size_t /*lane*/, std::ptrdiff_t at) {
                                                  if (layer == has_others) {
                                                      value = taker.take(item);
                                                  }
                                                  if (taker.broken()) {
                                                      return false;
                                                  }
                                                  std::memcpy(values + at, value.data(), item);
                                                  return true;
                                              });
        if (!whole) {
            return false;
        }
    }
    return taker.empty();
}

}  // namespace staithe::transform::dq
