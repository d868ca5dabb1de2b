#include "stream/writing/run_ahead.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

constexpr std::int64_t mib = std::int64_t{1} << 20;

TEST(RunAhead, TwoLargeStepsAreFar) {
    EXPECT_FALSE(RunAhead::is_far(1, 64 * mib));
    EXPECT_TRUE(RunAhead::is_far(2, 64 * mib));
    EXPECT_TRUE(RunAhead::is_far(2, mib));
}

TEST(RunAhead, SmallStepsFillTheirQueue) {
    EXPECT_FALSE(RunAhead::is_far(7, mib / 4));
    EXPECT_FALSE(RunAhead::is_far(1000, 1024));
    EXPECT_FALSE(RunAhead::is_far(1000, 0));
}

TEST(RunAhead, WaitsAsLongAsColdMemoryWouldTake) {
    RunAhead run_ahead;
    EXPECT_GT(run_ahead.worth_waiting(mib).count(), 0.0);
    EXPECT_DOUBLE_EQ(run_ahead.worth_waiting(64 * mib).count(), 64 * run_ahead.worth_waiting(mib).count());
}

TEST(RunAhead, GivesUpOnReadersThatDoNotComeAndTriesAgainSeldom) {
    RunAhead run_ahead;
    int waits = 0;
    for (int step = 0; step < 100; ++step) {
        if (run_ahead.worth_waiting(mib).count() > 0.0) {
            ++waits;
            run_ahead.waited(false);
        }
    }
    EXPECT_GE(waits, 5);
    EXPECT_LE(waits, 15);
    while (run_ahead.worth_waiting(mib).count() == 0.0) {
    }
    run_ahead.waited(true);
    EXPECT_GT(run_ahead.worth_waiting(mib).count(), 0.0);
}

}  // namespace
}  // namespace staithe::stream
