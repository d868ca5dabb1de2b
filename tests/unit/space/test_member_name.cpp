#include "space/member_name.hpp"

#include <string>

#include <gtest/gtest.h>

namespace staithe::space {
namespace {

TEST(MemberName, SaysWhichOfHowManyItIs) {
    EXPECT_EQ(member_name("run7", 0, 1), "run7");
    EXPECT_EQ(member_name("run7.b", 2, 4), "run7.b.2-of-4");
    const auto member = member_of("run7.b.2-of-4");
    ASSERT_TRUE(member);
    EXPECT_EQ(member->servers, "run7.b");
    EXPECT_EQ(member->rank, 2);
    EXPECT_EQ(member->size, 4);
}

TEST(MemberName, OthersAreThoseOfServersAlone) {
    for (const std::string name :
         {"run7", "run7.2", "run7.2-of-", "run7.-of-4", ".2-of-4", "run7.4-of-4", "run7.-1-of-4", "run7.1-of-4x",
          "run7.1-of-99999999999", "run7.1-of-5000", "-of-", "2-of-4", ""}) {
        EXPECT_FALSE(member_of(name)) << name;
    }
}

}  // namespace
}  // namespace staithe::space
