#include "transform/choosing/region.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "transform/coding.hpp"

namespace staithe::transform {
namespace {

/// `noisy`: the part of it, at its end, that is noise.
std::vector<float> field(std::int64_t side, double noisy) {
    std::mt19937 random(3);
    std::normal_distribution<float> noise;
    std::vector<float> values(static_cast<std::size_t>(side * side * side));
    for (std::int64_t i = 0; i < side * side * side; ++i) {
        const auto at = static_cast<double>(i);
        const bool is_noise = at >= (1.0 - noisy) * static_cast<double>(values.size());
        const double place = std::fmod(at, static_cast<double>(side)) + at / static_cast<double>(side * side);
        values[static_cast<std::size_t>(i)] = is_noise ? noise(random) : static_cast<float>(std::sin(place / 20.0));
    }
    return values;
}

ArrayView cube(const std::vector<float>& values, std::int64_t side) {
    return ArrayView::row_major(values.data(), Dtype::f32, {side, side, side});
}

double share_of_all(const ArrayView& array, const codecs::Bound& bound) {
    const auto payload = encode(array, {.bound = bound});
    return static_cast<double>(payload.value().size()) /
           static_cast<double>(size_in_bytes(array.shape, array.dtype).value());
}

TEST(Region, IsLikeItsSample) {
    Scratch scratch;
    for (const codecs::Bound& bound : {codecs::Bound::absolute(1e-3), codecs::Bound::exact()}) {
        double before = 0.0;
        for (const double noisy : {0.0, 0.3, 0.7, 1.0}) {
            const auto values = field(128, noisy);
            const ArrayView array = cube(values, 128);
            const Region region = look_at(array, bound, {}, scratch);
            EXPECT_EQ(region.bytes, size_in_bytes(array.shape, array.dtype).value());
            EXPECT_NEAR(region.share, share_of_all(array, bound), 0.1);
            EXPECT_GT(region.share, before);
            before = region.share;
        }
    }
}

TEST(Region, OfAnyShapeAndOrder) {
    Scratch scratch;
    const auto values = field(128, 0.5);
    const auto count = static_cast<std::int64_t>(values.size());
    const double whole = look_at(cube(values, 128), codecs::Bound::absolute(1e-3), {}, scratch).share;
    const std::vector<ArrayView> views{
        ArrayView::row_major(values.data(), Dtype::f32, {count}),
        ArrayView::row_major(values.data(), Dtype::f32, {2, 4, 16, 8, 16, 2, 8, 8}),
        {values.data(), Dtype::f32, {128, 128, 128}, {4, 512, 65536}},
        {values.data() + count - 1, Dtype::f32, {128, 128, 128}, {-65536, -512, -4}},
        ArrayView::row_major(values.data(), Dtype::f32, {count / 2, 2}),
    };
    for (const ArrayView& view : views) {
        const Region region = look_at(view, codecs::Bound::absolute(1e-3), {}, scratch);
        EXPECT_NEAR(region.share, whole, 0.4) << to_string(view.shape);
        EXPECT_EQ(region.bytes, 4 * count);
    }
}

TEST(Region, IsNotLookedAtWhereThatTakesAsLongAsCoding) {
    Scratch scratch;
    const auto values = field(16, 0.0);
    EXPECT_EQ(look_at(cube(values, 16), codecs::Bound::absolute(1e-3), {}, scratch).share, Region().share);
    EXPECT_EQ(look_at(ArrayView::row_major(values.data(), Dtype::f32, {}), {}, {}, scratch).bytes, 4);
    EXPECT_EQ(look_at(ArrayView::row_major(values.data(), Dtype::f32, {0, 3}), {}, {}, scratch).bytes, 0);
}

TEST(SeenRegions, AreLookedAtEachFourthTime) {
    SeenRegions seen;
    const SeenRegions::Place place(4096, 1 << 20);
    EXPECT_FALSE(seen.recall(place, 100));
    seen.keep(place, {100, 0.25});
    EXPECT_FALSE(seen.recall(place, 200)) << "another part of it";
    EXPECT_FALSE(seen.recall({0, 1 << 20}, 100));
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(seen.recall(place, 100));
    }
    EXPECT_FALSE(seen.recall(place, 100));
    for (std::int64_t i = 0; i < 3000; ++i) {  // forgets, rather than to grow
        seen.keep({i, 1}, {100, 0.5});
    }
    EXPECT_EQ(seen.recall({2999, 1}, 100)->share, 0.5);
}

/// How often it is recalled until it is time to look.
int times_recalled(SeenRegions& seen, const SeenRegions::Place& place) {
    int times = 0;
    while (times < 100 && seen.recall(place, 100)) {
        ++times;
    }
    return times;
}

TEST(SeenRegions, AreLookedAtMoreSeldomWhileTheyStayAsTheyAre) {
    SeenRegions seen;
    const SeenRegions::Place place(0, 100);
    for (const int times : {3, 7, 15, 15}) {
        seen.keep(place, {100, 0.25});
        EXPECT_EQ(times_recalled(seen, place), times);
    }
    seen.keep(place, {100, 0.5});
    EXPECT_EQ(times_recalled(seen, place), 3);
}

TEST(SeenRegions, AreLookedAtWhereSomethingElseCameOfThem) {
    SeenRegions seen;
    const SeenRegions::Place place(0, 100);
    seen.keep(place, {100, 0.25});
    for (const std::int64_t coded : {25, 26, 24}) {
        seen.came(place, coded, {});
        EXPECT_TRUE(seen.recall(place, 100)) << coded;
    }
    seen.keep(place, {100, 0.25});
    seen.came(place, 12, {.way = 2});
    EXPECT_TRUE(seen.recall(place, 100)) << "by another way";
    seen.came(place, 20, {.way = 2, .seconds = 1.5, .coded = 0.5});
    EXPECT_FALSE(seen.recall(place, 100));
    EXPECT_EQ(seen.keep(place, {100, 0.25}).lately->seconds, 1.5);
    seen.came({1, 100}, 40, {});  // of which nothing is known
    EXPECT_FALSE(seen.recall({1, 100}, 100));
}

TEST(Region, TakesAnyValuesOfAnyDtype) {
    Scratch scratch;
    std::vector<float> values(1 << 20, std::numeric_limits<float>::quiet_NaN());
    EXPECT_LT(
        look_at(ArrayView::row_major(values.data(), Dtype::f32, {1 << 20}), codecs::Bound::absolute(0.1), {}, scratch)
            .share,
        0.2);
    for (const Dtype dtype : {Dtype::boolean, Dtype::i8, Dtype::u16, Dtype::f16, Dtype::i64, Dtype::c64, Dtype::f128}) {
        const std::vector<std::byte> zeros(static_cast<std::size_t>(size_of(dtype)) << 19U);
        const ArrayView array = ArrayView::row_major(zeros.data(), dtype, {1 << 19});
        EXPECT_LT(look_at(array, codecs::Bound::absolute(0.1), {}, scratch).share, 0.1) << name_of(dtype);
    }
}

}  // namespace
}  // namespace staithe::transform
