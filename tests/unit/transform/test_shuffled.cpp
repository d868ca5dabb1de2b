#include "transform/shuffled/shuffled.hpp"

#include <gtest/gtest.h>

#include "unit/transform/arrays.hpp"

namespace staithe::transform::shuffled {
namespace {

using codecs::Mode;
using testing::like;
using testing::random_walk;

std::vector<const Codec*> present() {
    std::vector<const Codec*> found;
    for (const KnownCodec& known : known_codecs()) {
        if (known.codec != nullptr) {
            found.push_back(known.codec);
        }
    }
    return found;
}

std::vector<std::byte> encoded(const Codec& codec, const ArrayView& tile, Mode mode = Mode::fast) {
    Scratch scratch;
    std::vector<std::byte> out;
    EXPECT_TRUE(codec.encode(tile, {.mode = mode}, scratch, out));
    return out;
}

template <class T>
testing::Array<T> noise(const Extents& shape) {
    std::mt19937_64 random(3);
    testing::Array<T> array{shape, std::vector<T>(static_cast<std::size_t>(*volume(shape)))};
    for (T& value : array.values) {
        value = static_cast<T>(random());
    }
    return array;
}

TEST(Shuffled, DenseIsNoLargerAndAutomaticIsOneOfBoth) {
    const auto tile = random_walk<float>({64, 64, 64}, 1);
    for (const Codec* const codec : present()) {
        const auto fast = encoded(*codec, tile.view(), Mode::fast);
        const auto dense = encoded(*codec, tile.view(), Mode::dense);
        EXPECT_LE(dense.size(), fast.size()) << codec->describe().name;
        const auto automatic = encoded(*codec, tile.view(), Mode::automatic);
        EXPECT_TRUE(automatic == fast || automatic == dense) << codec->describe().name;
    }
}

TEST(Shuffled, WhatGainsTooLittleIsLeftAsItIs) {
    for (const Codec* const codec : present()) {
        for (const Mode mode : {Mode::fast, Mode::dense, Mode::automatic}) {
            // A large tile, of which a sample is tried, and a small one.
            for (const Extents& shape : {Extents{64, 64, 64}, Extents{100}}) {
                auto tile = noise<std::uint64_t>(shape);
                EXPECT_EQ(encoded(*codec, tile.view(), mode).size(), 0U) << codec->describe().name;
                for (std::uint64_t& value : tile.values) {
                    value |= std::uint64_t{0xFFFF} << 48;  // a quarter of it is to be gained
                }
                EXPECT_GT(encoded(*codec, tile.view(), mode).size(), 0U) << codec->describe().name;
            }
        }
    }
}

TEST(Shuffled, ASampleDecidesForALargeTile) {
    // Where only what lies between the pieces of the sample can be compressed, it is not.
    auto tile = noise<std::uint64_t>({64, 64, 64});
    constexpr std::size_t part = 64 * 64 * 64 / 16;
    for (std::size_t i = 0; i < tile.values.size(); ++i) {
        if (i % part < part / 4 || i % part >= 3 * part / 4) {
            tile.values[i] = 0;
        }
    }
    for (const Codec* const codec : present()) {
        EXPECT_EQ(encoded(*codec, tile.view()).size(), 0U) << codec->describe().name;
    }
}

TEST(Shuffled, TilesOfAnotherSizeAreDamaged) {
    const auto tile = random_walk<double>({40, 50}, 1);
    testing::Array<double> smaller{{40, 49}, std::vector<double>(40 * 49)};
    testing::Array<double> larger{{40, 51}, std::vector<double>(40 * 51)};
    for (const Codec* const codec : present()) {
        Scratch scratch;
        auto coded = encoded(*codec, tile.view());
        EXPECT_FALSE(codec->decode(coded, smaller.view(), scratch)) << codec->describe().name;
        EXPECT_FALSE(codec->decode(coded, larger.view(), scratch)) << codec->describe().name;
        coded.push_back({});
        auto decoded = like(tile);
        EXPECT_FALSE(codec->decode(coded, decoded.view(), scratch)) << codec->describe().name;
    }
}

}  // namespace
}  // namespace staithe::transform::shuffled
