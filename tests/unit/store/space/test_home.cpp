#include "store/space/home.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

/// Programs and servers of different builds have to agree.
TEST(Home, IsTheSameForEver) {
    EXPECT_EQ(home_of("campaign", "T", 1), 0);
    EXPECT_EQ(home_of("campaign", "T", 4), 1);
    EXPECT_EQ(home_of("campaign", "U", 4), 1);
    EXPECT_EQ(home_of("campaign", "run/3/pressure", 7), 5);
    EXPECT_EQ(home_of("another", "T", 256), 49);
}

TEST(Home, HasItsShareOfTheNames) {
    for (const int servers : {2, 3, 7, 256}) {
        const int names = 400 * servers;
        std::vector<int> counts(static_cast<std::size_t>(servers));
        for (int i = 0; i < names; ++i) {
            ++counts.at(static_cast<std::size_t>(home_of("campaign", "run/" + std::to_string(i), servers)));
        }
        EXPECT_LT(*std::ranges::max_element(counts), 400 * 1.25);
        EXPECT_GT(*std::ranges::min_element(counts), 400 * 0.75);
    }
}

TEST(Home, OfMostNamesStaysWhenAServerIsAdded) {
    int moved = 0;
    for (int i = 0; i < 8000; ++i) {
        const std::string name = std::to_string(i);
        const int before = home_of("campaign", name, 7), after = home_of("campaign", name, 8);
        moved += before != after ? 1 : 0;
        EXPECT_TRUE(after == before || after == 7);
    }
    EXPECT_NEAR(moved, 1000, 150);
}

}  // namespace
}  // namespace staithe::store::space
