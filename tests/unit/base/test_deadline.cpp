#include "base/deadline.hpp"

#include <limits>
#include <thread>

#include <gtest/gtest.h>

namespace staithe::base {
namespace {

using namespace std::chrono_literals;

TEST(Deadline, PassesWhenItsTimeIsOver) {
    const Deadline deadline(Seconds(0.5));
    EXPECT_FALSE(deadline.passed());
    EXPECT_GT(deadline.left(), 0ms);
    EXPECT_LE(deadline.left(), 500ms);
    std::this_thread::sleep_until(deadline.at());
    EXPECT_TRUE(deadline.passed());
    EXPECT_EQ(deadline.left(), 0ms);
    EXPECT_EQ(deadline.seconds(), 0.5) << "what was granted, for messages";
}

TEST(Deadline, OfNoTimeOrLessHasPassed) {
    EXPECT_TRUE(Deadline(Seconds(0)).passed());
    EXPECT_TRUE(Deadline(Seconds(-5)).passed());
    EXPECT_TRUE(Deadline(Seconds(-std::numeric_limits<double>::infinity())).passed());
}

TEST(Deadline, FarAwayStaysWithinTheClocksRange) {
    for (const double seconds : {1e9, 1e300, std::numeric_limits<double>::infinity()}) {
        const Deadline deadline{Seconds(seconds)};
        EXPECT_FALSE(deadline.passed());
        EXPECT_GT(deadline.left(), 24h * 300);
    }
}

}  // namespace
}  // namespace staithe::base
