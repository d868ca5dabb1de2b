#include "transform/dq/exceptions.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "transform/dq/exception_words.hpp"

namespace staithe::transform::dq {
namespace {

/// The value that most exceptions hold, if any holds many (Boyer and Moore, 1981). One of each chunk of words votes.
template <class T>
T find_common(const TileRows& tile, const std::byte* values, const std::uint16_t* words) {
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

/// The lanes from there on that hold the value.
template <class T>
std::uint16_t lanes_equal(const std::byte* at, T value) {
    T different = 0;
    // gcc makes vectors of these loops, but not of sixteen copies of their bodies.
#pragma GCC unroll 1
    for (std::size_t i = 0; i < group; ++i) {
        different |= static_cast<T>(load<T>(at + i * sizeof(T)) ^ value);
    }
    if (different == 0) {
        return all_lanes;
    }
    std::uint8_t equal[group];
#pragma GCC unroll 1
    for (std::size_t i = 0; i < group; ++i) {
        equal[i] = load<T>(at + i * sizeof(T)) == value ? 1 : 0;
    }
    return static_cast<std::uint16_t>(low_bits(equal) | low_bits(equal + 8) << 8U);
}

/// The same of a word at the end of a row, behind which there may be no more memory.
template <class T>
std::uint16_t lanes_equal(const std::byte* at, std::uint16_t valid, T value) {
    if (valid == all_lanes) {
        return lanes_equal(at, value);
    }
    std::byte some[group * sizeof(T)] = {};
    std::memcpy(some, at, static_cast<std::size_t>(std::countr_one(valid)) * sizeof(T));
    return lanes_equal(some, value) & valid;
}

/// What the layer of one value leaves for that of the others.
struct Rest {
    bool has_common = false;
    std::size_t words = 0;
};

/// Appends the layer of one value, and takes its bits from the words; nothing if it would mean a single value.
template <class T>
Rest append_common(const TileRows& tile, const std::byte* values, std::uint16_t* words, std::vector<std::byte>& out) {
    const std::size_t begin = out.size();
    const T common = find_common<T>(tile, values, words);
    WordsWriter writer(out, tile.exception_words(), tile.exception_words());
    Rest rest;
    std::size_t last_number = 0;
    std::uint16_t last = 0;
    for_each_chunk(tile, values, sizeof(T), words, [&](MarkedWords& chunk) {
        for (std::size_t i = 0; i < chunk.count; ++i) {
            const auto [at, valid] = chunk.places[i];
            const std::uint16_t equal = chunk.words[i] & lanes_equal(values + at, valid, common);
            const auto left = static_cast<std::uint16_t>(chunk.words[i] ^ equal);
            words[chunk.numbers[i]] = left;
            rest.words += left != 0 ? 1 : 0;
            chunk.words[i] = equal;
            last_number = equal != 0 ? chunk.numbers[i] : last_number;
            last = equal != 0 ? equal : last;
        }
        writer.add(chunk);
    });
    rest.has_common = writer.added() > 1 || !std::has_single_bit(last);
    if (rest.has_common) {
        writer.finish();
        const auto* const bytes = reinterpret_cast<const std::byte*>(&common);
        out.insert(out.end(), bytes, bytes + sizeof(common));
    } else {
        out.resize(begin);
        rest.words += words[last_number] == 0 ? 1 : 0;
        words[last_number] |= last;
    }
    return rest;
}

/// Appends the layer of all values that the words mean, `marked` of which are not 0.
template <class T>
void append_others(const TileRows& tile, const std::byte* values, const std::uint16_t* words, std::size_t marked,
                   std::vector<std::byte>& out) {
    WordsWriter writer(out, tile.exception_words(), marked);
    std::size_t others = 0;
    for_each_chunk(tile, values, sizeof(T), words, [&](const MarkedWords& chunk) {
        writer.add(chunk);
        for (std::size_t i = 0; i < chunk.count; ++i) {
            others += static_cast<std::size_t>(std::popcount(chunk.words[i]));
        }
    });
    writer.finish();
    const std::size_t begin = out.size();
    out.resize(begin + others * sizeof(T));
    std::byte* to = out.data() + begin;
    for_each_chunk(tile, values, sizeof(T), words, [&](const MarkedWords& chunk) {
        for (std::size_t i = 0; i < chunk.count; ++i) {
            for_each_lane(chunk.words[i], [&](std::size_t lane) {
                std::memcpy(to, values + chunk.places[i].at + lane * sizeof(T), sizeof(T));
                to += sizeof(T);
            });
        }
    });
}

template <class T>
std::uint8_t append_layers(const TileRows& tile, const std::byte* values, std::uint16_t* words,
                           std::vector<std::byte>& out) {
    const Rest rest = append_common<T>(tile, values, words, out);
    if (rest.words > 0) {
        append_others<T>(tile, values, words, rest.words, out);
    }
    return static_cast<std::uint8_t>((rest.has_common ? has_common : 0) | (rest.words > 0 ? has_others : 0));
}

template <class T>
bool restore_common(Taker& in, const TileRows& tile, std::byte* values) {
    const WordsReader words(in, tile);
    const auto common = in.take(sizeof(T));
    if (in.broken()) {
        return false;
    }
    T sixteen[group];
    std::fill_n(sixteen, group, load<T>(common.data()));
    return words.for_each(tile, sizeof(T), [&](std::ptrdiff_t at, std::uint16_t word) {
        if (word == all_lanes) {
            std::memcpy(values + at, sixteen, sizeof(sixteen));
        } else {
            for_each_lane(word,
                          [&](std::size_t lane) { std::memcpy(values + at + lane * sizeof(T), sixteen, sizeof(T)); });
        }
        return true;
    });
}

template <class T>
bool restore_others(Taker& in, const TileRows& tile, std::byte* values) {
    const WordsReader words(in, tile);
    return !in.broken() && words.for_each(tile, sizeof(T), [&](std::ptrdiff_t at, std::uint16_t word) {
        const auto own = in.take(static_cast<std::size_t>(std::popcount(word)) * sizeof(T));
        if (in.broken()) {
            return false;
        }
        const std::byte* next = own.data();
        for_each_lane(word, [&](std::size_t lane) {
            std::memcpy(values + at + lane * sizeof(T), next, sizeof(T));
            next += sizeof(T);
        });
        return true;
    });
}

template <class T>
bool restore_layers(std::span<const std::byte> in, std::uint8_t layers, const TileRows& tile, std::byte* values) {
    Taker taker(in);
    return ((layers & has_common) == 0 || restore_common<T>(taker, tile, values)) &&
           ((layers & has_others) == 0 || restore_others<T>(taker, tile, values)) && taker.empty();
}

}  // namespace

std::uint8_t append_exceptions(const TileRows& tile, const std::byte* values, std::size_t item, std::uint16_t* words,
                               std::vector<std::byte>& out) {
    switch (item) {
        case 1: return append_layers<std::uint8_t>(tile, values, words, out);
        case 2: return append_layers<std::uint16_t>(tile, values, words, out);
        case 4: return append_layers<std::uint32_t>(tile, values, words, out);
        default: return append_layers<std::uint64_t>(tile, values, words, out);
    }
}

bool restore_exceptions(std::span<const std::byte> in, std::uint8_t layers, const TileRows& tile, std::byte* values,
                        std::size_t item) {
    switch (item) {
        case 1: return restore_layers<std::uint8_t>(in, layers, tile, values);
        case 2: return restore_layers<std::uint16_t>(in, layers, tile, values);
        case 4: return restore_layers<std::uint32_t>(in, layers, tile, values);
        default: return restore_layers<std::uint64_t>(in, layers, tile, values);
    }
}

}  // namespace staithe::transform::dq
