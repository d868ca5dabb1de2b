#include "store/remote/connection_count.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::remote {
namespace {

constexpr std::int64_t step_bytes = 64 << 20;

/// A fetch of a step over a way that carries so many bytes a second, and so many of each connection.
void fetch(ConnectionCount& count, double of_way, double of_connection) {
    const double rate = std::min(of_way, of_connection * count.now());
    count.took(count.now(), step_bytes, base::Seconds(static_cast<double>(step_bytes) / rate));
}

TEST(ConnectionCount, IsOneWhereOneFillsTheWay) {
    ConnectionCount count(1, 16);
    for (int step = 0; step < 3; ++step) {
        fetch(count, 3e9, 3e9);
    }
    EXPECT_EQ(count.now(), 1);
}

TEST(ConnectionCount, IsFoundWithinThreeStepsWhereEachIsHeldBack) {
    ConnectionCount count(1, 16);
    fetch(count, 2e9, 0.125e9);
    fetch(count, 2e9, 0.125e9);
    EXPECT_EQ(count.now(), 16);
}

TEST(ConnectionCount, GoesBackToTheMostThatWereWorthIt) {
    ConnectionCount count(1, 16);
    for (int step = 0; step < 8; ++step) {
        fetch(count, 1e9, 0.125e9);
    }
    EXPECT_EQ(count.now(), 8);
}

TEST(ConnectionCount, IsPatientWithConnectionsThatStillBecomeFaster) {
    ConnectionCount count(1, 16);
    fetch(count, 1e9, 1e9);
    for (const double rate : {0.6e9, 0.8e9, 1e9, 1.2e9}) {
        fetch(count, rate, rate);
        EXPECT_EQ(count.now(), 8) << rate;
    }
    fetch(count, 1.4e9, 1e9);
    EXPECT_EQ(count.now(), 16) << "8 were worth it";
    fetch(count, 1e9, 1e9);
    fetch(count, 1e9, 1e9);
    EXPECT_EQ(count.now(), 8);
}

TEST(ConnectionCount, TriesMoreAgainSoonAndThenSeldom) {
    ConnectionCount count(1, 16);
    std::vector<int> pauses;  // fetches over one connection between those over more
    int pause = 0;
    for (int step = 0; step < 100; ++step) {
        if (count.now() > 1 && pause > 0) {
            pauses.push_back(pause);
        }
        pause = count.now() > 1 ? 0 : pause + 1;
        fetch(count, 1e9, 1e9);
    }
    EXPECT_EQ(pauses, (std::vector<int>{1, 8, 16, 32}));
}

TEST(ConnectionCount, FindsMoreWorthItThatWereNotAtFirst) {
    ConnectionCount count(1, 16);
    fetch(count, 2e9, 0.125e9);
    fetch(count, 2e9, 0.125e9);
    ASSERT_EQ(count.now(), 16);
    fetch(count, 1e9, 0.125e9);  // others need the way, or the cores
    fetch(count, 1e9, 0.125e9);
    ASSERT_EQ(count.now(), 8);
    for (int step = 0; step < 8; ++step) {
        fetch(count, 2e9, 0.125e9);
    }
    EXPECT_EQ(count.now(), 16) << "they are tried again";
    fetch(count, 2e9, 0.125e9);
    EXPECT_EQ(count.now(), 16) << "and worth it now";
}

TEST(ConnectionCount, LearnsNothingFromSmallFetchesAndOtherNumbers) {
    ConnectionCount count(1, 16);
    count.took(1, 1000, base::Seconds(1e-6));
    EXPECT_EQ(count.now(), 1);
    count.took(1, step_bytes, base::Seconds(1));
    EXPECT_EQ(count.now(), 8);
    count.took(1, step_bytes, base::Seconds(1));
    EXPECT_EQ(count.now(), 8) << "one that was asked before";
}

TEST(ConnectionCount, StaysWhatItWasSet) {
    ConnectionCount count(3, 3);
    fetch(count, 1e9, 0.1e9);
    EXPECT_EQ(count.now(), 3);
}

}  // namespace
}  // namespace staithe::store::remote
