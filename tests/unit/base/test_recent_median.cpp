#include "base/recent_median.hpp"

#include <gtest/gtest.h>

namespace staithe::base {
namespace {

TEST(RecentMedian, IsOfTheLastFiveAndOfFewerBefore) {
    RecentMedian of;
    EXPECT_EQ(of.median(), 0.0);
    of.add(9.0);
    EXPECT_EQ(of.median(), 9.0);
    of.add(1.0);
    EXPECT_EQ(of.median(), 1.0);
    for (const double each : {2.0, 1.5, 100.0}) {
        of.add(each);
    }
    EXPECT_EQ(of.median(), 2.0);
    for (int i = 0; i < 3; ++i) {
        of.add(50.0);
    }
    EXPECT_EQ(of.median(), 50.0);
}

}  // namespace
}  // namespace staithe::base
