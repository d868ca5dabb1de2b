#include "store/space/mask_boxes.hpp"

#include <algorithm>
#include <random>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

using Marks = std::vector<std::uint8_t>;

TEST(BoxesOf, AreFew) {
    EXPECT_EQ(boxes_of(Marks(24, 1), {2, 3, 4}), (std::vector<Box>{Box::whole({2, 3, 4})}));
    EXPECT_TRUE(boxes_of(Marks(24, 0), {2, 3, 4}).empty());
    EXPECT_EQ(boxes_of(Marks{1}, {}), std::vector<Box>{Box()});
    EXPECT_TRUE(boxes_of(Marks{0}, {}).empty());
    EXPECT_TRUE(boxes_of(Marks{}, {3, 0}).empty());
    EXPECT_EQ(boxes_of(Marks{0, 1, 1, 0, 1}, {5}), (std::vector<Box>{{{1}, {2}}, {{4}, {1}}}));
    const Marks two_and_a_tail{0, 1, 1, 0,  //
                               0, 1, 1, 0,  //
                               1, 1, 1, 0,  //
                               1, 1, 1, 0};
    EXPECT_EQ(boxes_of(two_and_a_tail, {4, 4}), (std::vector<Box>{{{0, 1}, {2, 2}}, {{2, 0}, {2, 3}}}));
    const Marks columns{1, 0, 1,  //
                        1, 0, 1,  //
                        0, 0, 1,  //
                        1, 0, 1};
    EXPECT_EQ(boxes_of(columns, {4, 3}), (std::vector<Box>{{{0, 0}, {2, 1}}, {{0, 2}, {4, 1}}, {{3, 0}, {1, 1}}}));
}

TEST(BoxesOf, HoldEachMarkedElementOnce) {
    std::mt19937 random(5);
    for (int i = 0; i < 1500; ++i) {
        Extents shape;
        const auto dimensions = 1 + random() % 4;
        for (std::size_t k = 0; k < dimensions; ++k) {
            shape.push_back(static_cast<std::int64_t>(1 + random() % 6));
        }
        // Some boxes, and some noise.
        Marks marks(static_cast<std::size_t>(*volume(shape)), 0);
        const auto fill = [&](const Box& box, auto change) {
            for (std::size_t at = 0; at < marks.size(); ++at) {
                auto rest = static_cast<std::int64_t>(at);
                bool is_inside = true;
                for (std::size_t k = dimensions; k-- > 0; rest /= shape[k]) {
                    const std::int64_t index = rest % shape[k] - box.offset[k];
                    is_inside = is_inside && index >= 0 && index < box.count[k];
                }
                if (is_inside) {
                    change(marks[at]);
                }
            }
        };
        for (int n = 0; n < 3; ++n) {
            Box box = Box::whole(shape);
            for (std::size_t k = 0; k < dimensions; ++k) {
                box.offset[k] = static_cast<std::int64_t>(random() % static_cast<unsigned>(shape[k]));
                box.count[k] =
                    1 + static_cast<std::int64_t>(random() % static_cast<unsigned>(shape[k] - box.offset[k]));
            }
            fill(box, [](std::uint8_t& mark) { mark = 1; });
        }
        for (unsigned n = random() % 4; n > 0; --n) {
            marks[random() % marks.size()] ^= 1U;
        }

        const std::vector<Box> boxes = boxes_of(marks, shape);
        ASSERT_TRUE(std::is_sorted(boxes.begin(), boxes.end(), [](const Box& a, const Box& b) {
            return std::ranges::lexicographical_compare(a.offset, b.offset);
        }));
        const Marks before = marks;
        for (const Box& box : boxes) {
            ASSERT_TRUE(fits(box, shape));
            fill(box, [](std::uint8_t& mark) { mark = mark == 1 ? 2 : 3; });
        }
        Marks expected = before;
        std::ranges::replace(expected, std::uint8_t{1}, std::uint8_t{2});
        ASSERT_EQ(marks, expected) << to_string(shape);
    }
}

}  // namespace
}  // namespace staithe::store::space
