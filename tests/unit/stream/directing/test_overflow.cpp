#include "stream/directing/overflow.hpp"

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

TEST(Overflow, NamesArePoliciesAndBack) {
    for (const char* name :
         {"block", "drop-oldest", "drop-newest", "keep-every-1", "keep-every-250", "latest", "compress", "spill"}) {
        const auto overflow = parse_overflow(name);
        ASSERT_TRUE(overflow) << name;
        EXPECT_EQ(to_string(*overflow), name);
    }
}

TEST(Overflow, OtherTextsAreNone) {
    for (const char* text : {"", "drop", "Block", "keep-every", "keep-every-", "keep-every-0", "keep-every--2",
                             "keep-every-3 ", "keep-every-99999999999999999999", "latest "}) {
        const auto overflow = parse_overflow(text);
        ASSERT_FALSE(overflow) << text;
        EXPECT_EQ(overflow.error().code, ErrorCode::invalid_argument);
    }
}

TEST(Overflow, PoliciesSayWhoMayLoseWhat) {
    const auto policy = [](const char* name) { return parse_overflow(name).value(); };
    for (const char* lossless : {"block", "compress", "spill"}) {
        EXPECT_TRUE(policy(lossless).is_lossless());
        EXPECT_FALSE(policy(lossless).gives_way(5));
        EXPECT_FALSE(policy(lossless).may_miss(5));
    }
    for (const char* any : {"drop-oldest", "latest"}) {
        EXPECT_FALSE(policy(any).is_lossless());
        EXPECT_TRUE(policy(any).gives_way(0));
        EXPECT_TRUE(policy(any).may_miss(0));
    }
    EXPECT_FALSE(policy("drop-newest").gives_way(5));
    EXPECT_TRUE(policy("drop-newest").may_miss(5));
    EXPECT_TRUE(policy("keep-every-5").gives_way(6));
    EXPECT_TRUE(policy("keep-every-5").may_miss(6));
    EXPECT_FALSE(policy("keep-every-5").gives_way(10));
    EXPECT_FALSE(policy("keep-every-5").may_miss(0));
}

}  // namespace
}  // namespace staithe::stream
