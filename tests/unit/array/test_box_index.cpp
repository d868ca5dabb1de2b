#include "array/box_index.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::array {
namespace {

/// The places of the boxes that meet `box`, in order.
std::vector<std::size_t> met_by(const BoxIndex& index, const Box& box) {
    std::vector<std::size_t> met;
    index.meeting(box, [&](std::size_t i) {
        met.push_back(i);
        return true;
    });
    std::sort(met.begin(), met.end());
    return met;
}

TEST(BoxIndex, FindsWhatLookingAtAllBoxesFinds) {
    std::mt19937 generator(3);
    const auto some = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(generator);
    };
    for (const std::size_t count : {0U, 1U, 16U, 17U, 300U, 5000U}) {
        for (std::size_t dimensions = 0; dimensions <= 4; ++dimensions) {
            std::vector<Box> boxes(count);
            for (Box& box : boxes) {
                for (std::size_t i = 0; i < dimensions; ++i) {
                    box.offset.push_back(some(0, 50));
                    box.count.push_back(some(0, 6));
                }
            }
            const BoxIndex index(boxes);
            for (int repeat = 0; repeat < 20; ++repeat) {
                Box asked;
                for (std::size_t i = 0; i < dimensions; ++i) {
                    asked.offset.push_back(some(0, 50));
                    asked.count.push_back(some(0, 20));
                }
                std::vector<std::size_t> expected;
                for (std::size_t i = 0; i < count; ++i) {
                    const auto common = intersect(boxes[i], asked);
                    if (common && !is_empty(*common)) {
                        expected.push_back(i);
                    }
                }
                ASSERT_EQ(met_by(index, asked), expected) << count << " boxes, asked " << to_string(asked);
            }
        }
    }
}

TEST(BoxIndex, StopsWhenItIsTold) {
    const std::vector<Box> boxes(100, Box{{0}, {1}});
    int visits = 0;
    BoxIndex(boxes).meeting(Box{{0}, {1}}, [&](std::size_t) { return ++visits < 3; });
    EXPECT_EQ(visits, 3);
}

TEST(FindClash, FindsWhatComparingAllPairsFinds) {
    std::mt19937 generator(7);
    const auto draw = [&](std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(generator);
    };
    int clashes = 0;
    for (int repeat = 0; repeat < 2000; ++repeat) {
        const auto dimensions = static_cast<std::size_t>(draw(0, 3));
        std::vector<Box> boxes(static_cast<std::size_t>(draw(0, 6)));
        for (Box& box : boxes) {
            for (std::size_t i = 0; i < dimensions; ++i) {
                box.offset.push_back(draw(0, 9));
                box.count.push_back(draw(0, 4));
            }
        }
        bool any = false;
        for (std::size_t a = 0; a < boxes.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                any = any || (!is_empty(boxes[a]) && !is_empty(boxes[b]) && intersect(boxes[a], boxes[b]));
            }
        }
        const auto clash = find_clash(BoxIndex(boxes), boxes);
        ASSERT_EQ(clash.has_value(), any);
        if (clash) {
            ++clashes;
            ASSERT_LT(clash->first, clash->second);
            ASSERT_TRUE(intersect(boxes[clash->first], boxes[clash->second]));
        }
    }
    EXPECT_GT(clashes, 100);
}

}  // namespace
}  // namespace staithe::array
