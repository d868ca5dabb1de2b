#include "store/space/overlay.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

constexpr std::int64_t side = 6;

/// Calls visit(place) for each element of a box of a cube.
template <class Visit>
void each_of(const Box& box, const Visit& visit) {
    for (std::int64_t x = 0; x < box.count[0]; ++x) {
        for (std::int64_t y = 0; y < box.count[1]; ++y) {
            for (std::int64_t z = 0; z < box.count[2]; ++z) {
                visit(((box.offset[0] + x) * side + box.offset[1] + y) * side + box.offset[2] + z);
            }
        }
    }
}

TEST(Overlay, ShowsOfEachElementTheBoxThatWasLaidLast) {
    std::mt19937 random(7);
    const auto any_box = [&] {
        Box box{{0, 0, 0}, {0, 0, 0}};
        for (std::size_t i = 0; i < 3; ++i) {
            box.offset[i] = std::uniform_int_distribution<std::int64_t>(0, side - 1)(random);
            box.count[i] = std::uniform_int_distribution<std::int64_t>(0, side - box.offset[i])(random);
        }
        return box;
    };
    for (int repeat = 0; repeat < 600; ++repeat) {
        // Also more than are compared one by one.
        std::vector<Box> boxes(std::uniform_int_distribution<std::size_t>(0, repeat % 2 == 0 ? 6 : 300)(random));
        std::ranges::generate(boxes, any_box);
        const Box wanted = any_box();
        std::vector<int> expected(side * side * side, -1), found = expected;
        std::vector<int> times(expected.size());
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            if (const auto part = intersect(boxes[i], wanted)) {
                each_of(*part, [&](std::int64_t at) { expected[static_cast<std::size_t>(at)] = static_cast<int>(i); });
            }
        }
        const auto shown = repeat % 3 == 0 ? Overlay(boxes).shown_in(wanted) : overlay(boxes, wanted);
        for (const auto& [layer, part] : shown) {
            each_of(part, [&, layer = layer](std::int64_t at) {
                found[static_cast<std::size_t>(at)] = static_cast<int>(layer);
                ++times[static_cast<std::size_t>(at)];
            });
        }
        EXPECT_EQ(found, expected) << to_string(wanted);
        EXPECT_LE(*std::ranges::max_element(times), 1) << "the parts are disjoint";
        EXPECT_EQ(elements_of(shown), std::ranges::count_if(expected, [](int layer) { return layer >= 0; }));
    }
}

/// What once took half a minute, comparing each of these with all parts of the wanted box.
TEST(Overlay, OfManyScatteredBoxes) {
    std::vector<Box> boxes;
    for (std::int64_t i = 0; i < 40'000; ++i) {
        boxes.push_back({{7 * i % 400, i / 400 * 3, i % 40 * 10}, {1, 1, 1}});
    }
    const Box whole{{0, 0, 0}, {400, 400, 400}};
    EXPECT_EQ(elements_of(overlay(boxes, whole)), 40'000);
    boxes.insert(boxes.begin(), whole);
    EXPECT_EQ(elements_of(overlay(boxes, whole)), 400 * 400 * 400);
    EXPECT_EQ(elements_of(Overlay(boxes).shown_in(whole)), 400 * 400 * 400);
}

TEST(Overlay, KnowsScalars) {
    const std::vector<Box> boxes(2);
    const auto shown = overlay(boxes, Box{});
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown.front().layer, 1U);
    EXPECT_EQ(elements_of(shown), 1);
    EXPECT_EQ(Overlay(boxes).shown_in(Box{}).size(), 1U);
}

TEST(Overlay, LooksNoFurtherOnceAllIsCovered) {
    const std::vector<Box> boxes{{{0}, {9}}, {{2}, {5}}};
    const auto shown = overlay(boxes, {{3}, {2}});
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_EQ(shown.front().layer, 1U);
    EXPECT_EQ(shown.front().part, (Box{{3}, {2}}));
}

}  // namespace
}  // namespace staithe::store::space
