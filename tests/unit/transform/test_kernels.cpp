#include "transform/dq/kernels.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include "transform/dq/dq.hpp"
#include "unit/transform/arrays.hpp"

namespace staithe::transform::dq {
namespace {

using testing::random_walk;

// Rows that fill groups and that do not, pieces, all depths, and dimensions that are moved.
const std::vector<Extents> shapes{{},         {1},        {15},     {16},         {1000},       {9000},
                                  {3, 5},     {100, 3},   {40, 33}, {7, 64, 31},  {17, 16, 16}, {4, 5, 6, 37},
                                  {2, 3, 64}, {20, 2, 3}, {1, 300}, {5, 1, 7, 1}, {3, 3, 3, 3}, {2, 3, 4, 5, 6}};

template <class T>
std::vector<std::byte> encoded(const Kernels& kernels, const ArrayView& tile, const TileOptions& options) {
    Scratch scratch;
    std::vector<std::byte> out;
    EXPECT_TRUE(Dq(kernels).encode(tile, options, scratch, out));
    return out;
}

template <class T>
class KernelsOf : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(KernelsOf, Types);

TYPED_TEST(KernelsOf, AllMakeTheSameBytesAndValues) {
    using T = TypeParam;
    for (const Extents& shape : shapes) {
        for (const double bound : {0.0, 1e-6, 1e-3, 0.5, 100.0}) {
            for (const auto& [strangeness, mode] : {std::pair{0.0, codecs::Mode::fast},
                                                    {0.01, codecs::Mode::fast},
                                                    {0.9, codecs::Mode::fast},
                                                    {0.0, codecs::Mode::dense},
                                                    {0.01, codecs::Mode::dense},
                                                    {0.9, codecs::Mode::dense},
                                                    {0.01, codecs::Mode::automatic}}) {
                const auto array = random_walk<T>(shape, 7, strangeness);
                const TileOptions options{bound, 1e20, mode};
                const auto reference = encoded<T>(plain_kernels, array.view(), options);
                auto expected = like(array);
                Scratch scratch;
                ASSERT_TRUE(Dq(plain_kernels).decode(reference, expected.view(), scratch));
                for (const Kernels& kernels : available_kernels()) {
                    EXPECT_EQ(encoded<T>(kernels, array.view(), options), reference)
                        << kernels.name << to_string(shape) << bound;
                    auto decoded = like(array);
                    ASSERT_TRUE(Dq(kernels).decode(reference, decoded.view(), scratch));
                    EXPECT_EQ(0, std::memcmp(decoded.values.data(), expected.values.data(),
                                             decoded.values.size() * sizeof(T)))
                        << kernels.name << to_string(shape) << bound;
                }
            }
        }
    }
}

TYPED_TEST(KernelsOf, KeepTheBoundAndTheStrangeValues) {
    using T = TypeParam;
    for (const Extents& shape : shapes) {
        for (const double bound : {0.0, 1e-7, 1e-3, 0.5, 1e30}) {
            const auto array = random_walk<T>(shape, 11, 0.05);
            auto decoded = like(array);
            Scratch scratch;
            ASSERT_TRUE(Dq().decode(encoded<T>(available_kernels().front(), array.view(), {bound, 1e20}),
                                    decoded.view(), scratch));
            for (std::size_t i = 0; i < array.values.size(); ++i) {
                const T x = array.values[i];
                const bool exactly = bound == 0.0 || !std::isfinite(x) || x == static_cast<T>(1e20) ||
                                     (x == 0 && std::signbit(x)) || std::fpclassify(x) == FP_SUBNORMAL;
                if (exactly) {
                    EXPECT_EQ(0, std::memcmp(&x, &decoded.values[i], sizeof(T))) << x;
                } else {
                    EXPECT_LE(std::abs(double(x) - double(decoded.values[i])), bound);
                }
            }
        }
    }
}

template <class T>
void expect_exact(const Extents& shape) {
    std::mt19937_64 random(3);
    testing::Array<T> array{shape, std::vector<T>(static_cast<std::size_t>(volume(shape).value_or(0)))};
    for (T& value : array.values) {
        value = static_cast<T>(random());
    }
    Scratch scratch;
    const auto reference = encoded<T>(plain_kernels, array.view(), {});
    for (const Kernels& kernels : available_kernels()) {
        EXPECT_EQ(encoded<T>(kernels, array.view(), {}), reference) << kernels.name;
        auto decoded = like(array);
        ASSERT_TRUE(Dq(kernels).decode(reference, decoded.view(), scratch));
        EXPECT_EQ(decoded.values, array.values) << kernels.name;
    }
}

TEST(Kernels, IntegersAreExactAtTheirExtremes) {
    for (const Extents& shape : shapes) {
        expect_exact<std::int8_t>(shape);
        expect_exact<std::uint8_t>(shape);
        expect_exact<std::int16_t>(shape);
        expect_exact<std::uint16_t>(shape);
        expect_exact<std::int32_t>(shape);
        expect_exact<std::uint32_t>(shape);
        expect_exact<std::int64_t>(shape);
        expect_exact<std::uint64_t>(shape);
    }
}

TEST(Kernels, ThereIsAlwaysOneInPlainCpp) { EXPECT_EQ(available_kernels().back().name, "plain"); }

TEST(Kernels, TilesWithTooFewResidualsFail) {
    const auto array = random_walk<float>({9, 300}, 5);
    auto decoded = like(array);
    auto tile = encoded<float>(plain_kernels, array.view(), {0.01, std::nullopt});
    const std::uint32_t planes = 3;  // its header says so many, and so many there are
    std::memcpy(tile.data() + 8, &planes, sizeof(planes));
    std::uint32_t widths = 0;
    std::memcpy(&widths, tile.data() + 4, sizeof(widths));
    tile.resize(24 + (9 * 300 + 255) / 256 + widths + 2 * planes);
    for (const Kernels& kernels : available_kernels()) {
        Scratch scratch;
        EXPECT_FALSE(Dq(kernels).decode(tile, decoded.view(), scratch)) << kernels.name;
    }
}

TEST(Kernels, DamagedTilesFailOrGiveOtherValues) {
    const auto array = random_walk<float>({5, 9, 33}, 5, 0.1);
    auto decoded = like(array);
    const auto whole = encoded<float>(plain_kernels, array.view(), {0.01, std::nullopt});
    std::mt19937 random(1);
    for (const Kernels& kernels : available_kernels()) {
        Scratch scratch;
        for (std::size_t length = 0; length < whole.size(); ++length) {
            EXPECT_FALSE(Dq(kernels).decode(std::span(whole).first(length), decoded.view(), scratch)) << length;
        }
        for (int i = 0; i < 3000; ++i) {
            auto changed = whole;
            changed[random() % (i % 2 == 0 ? 200 : changed.size())] = static_cast<std::byte>(random());
            static_cast<void>(Dq(kernels).decode(changed, decoded.view(), scratch));  // the sanitizers look on
        }
    }
}

}  // namespace
}  // namespace staithe::transform::dq
