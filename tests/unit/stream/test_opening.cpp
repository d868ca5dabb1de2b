#include "stream/opening.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"

namespace staithe::stream {
namespace {

using testing::EnvironmentVariable;

TEST(Opening, TimeoutIsChosenByArgumentOrEnvironment) {
    const EnvironmentVariable none("STAITHE_TIMEOUT", nullptr);
    EXPECT_EQ(resolve_timeout(0.0).value(), 0.0);
    EXPECT_FALSE(resolve_timeout(-0.1));
    EXPECT_FALSE(resolve_timeout(NAN));
    EXPECT_EQ(resolve_timeout(INFINITY).value(), INFINITY);
    EXPECT_EQ(resolve_timeout({}).value(), std::nullopt);
    const EnvironmentVariable timeout("STAITHE_TIMEOUT", "2.5");
    EXPECT_EQ(resolve_timeout({}).value(), 2.5);
}

TEST(Opening, ChosenTimeHoldsForAllElseOnlyForWhoIsToAppear) {
    const OpeningTime chosen(0.0);
    EXPECT_TRUE(chosen.of_greetings().passed());
    EXPECT_TRUE(chosen.of_answers().passed());
    const OpeningTime ours(std::nullopt);
    EXPECT_EQ(ours.deadline.seconds(), default_timeout);
    EXPECT_EQ(ours.of_answers().seconds(), base::forever);
}

TEST(Opening, RanksCountFromZero) {
    EXPECT_TRUE(check_group({.rank = 2, .size = 3}));
    for (const Group& group :
         {Group{.rank = 3, .size = 3}, Group{.rank = -1, .size = 3}, Group{.rank = 0, .size = 0}}) {
        EXPECT_EQ(check_group(group).error().code, ErrorCode::invalid_argument);
    }
}

}  // namespace
}  // namespace staithe::stream
