#include "transport/patience.hpp"

#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::transport {
namespace {

using namespace std::chrono_literals;

TEST(Patience, GivesSpinningUpWhenItFailsAndTriesAgainLater) {
    Patience patience;
    const auto longest = patience.spin_time();
    if (longest == 0ns) {
        GTEST_SKIP() << "one core: nobody spins";
    }
    for (int i = 0; i < 10; ++i) {
        patience.spinning_failed();
    }
    EXPECT_EQ(patience.spin_time(), 0ns);
    for (int i = 0; i < 6; ++i) {
        patience.spinning_failed();
    }
    EXPECT_EQ(patience.spin_time(), longest);
    patience.spinning_failed();
    EXPECT_LT(patience.spin_time(), longest);
    patience.spinning_paid();
    EXPECT_EQ(patience.spin_time(), longest);
}

TEST(Patience, EndsSoonWhereLookingTakesLong) {
    Patience patience;
    int looks = 0;
    EXPECT_FALSE(spin(patience, [&] {
        ++looks;
        std::this_thread::sleep_for(patience.spin_time());
        return false;
    }));
    EXPECT_LE(looks, 1);
}

TEST(Patience, ShowsSinceWhenItsOwnerSleeps) {
    std::vector<std::int64_t> shown;
    Patience patience;
    patience.show_sleep_by([&](std::int64_t since) { shown.push_back(since); });
    {
        const Patience::Sleep sleep(patience, base::Clock::time_point(7ns));
        const Patience::Sleep shorter(patience, base::Clock::time_point(9ns));
        EXPECT_EQ(shown, std::vector<std::int64_t>{7});
    }
    EXPECT_EQ(shown, (std::vector<std::int64_t>{7, 0}));
    EXPECT_FALSE(wait_by(base::Deadline(base::Seconds(0)), patience, [] { return false; }, [] { return false; }));
    ASSERT_EQ(shown.size(), 4U);
    EXPECT_GT(shown[2], 0);
    EXPECT_EQ(shown[3], 0);
}

}  // namespace
}  // namespace staithe::transport
