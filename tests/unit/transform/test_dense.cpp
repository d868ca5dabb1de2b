// The dense coding of tiles: what is chosen for them, and what becomes of damaged ones.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "transform/dq/dq.hpp"
#include "transform/dq/tile_format.hpp"
#include "unit/transform/arrays.hpp"

namespace staithe::transform::dq {
namespace {

using codecs::Mode;

using Field = std::function<double(double z, double y, double x)>;

testing::Array<float> sampled(const Field& field, std::int64_t side) {
    testing::Array<float> array{{side, side, side}, {}};
    for (std::int64_t i = 0; i < side * side * side; ++i) {
        array.values.push_back(
            static_cast<float>(field(static_cast<double>(i / side / side), static_cast<double>(i / side % side),
                                     static_cast<double>(i % side))));
    }
    return array;
}

std::vector<std::byte> encoded(const testing::Array<float>& array, double bound, Mode mode) {
    Scratch scratch;
    std::vector<std::byte> out;
    EXPECT_TRUE(Dq().encode(array.view(), {bound, std::nullopt, mode}, scratch, out));
    return out;
}

TileHeader header_of(const std::vector<std::byte>& tile) {
    TileHeader header;
    std::memcpy(&header, tile.data(), sizeof(header));
    return header;
}

double waves(double z, double y, double x) { return std::sin(z / 9) * std::cos(y / 7) + std::sin((x + y) / 11); }

testing::Array<float> noise() {
    std::mt19937_64 random(1);
    std::normal_distribution<double> values;
    return sampled([&](double, double, double) { return values(random); }, 32);
}

TEST(Dense, SmoothFieldsAreInterpolated) {
    const auto tile = encoded(sampled(waves, 64), 1e-4, Mode::dense);
    EXPECT_EQ(header_of(tile).predictor, Predictor::interpolation);
    EXPECT_EQ(header_of(tile).coding, Coding::entropy);
    EXPECT_LT(2 * tile.size(), encoded(sampled(waves, 64), 1e-4, Mode::fast).size());
}

TEST(Dense, RowsThatAreNothingAlikeArePredictedByThemselves) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> starts(0.0, 1000.0);
    testing::Array<float> array{{64, 1024}, {}};
    for (int row = 0; row < 64; ++row) {
        const double start = starts(random);
        for (int x = 0; x < 1024; ++x) {
            array.values.push_back(static_cast<float>(start + (x + 7 * row) / 50));
        }
    }
    EXPECT_EQ(header_of(encoded(array, 0.4, Mode::dense)).predictor, Predictor::rows);
}

TEST(Dense, AutomaticIsDenseWhereThatSavesMuch) {
    EXPECT_EQ(header_of(encoded(sampled(waves, 32), 1e-4, Mode::automatic)).coding, Coding::entropy);
    EXPECT_EQ(header_of(encoded(noise(), 1e-4, Mode::automatic)).coding, Coding::planes);
    EXPECT_EQ(header_of(encoded(noise(), 1e-4, Mode::fast)).coding, Coding::planes);
}

TEST(Dense, NumbersOfAllWidthsComeBack) {
    // Groups of each width next to each other: the widest residuals, too.
    std::mt19937_64 random(1);
    testing::Array<std::int32_t> array{{33 * 64}, {}};
    for (unsigned i = 0; i < 33 * 64; ++i) {
        const auto bits = static_cast<unsigned>(random() % 33);
        array.values.push_back(
            static_cast<std::int32_t>(bits == 0 ? 0 : static_cast<std::uint32_t>(random()) >> (32 - bits)));
    }
    Scratch scratch;
    std::vector<std::byte> out;
    ASSERT_TRUE(Dq().encode(array.view(), {0.0, std::nullopt, Mode::dense}, scratch, out));
    EXPECT_EQ(header_of(out).coding, Coding::entropy);
    auto decoded = like(array);
    ASSERT_TRUE(Dq().decode(out, decoded.view(), scratch));
    EXPECT_EQ(decoded.values, array.values);
}

/// Groups of a few jumps, of all sizes, between values that stay the same.
testing::Array<std::int32_t> jumps() {
    std::mt19937_64 random(1);
    testing::Array<std::int32_t> array{{64, 4096}, {}};
    for (int row = 0; row < 64; ++row) {
        std::uint32_t value = 0;
        for (int x = 0; x < 4096; ++x) {
            const int group = x / 16;
            const bool jump = static_cast<int>(random() % 16) < group % 13;
            value += jump ? static_cast<std::uint32_t>(random()) >> (1 + (row + group) % 31) : 0;
            array.values.push_back(static_cast<std::int32_t>(value));
        }
    }
    return array;
}

TEST(Dense, GroupsOfManyZerosAreSparse) {
    const auto array = jumps();
    Scratch scratch;
    std::vector<std::byte> reference;
    for (const Kernels& kernels : available_kernels()) {
        std::vector<std::byte> out;
        ASSERT_TRUE(Dq(kernels).encode(array.view(), {0.0, std::nullopt, Mode::dense}, scratch, out));
        EntropyHeader header;
        std::memcpy(&header, out.data() + sizeof(TileHeader), sizeof(header));
        EXPECT_GT(header.sparse_words, 0U);
        EXPECT_EQ(out, reference.empty() ? out : reference) << kernels.name;
        reference = out;
        auto decoded = like(array);
        ASSERT_TRUE(Dq(kernels).decode(out, decoded.view(), scratch));
        EXPECT_EQ(decoded.values, array.values) << kernels.name;
    }
    std::vector<std::byte> fast;
    ASSERT_TRUE(Dq().encode(array.view(), {0.0, std::nullopt, Mode::fast}, scratch, fast));
    EXPECT_LT(3 * reference.size(), 2 * fast.size());
}

TEST(Dense, ASparseTileThatIsCutOffOrChangedNeverCrashes) {
    const auto array = jumps();
    Scratch scratch;
    std::vector<std::byte> tile;
    ASSERT_TRUE(Dq().encode(array.view(), {0.0, std::nullopt, Mode::dense}, scratch, tile));
    auto decoded = like(array);
    std::mt19937_64 random(1);
    for (int i = 0; i < 200; ++i) {
        EXPECT_FALSE(Dq().decode(std::span(tile).first(random() % tile.size()), decoded.view(), scratch));
        auto changed = tile;
        changed[random() % tile.size()] ^= static_cast<std::byte>(1U << random() % 8);
        static_cast<void>(Dq().decode(changed, decoded.view(), scratch));  // other values, or a failure
    }
}

TEST(Dense, ATileThatIsCutOffFailsAtEveryLength) {
    for (const Field& field :
         {Field(waves), Field([](double z, double y, double x) { return std::fmod(z * y, x + 1); })}) {
        const auto array = sampled(field, 12);
        const auto tile = encoded(array, 1e-3, Mode::dense);
        auto decoded = like(array);
        Scratch scratch;
        for (std::size_t length = 0; length < tile.size(); ++length) {
            EXPECT_FALSE(Dq().decode(std::span(tile).first(length), decoded.view(), scratch)) << length;
        }
    }
}

TEST(Dense, StepsThatAreNoneFail) {
    const auto array = sampled(waves, 12);
    auto decoded = like(array);
    Scratch scratch;
    for (const double step : {0.0, -1.0, 1e-40, 1e40, 0.1, double(INFINITY), double(NAN)}) {
        auto tile = encoded(array, 1e-3, Mode::dense);
        std::memcpy(tile.data() + offsetof(TileHeader, step), &step, sizeof(step));
        EXPECT_FALSE(Dq().decode(tile, decoded.view(), scratch)) << step;
    }
}

TEST(Dense, WhatIsNoHeaderFails) {
    const auto array = sampled(waves, 12);
    const auto tile = encoded(array, 1e-3, Mode::dense);
    auto decoded = like(array);
    Scratch scratch;
    for (const auto& [place, value] : {std::pair{0, 3}, {1, 4}, {2, 2}, {3, 3}}) {
        auto changed = tile;
        changed[static_cast<std::size_t>(place)] = static_cast<std::byte>(value);
        EXPECT_FALSE(Dq().decode(changed, decoded.view(), scratch)) << place;
    }
    auto planes = encoded(array, 1e-3, Mode::fast);
    planes[3] = std::byte{2};  // interpolation of planes
    EXPECT_FALSE(Dq().decode(planes, decoded.view(), scratch));
}

}  // namespace
}  // namespace staithe::transform::dq
