// Values rounded: within their bound, with few bits, and nothing else.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "transform/dq/kernels.hpp"
#include "transform/rounding.hpp"

namespace staithe::transform {
namespace {

template <class T>
MutableArrayView view_of(std::vector<T>& values) {
    return MutableArrayView::row_major(values.data(), dtype_of<T>(), {static_cast<std::int64_t>(values.size())});
}

/// Of all sizes, and none that would be rounded to the next one by chance.
template <class T>
std::vector<T> numbers() {
    std::mt19937 random(5);
    std::vector<T> values;
    for (int i = 0; i < 20'006; ++i) {  // the last ones fill no group
        const T digits = std::uniform_real_distribution<T>(-1, 1)(random);
        values.push_back(std::ldexp(digits, static_cast<int>(random() % 60) - 30));
    }
    return values;
}

template <class T>
class Rounding : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Rounding, Floats);

TYPED_TEST(Rounding, KeepsAbsoluteBounds) {
    using T = TypeParam;
    for (const double bound : {1e-300, 1e-9, 3e-5, 1e-3, 0.5, 7.0, 1e10, 1e300}) {
        const std::vector<T> before = numbers<T>();
        std::vector<T> values = before;
        round_values(view_of(values), view_of(values), {.bound = bound});
        for (std::size_t i = 0; i < values.size(); ++i) {
            ASSERT_LE(std::abs(static_cast<long double>(values[i]) - static_cast<long double>(before[i])), bound)
                << before[i];
        }
    }
}

/// One by one, of what is rounded to multiples of `last`, a power of two.
template <class T>
T rounded_by_hand(T value, T last, T fill) {
    const T near = std::nearbyint(value / last) * last + T{0};  // to even, and never to -0.0
    const bool is_large = !(std::abs(value) < std::ldexp(last, std::numeric_limits<T>::digits - 2));
    return dq::comes_back_exactly(value, fill) || is_large || near == fill ? value : near;
}

/// With what is no number, and what is hardly one.
template <class T>
std::vector<T> any_numbers() {
    using Limits = std::numeric_limits<T>;
    std::vector<T> values = numbers<T>();
    for (const T strange :
         {Limits::quiet_NaN(), Limits::infinity(), T{0.0}, Limits::denorm_min(), Limits::lowest(), T{2}, T{1.75}}) {
        values.push_back(strange);
        values.push_back(-strange);
    }
    return values;
}

template <class T>
bool are_the_same(const std::vector<T>& one, const std::vector<T>& other) {
    return std::ranges::equal(std::as_bytes(std::span(one)), std::as_bytes(std::span(other)));
}

TYPED_TEST(Rounding, IsTheSameOnAllProcessorsAndByHand) {
    using T = TypeParam;
    constexpr T fill = 2;
    std::vector<T> before = any_numbers<T>(), expected;
    before.resize(before.size() / dq::group * dq::group);
    for (const T value : before) {
        expected.push_back(rounded_by_hand(value, T{0.5}, fill));
    }
    EXPECT_FALSE(are_the_same(before, expected));
    constexpr int digits = std::numeric_limits<T>::digits;
    const dq::MultiplesToRoundTo<T> halves{std::ldexp(T{1.5}, digits - 2), std::ldexp(T{1}, digits - 3), fill};
    for (const dq::Kernels& kernels : dq::available_kernels()) {
        std::vector<T> values(before.size());
        auto* const to = reinterpret_cast<std::byte*>(values.data());
        const auto* const from = reinterpret_cast<const std::byte*>(before.data());
        if constexpr (sizeof(T) == 4) {
            kernels.round_f32(halves, to, from, values.size() / dq::group);
        } else {
            kernels.round_f64(halves, to, from, values.size() / dq::group);
        }
        EXPECT_TRUE(are_the_same(values, expected)) << kernels.name;
    }
}

TYPED_TEST(Rounding, TakesAnyNumberOfValuesFromAnyAddress) {
    using T = TypeParam;
    std::vector<T> all = any_numbers<T>();
    std::reverse(all.begin(), all.end());
    for (const std::size_t count : {0UL, 1UL, 15UL, 16UL, 100UL, all.size()}) {
        const std::vector<T> before(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count));
        std::vector<T> expected;
        for (const T value : before) {
            expected.push_back(rounded_by_hand(value, T{0.5}, T{2}));
        }
        std::vector<std::byte> from(count * sizeof(T) + 1);
        std::ranges::copy(std::as_bytes(std::span(before)), from.begin() + 1);
        const ArrayView unaligned =
            ArrayView::row_major(from.data() + 1, dtype_of<T>(), {static_cast<std::int64_t>(count)});
        for (const TileOptions& options :
             {TileOptions{.bound = 0.3, .fill = 2.0}, {.fill = 2.0}, {.fill = 2.0, .share = 0.01}}) {
            std::vector<T> in_place = before, values(count);
            round_values(view_of(in_place), view_of(in_place), options);
            round_values(view_of(values), unaligned, options);
            EXPECT_TRUE(are_the_same(values, in_place));
            if (options.share == 0.0) {
                EXPECT_TRUE(are_the_same(values, options.bound > 0.0 ? expected : before)) << count;
            }
        }
    }
}

TYPED_TEST(Rounding, LeavesAsManyBitsAsTheBoundNeeds) {
    using T = TypeParam;
    std::vector<T> values = numbers<T>();
    round_values(view_of(values), view_of(values), {.bound = 0.3});
    for (const T value : values) {
        if (std::abs(value) < 1000) {
            ASSERT_EQ(value * 2, std::nearbyint(value * 2)) << "halves";
        }
    }
}

TYPED_TEST(Rounding, LeavesWhatIsNoNumberAndTheFillAlone) {
    using T = TypeParam;
    using Limits = std::numeric_limits<T>;
    const T fill = 2;
    const std::vector<T> before{
        Limits::quiet_NaN(),   Limits::infinity(), -Limits::infinity(), T{-0.0}, T{0.0}, Limits::denorm_min(),
        -Limits::denorm_min(), Limits::max(),      Limits::lowest(),    fill,    T{1.75}};
    for (const TileOptions& options :
         {TileOptions{.bound = 0.5, .fill = fill}, {.bound = 1e300, .fill = fill}, {.fill = fill, .share = 0.2}}) {
        std::vector<T> values = before;
        round_values(view_of(values), view_of(values), options);
        for (std::size_t i = 0; i < 7; ++i) {
            EXPECT_EQ(std::signbit(values[i]), std::signbit(before[i]));
            EXPECT_TRUE(std::isnan(before[i]) ? std::isnan(values[i]) : values[i] == before[i]) << before[i];
        }
        EXPECT_TRUE(std::isfinite(values[7]) && std::isfinite(values[8]));
        EXPECT_EQ(values[9], fill);
        EXPECT_NE(values[10], fill) << "nothing turns into it";
    }
}

TEST(RoundingOfParts, KeepsTheDistanceOfComplexNumbers) {
    std::vector<double> before = numbers<double>();
    std::vector<double> values = before;
    const auto view = MutableArrayView::row_major(values.data(), Dtype::c128, {std::ssize(values) / 2});
    round_values(view, view, {.bound = 0.01});
    for (std::size_t i = 0; i < values.size(); i += 2) {
        ASSERT_LE(std::hypot(values[i] - before[i], values[i + 1] - before[i + 1]), 0.01);
    }
}

TEST(RoundingOfIntegers, ChangesNothing) {
    std::vector<std::int32_t> values{1, 2, 3, 1000};
    round_values(view_of(values), view_of(values), {.bound = 100.0});
    EXPECT_EQ(values, (std::vector<std::int32_t>{1, 2, 3, 1000}));
}

}  // namespace
}  // namespace staithe::transform
