#include "transform/dq/exceptions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace staithe::transform::dq {
namespace {

/// The value that most exceptions hold, if any holds many (Boyer and Moore, 1981). One of each chunk of words votes.
template <class T>
T most_common(const TileRows& tile, const std::byte* values, const std::uint16_t* words) {
    const std::size_t count = tile.exception_words();
    Places places(tile, sizeof(T));
    T common{};
    std::size_t lead = 0;
    for (std::size_t begin = 0; begin < count; begin += chunk_bits) {
        const std::uint64_t marked = marked_words(words + begin, std::min(count - begin, chunk_bits));
        if (marked == 0) {
            continue;
        }
        const std::size_t number = begin + static_cast<std::size_t>(std::countr_zero(marked));
        const auto lane = static_cast<std::size_t>(std::countr_zero(words[number]));
        const T value = load<T>(values + places.of(number).at + lane * sizeof(T));
        common = lead == 0 ? value : common;
        lead += value == common ? 1 : std::size_t(-1);
    }
    return common;
}

/// The lanes from there on that hold the value. At the end of a row there may be no more memory behind them.
template <class T>
std::uint16_t lanes_equal(const std::byte* at, std::uint16_t valid, T value) {
    using Lanes = PlainLanes<std::uint32_t>;
    if (valid == all_lanes) {
        return static_cast<std::uint16_t>(Lanes::equal(at, value));
    }
    std::byte some[group * sizeof(T)] = {};
    std::memcpy(some, at, static_cast<std::size_t>(std::countr_one(valid)) * sizeof(T));
    return static_cast<std::uint16_t>(Lanes::equal(some, value) & valid);
}

void put_back(const TileRows& tile, std::uint16_t* words, CommonExceptions& common) {
    for (std::size_t i = 0; i < tile.exception_words(); ++i) {
        words[i] |= common.words[i];
    }
    common.count = 0;
}

/// Takes them out of the words, unless there is only one, which is shorter among the others. `to` has as many words.
template <class T>
CommonExceptions take_common(const TileRows& tile, const std::byte* values, std::uint16_t* words, std::uint16_t* to) {
    const T value = most_common<T>(tile, values, words);
    CommonExceptions common{to, value, 0};
    std::fill_n(to, tile.exception_words(), std::uint16_t{0});
    for_each_chunk(tile, values, sizeof(T), words, [&](const MarkedWords& chunk) {
        for (std::size_t i = 0; i < chunk.count; ++i) {
            const auto [at, valid] = chunk.places[i];
            const std::uint16_t equal = chunk.words[i] & lanes_equal(values + at, valid, value);
            to[chunk.numbers[i]] = equal;
            words[chunk.numbers[i]] ^= equal;
            common.count += static_cast<std::size_t>(std::popcount(equal));
        }
    });
    if (common.count == 1) {
        put_back(tile, words, common);
    }
    return common;
}

/// Appends the values that the words mean.
template <class T>
void append_values(const TileRows& tile, const std::byte* values, const std::uint16_t* words,
                   std::vector<std::byte>& out) {
    for_each_chunk(tile, values, sizeof(T), words, [&](const MarkedWords& chunk) {
        const std::size_t begin = out.size();
        out.resize(begin + chunk.count * group * sizeof(T));
        std::byte* to = out.data() + begin;
        for (std::size_t i = 0; i < chunk.count; ++i) {
            for_each_lane(chunk.words[i] & chunk.places[i].valid, [&](std::size_t lane) {
                std::memcpy(to, values + chunk.places[i].at + lane * sizeof(T), sizeof(T));
                to += sizeof(T);
            });
        }
        out.resize(static_cast<std::size_t>(to - out.data()));
    });
}

template <class T>
std::uint8_t append_layers(const TileRows& tile, const std::byte* values, std::uint16_t* words,
                           const CommonExceptions& common, std::vector<std::byte>& out) {
    std::uint8_t layers = 0;
    if (common.count > 0) {
        layers |= has_common;
        append_words(tile, common.words, out);
        const T value = static_cast<T>(common.value);
        const auto* const bytes = reinterpret_cast<const std::byte*>(&value);
        out.insert(out.end(), bytes, bytes + sizeof(value));
    }
    if (std::any_of(words, words + tile.exception_words(), [](std::uint16_t word) { return word != 0; })) {
        layers |= has_others;
        append_words(tile, words, out);
        append_values<T>(tile, values, words, out);
    }
    return layers;
}

/// Calls with an integer of so many bytes.
template <class Call>
auto with_integer(std::size_t item, const Call& call) {
    switch (item) {
        case 1: return call(std::uint8_t{});
        case 2: return call(std::uint16_t{});
        case 4: return call(std::uint32_t{});
        default: return call(std::uint64_t{});
    }
}

/// With room for the words of those that hold the common value.
std::uint8_t append_exceptions(const TileRows& tile, const std::byte* values, std::size_t item, std::uint16_t* words,
                               std::uint16_t* of_common, std::vector<std::byte>& out) {
    return with_integer(item, [&](auto zero) {
        using T = decltype(zero);
        const CommonExceptions common = take_common<T>(tile, values, words, of_common);
        return append_layers<T>(tile, values, words, common, out);
    });
}

}  // namespace

std::uint8_t append_exceptions(const TileRows& tile, const std::byte* values, std::size_t item, std::uint16_t* words,
                               std::vector<std::byte>& out) {
    std::vector<std::uint16_t> of_common(tile.exception_words());
    return append_exceptions(tile, values, item, words, of_common.data(), out);
}

std::uint8_t append_exceptions(const TileRows& tile, const std::byte* values, std::size_t item, std::uint16_t* words,
                               std::size_t exceptions, CommonExceptions& common, std::vector<std::byte>& out) {
    if (common.count > 1 && 2 * common.count >= exceptions) {
        return with_integer(item,
                            [&](auto zero) { return append_layers<decltype(zero)>(tile, values, words, common, out); });
    }
    if (common.count > 0) {
        put_back(tile, words, common);
    }
    return append_exceptions(tile, values, item, words, common.words, out);
}

bool StoredExceptions::take_common(CommonExceptions& common) {
    if ((layers_ & has_common) == 0) {
        return true;
    }
    const bool taken = take_words(in_, tile_, words_);
    const auto value = in_.take(item_);
    if (!taken || in_.broken()) {
        return false;
    }
    common.words = words_;
    std::memcpy(&common.value, value.data(), item_);
    return true;
}

void StoredExceptions::put_common(const CommonExceptions& common, std::byte* values) const {
    if (common.words == nullptr) {
        return;
    }
    with_integer(item_, [&](auto zero) {
        using T = decltype(zero);
        T sixteen[group];
        std::fill_n(sixteen, group, static_cast<T>(common.value));
        for_each_chunk(tile_, values, item_, common.words, [&](const MarkedWords& chunk) {
            for (std::size_t i = 0; i < chunk.count; ++i) {
                std::byte* const to = values + chunk.places[i].at;
                if (chunk.words[i] == all_lanes && chunk.places[i].valid == all_lanes) {
                    std::memcpy(to, sixteen, sizeof(sixteen));
                } else {
                    PlainLanes<std::uint32_t>::put(to, chunk.words[i] & chunk.places[i].valid, sixteen[0]);
                }
            }
        });
    });
}

bool StoredExceptions::put_others(std::byte* values) {
    if ((layers_ & has_others) == 0) {
        return in_.empty();
    }
    if (!take_words(in_, tile_, words_)) {
        return false;
    }
    for_each_chunk(tile_, values, item_, words_, [&](const MarkedWords& chunk) {
        for (std::size_t i = 0; i < chunk.count; ++i) {
            const auto word = static_cast<std::uint16_t>(chunk.words[i] & chunk.places[i].valid);
            const auto own = in_.take(static_cast<std::size_t>(std::popcount(word)) * item_);
            if (in_.broken()) {
                return;
            }
            const std::byte* next = own.data();
            for_each_lane(word, [&](std::size_t lane) {
                std::memcpy(values + chunk.places[i].at + lane * item_, next, item_);
                next += item_;
            });
        }
    });
    return !in_.broken() && in_.empty();
}

bool restore_exceptions(std::span<const std::byte> in, std::uint8_t layers, const TileRows& tile, std::byte* values,
                        std::size_t item) {
    std::vector<std::uint16_t> words(layers != 0 ? tile.exception_words() : 0);
    StoredExceptions stored(in, layers, tile, item, words.data());
    CommonExceptions common;
    if (!stored.take_common(common)) {
        return false;
    }
    stored.put_common(common, values);
    return stored.put_others(values);
}

}  // namespace staithe::transform::dq
