#include "transform/tiling.hpp"

#include <gtest/gtest.h>

#include <set>

namespace staithe::transform {
namespace {

TEST(Tiling, TilesAreNearToCubesWithLongRows) {
    EXPECT_EQ(tile_shape({512, 512, 512}), (Extents{44, 44, 128}));
    EXPECT_EQ(tile_shape({5000, 5000}), (Extents{500, 512}));
    EXPECT_EQ(tile_shape({1 << 20}), (Extents{1 << 18}));
    EXPECT_EQ(tile_shape({100, 100, 100, 100}), (Extents{13, 13, 13, 100}));
    EXPECT_EQ(tile_shape({12, 19, 90, 180}), (Extents{12, 12, 16, 96}));
    EXPECT_EQ(tile_shape({256, 256, 256, 3}), (Extents{24, 24, 128, 3}));
    EXPECT_EQ(tile_shape({32000, 3}), (Extents{32000, 3}));
    EXPECT_EQ(tile_shape({}), (Extents{}));
    EXPECT_EQ(tile_shape({0, 5}), (Extents{1, 5}));
}

TEST(Tiling, TilesCoverEveryElementOnce) {
    const Extents shape{7, 5, 9};
    const Extents tile{3, 5, 4};
    std::set<Extents, bool (*)(const Extents&, const Extents&)> seen([](const Extents& a, const Extents& b) {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
    });
    std::int64_t values = 0;
    for (std::int64_t number = 0; number < *volume(tile_counts(shape, tile)); ++number) {
        const Box box = tile_box(shape, tile, number);
        EXPECT_TRUE(fits(box, shape));
        EXPECT_TRUE(seen.insert(box.offset).second);
        values += *volume(box.count);
    }
    EXPECT_EQ(values, *volume(shape));
}

TEST(Tiling, ABoxTouchesTheTilesThatItMeets) {
    const Extents shape{100, 100};
    const Extents tile{30, 40};
    for (const Box& box : {Box{{0, 0}, {100, 100}}, Box{{29, 39}, {2, 2}}, Box{{99, 0}, {1, 1}}, Box{{0, 0}, {0, 5}}}) {
        std::set<std::int64_t> expected;
        for (std::int64_t number = 0; number < *volume(tile_counts(shape, tile)); ++number) {
            if (intersect(tile_box(shape, tile, number), box)) {
                expected.insert(number);
            }
        }
        std::set<std::int64_t> found;
        for_each_tile_in(box, shape, tile, [&](std::int64_t number) { EXPECT_TRUE(found.insert(number).second); });
        EXPECT_EQ(found, expected);
    }
}

TEST(Tiling, ShortTrailingDimensionsGoToTheFront) {
    const ArrayView positions = ArrayView::row_major(nullptr, Dtype::f32, {1000, 3});
    EXPECT_EQ(arranged(positions).shape, (Extents{3, 1000}));
    EXPECT_EQ(arranged(positions).strides, (Extents{4, 12}));
    EXPECT_EQ(arranged(ArrayView::row_major(nullptr, Dtype::f32, {20, 2, 1, 3})).shape, (Extents{2, 3, 20}));
    EXPECT_EQ(arranged(ArrayView::row_major(nullptr, Dtype::f32, {2, 3})).shape, (Extents{2, 3}));
    EXPECT_EQ(arranged(ArrayView::row_major(nullptr, Dtype::f32, {1, 1})).shape, (Extents{}));
}

}  // namespace
}  // namespace staithe::transform
