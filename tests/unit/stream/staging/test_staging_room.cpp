// Staging where servers have no room for all that is written.
#include <algorithm>
#include <iterator>
#include <random>

#include "unit/stream/staging/staging_test.hpp"

namespace staithe::stream {
namespace {

TEST_F(StagingTest, WhatFindsNoRoomIsFetchedWhenThereIsSome) {
    ToldDepot& depot = add("beta");
    depot.room = 1000;
    staging_.expect(0, on("alpha"));
    ASSERT_TRUE(staging_.say(0, record(0, {900})));
    ASSERT_TRUE(staging_.say(0, record(1, {900})));
    fetch_all();
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{0});
    staging_.advance(1);
    fetch_all();
    EXPECT_TRUE(staging_.lacks_room(0));
    ASSERT_TRUE(staging_.try_again());
    fetch_all();
    EXPECT_TRUE(staging_.lacks_room(0));
    staging_.forget(0);
    ASSERT_TRUE(staging_.try_again());
    fetch_all();
    EXPECT_FALSE(staging_.lacks_room(0));
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{1});
}

TEST_F(StagingTest, RoomThatCameMeanwhileIsUsedAtOnce) {
    ToldDepot& depot = add("beta");
    depot.room = 1000;
    staging_.expect(0, on("alpha"));
    ASSERT_TRUE(staging_.say(0, record(0, {900})));
    fetch_all();
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{0});
    staging_.advance(1);
    ASSERT_TRUE(staging_.say(0, record(1, {900})));
    depot.fetch();       // in vain
    staging_.forget(0);  // before that is known
    fetch_all();
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{1});
}

TEST_F(StagingTest, NothingGoesToAServerThatIsBeingDrained) {
    add("alpha");
    ToldDepot& drained = add("beta");
    staging_.expect(0, on("beta"));
    ASSERT_TRUE(staging_.say(0, record(0, {960})));
    fetch_all();
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{0});
    EXPECT_EQ(used(), (std::vector<std::int64_t>{0, 960}));
    staging_.advance(1);
    ASSERT_TRUE(staging_.say(0, record(1, {960})));
    drained.drains = true;
    drained.room = 0;
    fetch_all();  // it was asked before that was known
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{1});
    staging_.advance(2);
    ASSERT_TRUE(staging_.say(0, record(2, {960})));
    EXPECT_TRUE(drained.waiting.empty());
    fetch_all();
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{2});
    EXPECT_EQ(used(), (std::vector<std::int64_t>{1920, 960})) << "what it has stays";
    staging_.forget(0);
    EXPECT_EQ(used(), (std::vector<std::int64_t>{1920, 0}));
}

TEST_F(StagingTest, ARankThatIsAheadKeepsWhatItHasWritten) {
    ToldDepot& depot = add("beta");
    staging_.expect(0, on("alpha"));
    staging_.expect(1, on("gamma"));
    for (std::int64_t step = 0; step < 4; ++step) {
        ASSERT_TRUE(staging_.say(0, record(step, {960})));
    }
    fetch_all();
    EXPECT_EQ(depot.used, 960);
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{0});
    ASSERT_TRUE(staging_.say(1, record(0, {128})));
    fetch_all();
    EXPECT_EQ(depot.used, 960 + 128);
    EXPECT_EQ(counting(1), std::vector<std::int64_t>{0});
    staging_.advance(1);
    fetch_all();
    EXPECT_EQ(depot.used, 2 * 960 + 128);
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{1});
}

TEST_F(StagingTest, TheOldestStepHasTheRoomOfLaterOnes) {
    ToldDepot& one = add("beta");
    ToldDepot& other = add("gamma");
    one.room = other.room = 1000;
    staging_.expect(0, on("alpha"));
    staging_.expect(1, on("delta"));
    ASSERT_TRUE(staging_.say(0, record(0, {960})));
    ASSERT_TRUE(staging_.say(0, record(1, {960})));
    fetch_all();
    EXPECT_EQ(used(), (std::vector<std::int64_t>{960, 960}));
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{0});
    ASSERT_TRUE(staging_.say(1, record(0, {832})));
    fetch_all();
    EXPECT_EQ(used(), (std::vector<std::int64_t>{960, 832})) << "rank 0 has its part of step 1 still";
    EXPECT_EQ(counting(1), std::vector<std::int64_t>{0});
    staging_.forget(0);
    staging_.advance(1);
    const auto& again = one.waiting.empty() ? other.waiting : one.waiting;
    ASSERT_EQ(again.size(), 1);
    EXPECT_EQ(again.front().first.blocks, record(1, {960}).blocks) << "where the rank has them";
    fetch_all();
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{1});
}

TEST_F(StagingTest, WhatIsOnItsWayMakesRoomForTheOldestStepWhenItComes) {
    ToldDepot& one = add("beta");
    ToldDepot& other = add("gamma");
    one.room = other.room = 1000;
    staging_.expect(0, on("alpha"));
    staging_.expect(1, on("delta"));
    ASSERT_TRUE(staging_.say(0, record(0, {960})));
    ASSERT_TRUE(staging_.say(0, record(1, {960})));
    one.fetch();
    other.fetch();
    const auto of_step_1 = std::exchange(arrivals_, {}).back();
    ASSERT_TRUE(staging_.say(1, record(0, {832})));
    for (ToldDepot* depot : {&other, &one, &other, &one}) {
        if (!depot->waiting.empty()) {
            depot->fetch();
        }
        for (const auto& arrival : std::exchange(arrivals_, {})) {
            EXPECT_FALSE(staging_.note(arrival)) << "nobody else is to make room";
        }
    }
    EXPECT_TRUE(staging_.lacks_room(1));
    EXPECT_FALSE(staging_.note(of_step_1));
    fetch_all();
    EXPECT_FALSE(staging_.lacks_room(1));
    EXPECT_EQ(counting(1), std::vector<std::int64_t>{0});
}

TEST_F(StagingTest, AServerWithoutRoomIsPassedBy) {
    ToldDepot& full = add("beta");
    ToldDepot& empty = add("gamma");
    full.room = 100;
    staging_.expect(0, on("beta"));
    staging_.expect(1, on("alpha"));
    for (std::int64_t step = 0; step < 3; ++step) {
        ASSERT_TRUE(staging_.say(0, record(step, {64})));
        ASSERT_TRUE(staging_.say(1, record(step, {6400})));
        fetch_all();
        EXPECT_EQ(counting(0), std::vector<std::int64_t>{step});
        EXPECT_EQ(counting(1), std::vector<std::int64_t>{step});
        staging_.advance(step + 1);
    }
    EXPECT_EQ(full.used, 64);
    EXPECT_EQ(empty.used, 128 + 3 * 6400);
}

/// Ranks that write as fast as they are let, servers that fetch as fast as they may, one thing after the other by
/// chance.
TEST_F(StagingTest, EveryStepIsCompletedWhereverOneFits) {
    constexpr std::int64_t steps = 30, queue_steps = 6;
    for (unsigned seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937 chance(seed);
        const auto up_to = [&](std::int64_t most) {
            return std::uniform_int_distribution<std::int64_t>(0, most)(chance);
        };
        std::vector<Staging::Arrival> arrivals;
        Staging staging([&](const auto& arrival) { arrivals.push_back(arrival); }, first_store);
        std::vector<std::shared_ptr<ToldDepot>> depots;
        const auto ranks = static_cast<int>(1 + up_to(4));
        for (std::int64_t i = up_to(2); i >= 0; --i) {
            depots.push_back(std::make_shared<ToldDepot>());
            depots.back()->room = ranks * 64;
            staging.add(depots.back(), "server", "");
        }
        std::vector<std::int64_t> said(static_cast<std::size_t>(ranks)), counted(said);
        for (int rank = 0; rank < ranks; ++rank) {
            staging.expect(rank, on("alpha"));
        }
        std::int64_t turn = 0;
        int left = 100'000;
        for (; turn < steps && left > 0; --left) {
            const auto rank = static_cast<int>(up_to(ranks - 1));
            auto& next = said[static_cast<std::size_t>(rank)];
            ToldDepot& depot = *depots[static_cast<std::size_t>(up_to(std::ssize(depots) - 1))];
            if (up_to(1) == 0 && next < std::min(steps, turn + queue_steps)) {
                ASSERT_TRUE(staging.say(rank, record(next++, {64 * up_to(1)})));
            } else if (!depot.waiting.empty() && up_to(1) == 0) {
                depot.fetch();
            } else if (!arrivals.empty()) {
                const auto arrival = arrivals.front();
                arrivals.erase(arrivals.begin());
                EXPECT_FALSE(staging.note(arrival) && staging.lacks_room(arrival.rank)) << "nobody else has any";
            }
            for (int each = 0; each < ranks; ++each) {
                while (staging.take_next(each)) {
                    ++counted[static_cast<std::size_t>(each)];
                }
            }
            while (std::ranges::min(counted) > turn) {
                staging.forget(turn);
                staging.advance(++turn);
            }
        }
        EXPECT_EQ(turn, steps);
    }
}

}  // namespace
}  // namespace staithe::stream
