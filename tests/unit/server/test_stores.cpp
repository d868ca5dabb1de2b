#include "server/stores.hpp"

#include <gtest/gtest.h>

namespace staithe::testing {
namespace {

using server::begin_of_stores;
using server::is_made_from;

TEST(Stores, AreKnownByWhoMadeThem) {
    for (const int servers : {1, 2, 3, 256}) {
        server::Stores stores({.servers = "group", .rank = servers - 1, .size = servers});
        for (int i = 0; i < 3; ++i) {
            const std::uint32_t number = stores.make("a pool").value()->store();
            EXPECT_EQ(number % static_cast<std::uint32_t>(servers), static_cast<std::uint32_t>(servers - 1));
            EXPECT_TRUE(is_made_from(begin_of_stores(), number, servers));
            const std::uint32_t half = UINT32_MAX / static_cast<std::uint32_t>(servers) / 2;
            EXPECT_FALSE(is_made_from(begin_of_stores() + half, number, servers)) << "another process in its place";
        }
    }
}

TEST(Stores, NumbersGoRoundBehindTheLast) {
    const std::uint32_t last = UINT32_MAX / 3 - 1;
    EXPECT_TRUE(is_made_from(last, last * 3 + 1, 3));
    EXPECT_TRUE(is_made_from(last, 1, 3));
    EXPECT_FALSE(is_made_from(0, last * 3 + 1, 3)) << "the one before";
}

}  // namespace
}  // namespace staithe::testing
