#include "store/space/locked_boxes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "store/space/lock.hpp"

namespace staithe::store::space {
namespace {

constexpr std::int64_t far_away = std::int64_t{1} << 62;
constexpr std::int64_t last_element = std::numeric_limits<std::int64_t>::max() - 1;

TEST(LockedBoxes, BoxesMeetWhereTheyShareAnElement) {
    EXPECT_TRUE(meet({{0, 0}, {4, 4}}, {{3, 3}, {4, 4}}));
    EXPECT_FALSE(meet({{0, 0}, {4, 4}}, {{4, 0}, {4, 4}}));
    EXPECT_FALSE(meet({{0}, {0}}, {{0}, {4}}));
    EXPECT_FALSE(meet({{2}, {0}}, {{0}, {4}}));
    EXPECT_TRUE(meet({{far_away}, {far_away - 1}}, {{last_element}, {1}}));
    EXPECT_FALSE(meet({{far_away}, {1}}, {{far_away + 1}, {1}}));
}

TEST(LockedBoxes, BoxesOfFewerDimensionsReachOverTheOthers) {
    EXPECT_TRUE(meet({}, {{7, 7}, {1, 1}}));
    EXPECT_TRUE(meet({}, {}));
    EXPECT_FALSE(meet({}, {{7, 7}, {1, 0}}));
    EXPECT_TRUE(meet({{7}, {1}}, {{7, 100}, {1, 1}}));
    EXPECT_FALSE(meet({{8}, {1}}, {{7, 100}, {1, 1}}));
}

TEST(LockedBoxes, WhatIsWithin) {
    EXPECT_TRUE(is_within({}, {}));
    EXPECT_TRUE(is_within({}, {{1}, {2}}));
    EXPECT_FALSE(is_within({{1}, {2}}, {}));
    EXPECT_TRUE(is_within({{1}, {2}}, {{1, 5}, {2, 5}}));
    EXPECT_FALSE(is_within({{1, 5}, {2, 5}}, {{1}, {2}}));
    EXPECT_FALSE(is_within({{1}, {2}}, {{0}, {2}}));
    EXPECT_FALSE(is_within({{1}, {2}}, {{2}, {2}}));
    EXPECT_TRUE(is_within({{1}, {2}}, {{100}, {0}}));
    EXPECT_TRUE(is_within({{far_away}, {far_away - 1}}, {{last_element}, {1}}));
}

/// Element by element of an array of 5 × 5.
std::vector<bool> elements_of(const Box& box) {
    std::vector<bool> elements;
    for (std::int64_t i = 0; i < 5; ++i) {
        for (std::int64_t j = 0; j < 5; ++j) {
            const Extents place{i, j};
            bool inside = true;
            for (std::size_t d = 0; d < box.dimensions(); ++d) {
                inside = inside && place[d] >= box.offset[d] && place[d] < box.offset[d] + box.count[d];
            }
            elements.push_back(inside);
        }
    }
    return elements;
}

Box box_at_random(std::mt19937_64& random) {
    Box box;
    for (std::uint64_t left = random() % 3; left > 0; --left) {
        const auto offset = static_cast<std::int64_t>(random() % 5);
        box.offset.push_back(offset);
        box.count.push_back(static_cast<std::int64_t>(random() % 4) % (6 - offset));
    }
    return box;
}

TEST(LockedBoxes, AgreeWithALookAtEachElement) {
    std::mt19937_64 random(31);
    for (int round = 0; round < 300; ++round) {
        LockedBoxes boxes;
        std::map<std::int64_t, Lock> locks;
        for (std::int64_t number = 1; number <= 100; ++number) {
            if (random() % 3 != 0 || locks.empty()) {
                Lock& lock = locks[number];
                lock.request = number;
                lock.box = box_at_random(random);
                boxes.add(number, lock.box, &lock);
            } else {
                const auto victim = std::next(locks.begin(), static_cast<std::ptrdiff_t>(random() % locks.size()));
                boxes.remove(victim->first);
                locks.erase(victim);
            }
            const Box box = box_at_random(random);
            const auto wanted = elements_of(box);
            std::vector<std::int64_t> expected;
            for (const auto& [request, lock] : locks) {
                const auto elements = elements_of(lock.box);
                bool shared = false;
                bool within = true;
                for (std::size_t i = 0; i < elements.size(); ++i) {
                    shared = shared || (elements[i] && wanted[i]);
                    within = within && (!wanted[i] || elements[i]);
                }
                ASSERT_EQ(meet(lock.box, box), shared);
                // A box of fewer dimensions reaches further than this array.
                ASSERT_EQ(is_within(lock.box, box),
                          within && (is_empty(box) || lock.box.dimensions() <= box.dimensions()));
                if (shared) {
                    expected.push_back(request);
                }
            }
            std::vector<std::int64_t> found;
            ASSERT_TRUE(boxes.meeting(box, [&](const Lock& lock) {
                found.push_back(lock.request);
                return true;
            }));
            ASSERT_EQ(found, expected);
            ASSERT_EQ(boxes.meeting(box, [](const Lock& /*lock*/) { return false; }), expected.empty());
        }
    }
}

}  // namespace
}  // namespace staithe::store::space
