#include "transform/choosing/recent_factor.hpp"

#include <gtest/gtest.h>

namespace staithe::transform {
namespace {

/// What takes so long with what it is known to take, as often.
void see(RecentFactor& factor, double longer, int times) {
    for (int i = 0; i < times; ++i) {
        factor.see(longer / factor.now());
    }
}

TEST(RecentFactor, IsOneAtFirst) { EXPECT_DOUBLE_EQ(RecentFactor().now(), 1.0); }

TEST(RecentFactor, HardlyMovesForWhatWasInterruptedOnce) {
    RecentFactor factor;
    EXPECT_LT(factor.see(8.0), 1.5) << "as far as it counts";
    EXPECT_LT(factor.now(), 1.15);
    see(factor, 1.0, 8);
    EXPECT_NEAR(factor.now(), 1.0, 0.02);
}

TEST(RecentFactor, FollowsWhatHasChanged) {
    RecentFactor factor;
    see(factor, 8.0, 8);
    EXPECT_GT(factor.now(), 5.0);
    see(factor, 1.0, 8);
    EXPECT_LT(factor.now(), 1.5);
}

TEST(RecentFactor, TakesWhatIsLongAndThenShortForTwoInterruptions) {
    RecentFactor factor;
    for (int i = 0; i < 100; ++i) {
        factor.see(i % 2 == 0 ? 8.0 : 1.0 / 8.0);
    }
    EXPECT_NEAR(factor.now(), 1.0, 0.15);
}

TEST(RecentFactor, ForgetsWhatIsNotSeenAgain) {
    RecentFactor factor;
    see(factor, 4.0, 20);
    for (int i = 0; i < 100; ++i) {
        factor.fade();
    }
    EXPECT_NEAR(factor.now(), 1.0, 0.02);
}

}  // namespace
}  // namespace staithe::transform
