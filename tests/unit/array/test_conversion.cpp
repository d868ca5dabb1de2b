#include "array/conversion.hpp"

#include <array>
#include <complex>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::array {
namespace {

// What every pair of dtypes gives is compared with NumPy, in tests/python/test_safe_casts.py. Here: every layout.
TEST(Convert, GoesByStridesOnBothSides) {
    std::vector<float> source(24);
    std::iota(source.begin(), source.end(), 1.0F);
    const ArrayView rows = view_of(source, {2, 3, 4});
    const std::array<Selection, 4> selections{
        Selection::all({2, 3, 4}),
        Selection{{1, -1, 2}, {0, 2, 2}, {3, -1, 4}},
        Selection{{0, 1, 2}, {1, 1, 1}, {0, 3, 2}},
        Selection{{0, 1, 1}, {2, 1, 1}, {1, 1, 1}},
    };
    for (const Selection& selection : selections) {
        const ArrayView part = slice(rows, selection);
        for (const bool by_columns : {false, true}) {
            std::vector<double> result(24, -1.0);
            const Extents strides = by_columns ? column_major_strides(part.shape, 8) : row_major_strides(part.shape, 8);
            convert({result.data(), Dtype::f64, part.shape, strides}, part);
            for (std::int64_t i = 0; i < part.shape[0]; ++i) {
                for (std::int64_t j = 0; j < part.shape[1]; ++j) {
                    for (std::int64_t k = 0; k < part.shape[2]; ++k) {
                        const auto at = [&](const Extents& by) { return i * by[0] + j * by[1] + k * by[2]; };
                        EXPECT_EQ(result[static_cast<std::size_t>(at(strides) / 8)],
                                  *reinterpret_cast<const float*>(static_cast<const std::byte*>(part.data) +
                                                                  at(part.strides)))
                            << to_string(selection);
                    }
                }
            }
        }
    }
}

TEST(Convert, TurnsLargeArraysRound) {
    const Extents shape{3, 130, 45};
    std::vector<float> source(static_cast<std::size_t>(*volume(shape)));
    std::iota(source.begin(), source.end(), 0.0F);
    std::vector<double> result(source.size(), -1.0);
    convert({result.data(), Dtype::f64, shape, column_major_strides(shape, 8)}, view_of(source, shape));
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t j = 0; j < 130; ++j) {
            for (std::size_t k = 0; k < 45; ++k) {
                ASSERT_EQ(result[i + 3 * (j + 130 * k)], source[k + 45 * (j + 130 * i)]) << i << ' ' << j << ' ' << k;
            }
        }
    }
}

TEST(Convert, TakesUnalignedAddresses) {
    std::array<std::byte, 33> from{};
    std::array<std::byte, 65> to{};
    const std::array<float, 8> values{1, -2, 3, -4, 5, -6, 7, -8};
    std::memcpy(&from[1], values.data(), sizeof values);
    convert(MutableArrayView::row_major(&to[1], Dtype::f64, {8}), ArrayView::row_major(&from[1], Dtype::f32, {8}));
    std::array<double, 8> result{};
    std::memcpy(result.data(), &to[1], sizeof result);
    EXPECT_EQ(result, (std::array<double, 8>{1, -2, 3, -4, 5, -6, 7, -8}));
}

TEST(Convert, DoesNothingToNothing) {
    convert(MutableArrayView::row_major(nullptr, Dtype::f64, {0, 3}),
            ArrayView::row_major(nullptr, Dtype::f32, {0, 3}));
    const float number = 2.5F;
    double result = 0.0;
    convert(view_of(result), view_of(number));
    EXPECT_EQ(result, 2.5);
}

TEST(WhatIsLost, IsNamed) {
    EXPECT_STREQ(what_is_lost(Dtype::f64, Dtype::f32), "digits");
    EXPECT_STREQ(what_is_lost(Dtype::i64, Dtype::f32), "digits");
    EXPECT_STREQ(what_is_lost(Dtype::c128, Dtype::f64), "imaginary parts");
    EXPECT_STREQ(what_is_lost(Dtype::c128, Dtype::c64), "digits");
    EXPECT_STREQ(what_is_lost(Dtype::f64, Dtype::i64), "fractions, and numbers beyond its range");
    EXPECT_STREQ(what_is_lost(Dtype::i32, Dtype::u64), "numbers beyond its range");
    EXPECT_STREQ(what_is_lost(Dtype::u8, Dtype::boolean), "all but whether they are zero");
}

}  // namespace
}  // namespace staithe::array
