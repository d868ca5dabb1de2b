#include "array/overlap.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::array {
namespace {

TEST(Overlap, OfAStepThatSkipsTheBlock) {
    EXPECT_FALSE(overlap(Box{{1}, {4}}, Selection{{0, 5, 3}}));
    EXPECT_TRUE(overlap(Box{{1}, {5}}, Selection{{0, 5, 3}}));
}

TEST(Overlap, OfScalarsIsTheScalar) {
    const auto common = overlap(Box{}, Selection{});
    ASSERT_TRUE(common);
    EXPECT_EQ(common->destination, Box{});
    EXPECT_FALSE(overlap(Box{}, Selection{{0, 1, 1}}));
}

TEST(Overlap, OfEmptyOnesIsNothing) {
    EXPECT_FALSE(overlap(Box{{2}, {0}}, Selection{{0, 1, 5}}));
    EXPECT_FALSE(overlap(Box{{2}, {3}}, Selection{{0, 1, 0}}));
}

TEST(Overlap, OfHugeShapesDoesNotOverflow) {
    constexpr std::int64_t length = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
    const auto back = overlap(Box{{0}, {10}}, Selection{{length - 1, -2, length / 2 + 1}});
    ASSERT_TRUE(back);
    EXPECT_EQ(back->destination, (Box{{length / 2 - 4}, {5}}));
    EXPECT_EQ(back->source, (Selection{{8, -2, 5}}));
    const auto single = overlap(Box{{5}, {10}}, Selection{{7, smallest, 1}});
    ASSERT_TRUE(single);
    EXPECT_EQ(single->source[0].start, 2);
    EXPECT_FALSE(overlap(Box{{8}, {10}}, Selection{{7, smallest, 1}}));
}

// Blocks that tile the variable, and a selection of it: every selected element arrives, from whichever block has it.
TEST(Overlap, GathersASelectionFromItsBlocks) {
    constexpr unsigned seed = 1912;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const auto draw = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    for (int round = 0; round < 2000; ++round) {
        const std::int64_t rows = draw(1, 20);
        const std::int64_t columns = draw(1, 12);
        std::vector<std::int32_t> whole(static_cast<std::size_t>(rows * columns));
        for (std::size_t i = 0; i < whole.size(); ++i) {
            whole[i] = static_cast<std::int32_t>(i);
        }
        const auto slice_of = [&](std::int64_t length) {
            const std::int64_t step = draw(0, 1) == 0 ? draw(1, 5) : -draw(1, 5);
            const std::int64_t start = draw(0, length - 1);
            const std::int64_t room = step > 0 ? length - 1 - start : start;
            return Slice{start, step, draw(0, room / std::abs(step) + 1)};
        };
        const Selection selection{slice_of(rows), slice_of(columns)};
        ASSERT_TRUE(fits(selection, {rows, columns})) << to_string(selection);

        const Extents shape = shape_of(selection);
        std::vector<std::int32_t> got(static_cast<std::size_t>(volume(shape).value()), -1);
        const auto destination = MutableArrayView::row_major(got.data(), Dtype::i32, shape);
        const std::int64_t cut_row = draw(0, rows);
        const std::int64_t cut_column = draw(0, columns);
        for (const Box& block : {Box{{0, 0}, {cut_row, columns}}, Box{{cut_row, 0}, {rows - cut_row, cut_column}},
                                 Box{{cut_row, cut_column}, {rows - cut_row, columns - cut_column}}}) {
            if (const auto common = overlap(block, selection)) {
                ASSERT_TRUE(fits(common->destination, shape));
                ASSERT_TRUE(fits(common->source, block.count));
                const auto data =
                    slice(ArrayView::row_major(whole.data(), Dtype::i32, {rows, columns}), Selection(block));
                copy(*common, destination, data);
            }
        }
        for (std::int64_t i = 0; i < shape[0]; ++i) {
            for (std::int64_t j = 0; j < shape[1]; ++j) {
                const std::int64_t row = selection[0].start + i * selection[0].step;
                const std::int64_t column = selection[1].start + j * selection[1].step;
                ASSERT_EQ(got[static_cast<std::size_t>(i * shape[1] + j)], row * columns + column)
                    << to_string(selection);
            }
        }
    }
}

}  // namespace
}  // namespace staithe::array
