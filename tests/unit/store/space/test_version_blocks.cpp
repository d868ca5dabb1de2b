#include "store/space/version_blocks.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

class VersionBlocksTest : public ::testing::TestWithParam<std::size_t> {  // dimensions
  protected:
    Box any_box() {
        Box box = Box::whole(shape_);
        for (std::size_t i = 0; i < shape_.size(); ++i) {
            box.offset[i] = std::uniform_int_distribution<std::int64_t>(0, shape_[i])(random_);
            // Short ones mostly, and now and then one that reaches over all others, or is empty.
            const std::int64_t longest = random_() % 8 == 0 ? shape_[i] : 3;
            box.count[i] =
                std::min(std::uniform_int_distribution<std::int64_t>(0, longest)(random_), shape_[i] - box.offset[i]);
        }
        return box;
    }
    std::mt19937 random_{5};
    const Extents shape_ = Extents::filled(GetParam(), 20);
};

TEST_P(VersionBlocksTest, AreFoundAsIfAllWereLookedAt) {
    for (const std::size_t size : {0U, 1U, 2U, 15U, 16U, 17U, 18U, 200U}) {
        std::vector<Box> boxes(size);
        std::ranges::generate(boxes, [this] { return any_box(); });
        VersionBlocks blocks(shape_);
        for (std::size_t place = 0; place < size; ++place) {
            blocks.add({.box = boxes[place],
                        .ref = {.offset = static_cast<std::int64_t>(64 * place), .bytes = 8},
                        .column_major = place % 3 == 0,
                        .by = static_cast<std::uint32_t>(place % 5)});
        }
        ASSERT_EQ(blocks.size(), size);
        for (std::size_t place = 0; place < size; ++place) {
            const VersionBlock block = blocks[place];
            EXPECT_EQ(block.box, boxes[place]);
            EXPECT_EQ(blocks.box(place), boxes[place]);
            EXPECT_EQ(block.ref.offset, static_cast<std::int64_t>(64 * place));
            EXPECT_EQ(block.column_major, place % 3 == 0);
            EXPECT_EQ(block.by, place % 5);
        }
        for (int repeat = 0; repeat < 200; ++repeat) {
            const Box wanted = repeat == 0 ? Box::whole(shape_) : any_box();
            std::vector<std::size_t> expected;
            for (std::size_t place = 0; place < size; ++place) {
                if (intersect(boxes[place], wanted)) {
                    expected.push_back(place);
                }
            }
            ASSERT_EQ(blocks.meeting(wanted), expected) << size << " blocks, " << to_string(wanted);
        }
    }
}

TEST(VersionBlocksTwinsTest, StayWithTheirBlocks) {
    VersionBlocks blocks({10});
    for (const std::int64_t place : {0, 1, 2}) {
        blocks.add({.box = {{place}, {1}},
                    .ref = {.store = 1, .offset = place, .bytes = 8},
                    .twin = place == 1 ? std::optional(BlockPlace{2, 64}) : std::nullopt});
    }
    EXPECT_EQ(blocks.twin(0), std::nullopt);
    EXPECT_EQ(blocks[1].twin, BlockPlace(2, 64));
    blocks.set_twin(2, BlockPlace{2, 128});
    blocks.set_twin(1, std::nullopt);
    EXPECT_EQ(blocks[1].twin, std::nullopt);
    EXPECT_EQ(blocks.twin(2), BlockPlace(2, 128));
    EXPECT_EQ(place_of(blocks.ref(2)), BlockPlace(1, 2));
}

INSTANTIATE_TEST_SUITE_P(Dimensions, VersionBlocksTest, ::testing::Values(0, 1, 2, 3, 8));

TEST(VersionBlocks, AreFoundAtTheEndOfTheLargestShapes) {
    VersionBlocks blocks({INT64_MAX});
    for (std::int64_t i = 0; i < 40; ++i) {
        blocks.add({.box = {{INT64_MAX - 40 + i}, {1}}, .ref = {}});
    }
    blocks.add({.box = {{0}, {INT64_MAX}}, .ref = {}});
    EXPECT_EQ(blocks.meeting({{INT64_MAX - 1}, {1}}), (std::vector<std::size_t>{39, 40}));
    EXPECT_EQ(blocks.meeting({{0}, {1}}), std::vector<std::size_t>{40});
}

}  // namespace
}  // namespace staithe::store::space
