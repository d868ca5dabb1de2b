#include "base/budget.hpp"

#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/watchdog.hpp"

namespace staithe::base {
namespace {

using testing::EnvironmentVariable;

/// Sets limits for the time of a test.
class BudgetTest : public ::testing::Test {
  public:
    ~BudgetTest() override { set_limits({}); }

  private:
    testing::Watchdog watchdog_;
    EnvironmentVariable environment_{"STAITHE_LIMITS", nullptr};
};

TEST_F(BudgetTest, WithoutLimitsEverythingIsClaimedAndCounted) {
    set_limits({});
    EXPECT_FALSE(limits().memory);
    const std::int64_t before = usage().memory;
    {
        const auto claimed = claim(Resource::memory, std::int64_t{1} << 50, "try");
        ASSERT_TRUE(claimed);
        EXPECT_EQ(usage().memory, before + (std::int64_t{1} << 50));
    }
    EXPECT_EQ(usage().memory, before);
}

TEST_F(BudgetTest, LimitIsReachedExactly) {
    set_limits({.connections = 3});
    auto two = claim(Resource::connections, 2, "connect");
    ASSERT_TRUE(two);
    EXPECT_TRUE(has_room(Resource::connections, 1));
    EXPECT_FALSE(has_room(Resource::connections, 2));
    auto one = claim(Resource::connections, 1, "connect");
    ASSERT_TRUE(one);
    EXPECT_FALSE(claim(Resource::connections, 1, "connect"));
    *two = Claim();
    EXPECT_EQ(usage().connections, 1);
    EXPECT_TRUE(claim(Resource::connections, 2, "connect"));
}

TEST_F(BudgetTest, FailureNamesResourceLimitUsageAndRemedy) {
    set_limits({.memory = 500'000'000});
    const auto held = claim(Resource::memory, 480'000'000, "hold");
    const auto refused = claim(Resource::memory, 33'000'000, "enlarge the pool 'melt'");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
    EXPECT_EQ(
        refused.error().message,
        "cannot enlarge the pool 'melt': that takes 33 MB of memory, and this process holds 480 MB of memory of the "
        "500 MB of memory that it may: raise the limit `memory` (set_limits, STAITHE_LIMITS), or hold less at "
        "once: smaller queues (queue_steps, queue_bytes), steps that readers release sooner, fewer devices");
}

TEST_F(BudgetTest, ClaimsMoveAndAreGivenBackOnce) {
    const std::int64_t before = usage().descriptors;
    auto first = *claim(Resource::descriptors, 2, "open");
    Claim second(std::move(first));
    Claim third;
    third = std::move(second);
    first = Claim();
    EXPECT_EQ(usage().descriptors, before + 2);
    third = Claim();
    EXPECT_EQ(usage().descriptors, before);
}

TEST_F(BudgetTest, WhatIsThereAlreadyCountsBeyondTheLimit) {
    set_limits({.bytes_in_flight = 10});
    const Claim large(Resource::bytes_in_flight, 100);
    EXPECT_EQ(usage().bytes_in_flight, 100);
    EXPECT_FALSE(has_room(Resource::bytes_in_flight, 0));
    EXPECT_FALSE(claim(Resource::bytes_in_flight, 1, "send"));
}

TEST_F(BudgetTest, AHoldingCountsWithoutAClaim) {
    set_limits({.bytes_in_flight = 100});
    {
        Holding first(Resource::bytes_in_flight);
        Holding second(Resource::bytes_in_flight);
        const Holding of_something_else(Resource::memory);
        first.set(60);
        second.set(30);
        EXPECT_EQ(usage().bytes_in_flight, 90);
        EXPECT_TRUE(has_room(Resource::bytes_in_flight, 10));
        EXPECT_FALSE(has_room(Resource::bytes_in_flight, 11));
        EXPECT_FALSE(claim(Resource::bytes_in_flight, 11, "send"));
        first.set(0);
        EXPECT_EQ(usage().bytes_in_flight, 30);
    }
    EXPECT_EQ(usage().bytes_in_flight, 0);
}

TEST_F(BudgetTest, WaitingEndsWhenSomeIsGivenBack) {
    set_limits({.connections = 1});
    auto held = claim(Resource::connections, 1, "connect");
    std::thread giving_back([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        *held = Claim();
    });
    EXPECT_TRUE(claim(Resource::connections, 1, "connect", Deadline(Seconds(20))));
    giving_back.join();
}

TEST_F(BudgetTest, WaitingEndsWhenTheLimitIsRaised) {
    set_limits({.connections = 1});
    const auto held = claim(Resource::connections, 1, "connect");
    std::thread raising([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        set_limits({.connections = 2});
    });
    EXPECT_TRUE(claim(Resource::connections, 1, "connect", Deadline(Seconds(20))));
    raising.join();
}

TEST_F(BudgetTest, WaitingEndsAtTheDeadlineAndSaysHowLongItWas) {
    set_limits({.connections = 1});
    const auto held = claim(Resource::connections, 1, "connect");
    const auto refused = claim(Resource::connections, 1, "connect", Deadline(Seconds(0.05)));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
    EXPECT_NE(refused.error().message.find("waited 0.05 s"), std::string::npos) << refused.error().message;
}

TEST_F(BudgetTest, NobodyWaitsForWhatCannotBe) {
    set_limits({.connections = 1});
    EXPECT_FALSE(claim(Resource::connections, 2, "connect", Deadline(Seconds(1000))));
}

TEST_F(BudgetTest, ThreadsNeverExceedTheLimitAndAllGetTheirTurn) {
    set_limits({.connections = 3});
    const std::int64_t before = usage().connections;
    std::atomic<int> holders{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i) {
        threads.emplace_back([&] {
            for (int turn = 0; turn < 200; ++turn) {
                const auto one = claim(Resource::connections, 1, "connect", Deadline(Seconds(50)));
                ASSERT_TRUE(one);
                EXPECT_LE(++holders, 3);
                --holders;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(usage().connections, before);
}

TEST_F(BudgetTest, EnvironmentSetsWhatTheProgramDoesNot) {
    const EnvironmentVariable environment("STAITHE_LIMITS", R"({"memory": "2 GiB", "connections": 100})");
    set_limits({.connections = 5});
    EXPECT_EQ(limits().memory, std::int64_t{2} << 30);
    EXPECT_EQ(limits().connections, 5);
    EXPECT_FALSE(limits().descriptors);
    set_limits({});
    EXPECT_EQ(limits().connections, 100);
}

TEST_F(BudgetTest, EnvironmentThatMakesNoSenseIsRefused) {
    for (const char* wrong : {"{", "[]", "5", R"({"memory": -1})", R"({"memory": "much"})", R"({"memory": 1.5})",
                              R"({"memory": null})", R"({"ram": 5})", R"({"memory": {}})"}) {
        const EnvironmentVariable environment("STAITHE_LIMITS", wrong);
        EXPECT_EQ(refresh_limits().error().code, ErrorCode::invalid_argument) << wrong;
        EXPECT_THROW(static_cast<void>(limits()), InvalidArgument) << wrong;
    }
}

TEST_F(BudgetTest, NegativeLimitIsRefusedAndChangesNothing) {
    set_limits({.connections = 5});
    EXPECT_THROW(set_limits({.memory = -1}), InvalidArgument);
    EXPECT_EQ(limits().connections, 5);
}

TEST_F(BudgetTest, LimitsThatTheEnvironmentSpoilsChangeNothing) {
    set_limits({.connections = 5});
    {
        const EnvironmentVariable environment("STAITHE_LIMITS", "nonsense");
        EXPECT_THROW(set_limits({.connections = 7}), InvalidArgument);
    }
    EXPECT_EQ(limits().connections, 5);
}

TEST_F(BudgetTest, ForkedChildHoldsNothingButItsParentsNumbersOfDescriptors) {
    const Claim memory(Resource::memory, 1000);
    const Claim descriptors(Resource::descriptors, 3);
    testing::ChildProcess child([] {
        forget_claims_of_parent();
        EXPECT_EQ(usage().memory, 0);
        EXPECT_GE(usage().descriptors, 3);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    EXPECT_GE(usage().memory, 1000);
}

}  // namespace
}  // namespace staithe::base
