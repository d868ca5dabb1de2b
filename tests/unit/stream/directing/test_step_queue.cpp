// The rules of the queue, one by one. What must hold whatever happens: test_step_queue_at_random.cpp.
#include "stream/directing/step_queue.hpp"

#include <gtest/gtest.h>

namespace staithe::stream {
namespace {

using Kind = StepQueue::Delivery::Kind;
using Refusal = StepQueue::Refusal;

constexpr std::int64_t plenty = 1 << 20;

Overflow policy(const char* name) { return parse_overflow(name).value(); }

std::string in_words(const StepQueue::Delivery& delivery) {
    const auto whose = delivery.group == nullptr ? "the expected" : delivery.group->program;
    switch (delivery.kind) {
        case Kind::published: return fmt::format("published {}", delivery.step);
        case Kind::skipped: return fmt::format("skipped {}", delivery.step);
        case Kind::announce: return fmt::format("{} to {}", delivery.step, delivery.member);
        case Kind::freed: return fmt::format("freed {}", delivery.step);
        case Kind::dropped: return fmt::format("{} lost {}", whose, delivery.count);
        case Kind::activated: return fmt::format("{} begins with {}", whose, delivery.group->start);
        case Kind::lost: return delivery.member < 0 ? "lost" : fmt::format("lost to {}", delivery.member);
        case Kind::ended: return "ended";
    }
    return "";
}

class StepQueueTest : public ::testing::Test {
  protected:
    /// The stream that the test is about, if not the default one.
    void open(StepQueue::Settings settings) {
        settings.limits.bytes = settings.limits.bytes == 0 ? plenty : settings.limits.bytes;
        queue_.emplace(settings);
    }
    StepQueue& queue() {
        if (!queue_) {
            open({.limits = {.steps = 4}});
        }
        return *queue_;
    }
    /// What has been delivered since the last look, in words.
    std::string said() {
        std::string text;
        for (const auto& delivery : queue().deliveries()) {
            text += (text.empty() ? "" : "; ") + in_words(delivery);
        }
        queue().deliveries().clear();
        return text;
    }
    /// A group of one rank that has all it needs.
    void join(int member, const StepQueue::GroupWish& wish) {
        queue().join(wish, 0, member);
        queue().ready(member);
    }
    void write(int steps = 1, std::int64_t bytes = 10) {
        for (int i = 0; i < steps; ++i) {
            EXPECT_EQ(record(0, queue().writer(0).next, {.data_bytes = bytes}), Refusal::none);
        }
    }
    Refusal record(int rank, std::int64_t step, const StepQueue::StepPart& part = {}) {
        return queue().record(rank, step, part).refusal;
    }
    std::optional<StepQueue> queue_;
};

// Steps and their parts ---------------------------------------------------------------------------------------------

TEST_F(StepQueueTest, StepGoesFromItsLastPartToItsLastRelease) {
    open({.writers = 2, .limits = {.steps = 4}});
    join(0, {.program = "a"});
    EXPECT_EQ(said(), "a begins with 0");
    record(1, 0);
    EXPECT_EQ(said(), "");
    record(0, 0);
    EXPECT_EQ(said(), "published 0; 0 to 0");
    EXPECT_TRUE(queue().release(0, 0));
    EXPECT_EQ(said(), "freed 0");
}

TEST_F(StepQueueTest, StepIsFreedWithTheLastRankOfTheLastGroup) {
    open({.limits = {.steps = 4}, .expected_readers = 2});
    queue().join({.program = "pair", .size = 2}, 0, 0);
    queue().join({.program = "pair", .size = 2}, 1, 1);
    queue().ready(0);
    EXPECT_EQ(said(), "");
    queue().ready(1);
    join(2, {.program = "one"});
    write();
    EXPECT_EQ(said(), "pair begins with 0; one begins with 0; published 0; 0 to 0; 0 to 1; 0 to 2");
    queue().release(1, 0);
    queue().release(2, 0);
    EXPECT_EQ(said(), "");
    queue().release(0, 0);
    EXPECT_EQ(said(), "freed 0");
}

TEST_F(StepQueueTest, StepsAreKeptForExpectedReaders) {
    write(2);
    EXPECT_EQ(queue().unread(), 2);
    EXPECT_EQ(said(), "published 0; published 1");
    join(0, {.program = "a"});
    EXPECT_EQ(said(), "a begins with 0; 0 to 0; 1 to 0");
    EXPECT_EQ(queue().unread(), 0);
}

TEST_F(StepQueueTest, WithoutExpectedReadersStepsGoAtOnce) {
    open({.limits = {.steps = 1}, .expected_readers = 0});
    write(2);
    EXPECT_EQ(said(), "published 0; freed 0; published 1; freed 1");
    EXPECT_EQ(queue().next_step(), 2);
}

TEST_F(StepQueueTest, StepThatOneRankAbandonsIsSkipped) {
    open({.writers = 2, .limits = {.steps = 4}});
    join(0, {.program = "a"});
    record(0, 0);
    record(1, 0, {.abandoned = true});
    EXPECT_EQ(said(), "a begins with 0; skipped 0; freed 0");
    EXPECT_EQ(queue().next_step(), 1);
}

TEST_F(StepQueueTest, SlotsAreUsedAgainAndSayWhatWasInThem) {
    open({.limits = {.steps = 4}, .expected_readers = 0});
    for (std::int64_t step = 0; step < 100; ++step) {
        const auto recorded = queue().record(0, step, {.data_bytes = step, .spilled_bytes = step / 2});
        EXPECT_EQ(recorded.slot, 0);
        EXPECT_TRUE(recorded.is_first);
        EXPECT_EQ(queue().step_in(0).data_bytes, step);
        EXPECT_EQ(queue().step_in(0).spilled_bytes, step / 2);
    }
}

TEST_F(StepQueueTest, RanksSpeakOfOneStepAfterTheOther) {
    open({.writers = 2, .limits = {.steps = 4}, .first_step = 7});
    EXPECT_EQ(record(0, 6), Refusal::said_before);
    EXPECT_EQ(record(0, 8), Refusal::out_of_turn);
    EXPECT_EQ(record(0, 7), Refusal::none);
    EXPECT_EQ(record(0, 7), Refusal::said_before);
    EXPECT_EQ(record(1, INT64_MIN), Refusal::said_before);
    EXPECT_EQ(record(1, INT64_MAX), Refusal::out_of_turn);
    queue().finished(0);
    EXPECT_EQ(record(0, 8), Refusal::said_before);
    EXPECT_EQ(queue().steps(), 1);
}

TEST_F(StepQueueTest, RankGetsNoFurtherThanTheQueueHolds) {
    open({.writers = 2, .limits = {.steps = 4}});
    write(4);
    EXPECT_EQ(record(0, 4, {.abandoned = true}), Refusal::too_many_steps);
    EXPECT_EQ(record(1, 0), Refusal::none);
    EXPECT_EQ(record(0, 4), Refusal::too_many_steps) << "step 0 is kept";
    EXPECT_EQ(queue().steps(), 4);
}

TEST_F(StepQueueTest, LastNumberThereIsEndsTheStream) {
    open({.limits = {.steps = 4}, .expected_readers = 0, .first_step = INT64_MAX - 1});
    write();
    EXPECT_EQ(queue().next_step(), INT64_MAX);
    EXPECT_EQ(record(0, INT64_MAX), Refusal::too_many_steps);
}

TEST_F(StepQueueTest, SizesThatCannotBeAreRefused) {
    open({.writers = 2, .limits = {.steps = 4}});
    EXPECT_EQ(record(0, 0, {.data_bytes = -1}), Refusal::too_many_bytes);
    EXPECT_EQ(record(0, 0, {.data_bytes = 1, .spilled_bytes = 2}), Refusal::too_many_bytes);
    EXPECT_EQ(record(0, 0, {.data_bytes = 1, .spilled_bytes = -1}), Refusal::too_many_bytes);
    EXPECT_EQ(record(0, 0, {.data_bytes = INT64_MAX}), Refusal::too_many_bytes);
    EXPECT_EQ(record(0, 0, {.data_bytes = INT64_MAX / 8}), Refusal::none);
    EXPECT_EQ(record(0, 1, {.data_bytes = 1}), Refusal::too_many_bytes) << "together with what it has in the queue";
}

TEST_F(StepQueueTest, WhatIsNotHeldIsNotReleased) {
    join(0, {.program = "a"});
    join(1, {.program = "b"});
    write();
    EXPECT_TRUE(queue().release(0, 0));
    said();
    EXPECT_FALSE(queue().release(0, 0));
    EXPECT_FALSE(queue().release(1, 1));
    EXPECT_FALSE(queue().release(1, INT64_MAX));
    EXPECT_EQ(said(), "");
    EXPECT_EQ(queue().member(0).released, 1);
}

// Reader groups -----------------------------------------------------------------------------------------------------

TEST_F(StepQueueTest, PlaceThatIsTakenMeansAnotherGroup) {
    const StepQueue::GroupWish pair{.program = "a", .size = 2};
    EXPECT_EQ(queue().join(pair, 0, 0).number, 0);
    EXPECT_EQ(queue().join(pair, 0, 1).number, 1);
    EXPECT_EQ(queue().join(pair, 1, 2).number, 0);
    EXPECT_EQ(queue().join({.program = "a", .id = "else", .size = 2}, 1, 3).number, 2);
    EXPECT_EQ(queue().join(pair, 1, 4).number, 1);
    EXPECT_EQ(queue().join(pair, 1, 5).number, 3) << "all others are whole";
}

TEST_F(StepQueueTest, RankThatLeftMayComeAgainAndItsGroupWaitsForIt) {
    const StepQueue::GroupWish pair{.program = "a", .size = 2};
    queue().join(pair, 0, 0);
    queue().join(pair, 1, 1);
    queue().ready(0);
    queue().leave(0);
    queue().ready(1);
    EXPECT_EQ(said(), "");
    EXPECT_EQ(queue().join(pair, 0, 0).number, 0);
    queue().ready(0);
    EXPECT_EQ(said(), "a begins with 0");
}

TEST_F(StepQueueTest, InlineGroupBeginsWhenAllItsRanksHaveBeenThere) {
    const StepQueue::GroupWish pair{.program = "a", .size = 2, .is_inline = true};
    queue().join(pair, 0, 0);
    queue().ready(0);
    queue().leave(0);
    EXPECT_EQ(queue().groups().size(), 1U);
    queue().join(pair, 1, 1);
    queue().ready(1);
    write();
    EXPECT_EQ(said(), "a begins with 0; published 0; 0 to 1");
    queue().leave(1);
    EXPECT_EQ(said(), "freed 0");
    EXPECT_TRUE(queue().groups().empty());
}

TEST_F(StepQueueTest, GroupStartsWhereItWants) {
    open({.limits = {.steps = 8}});
    join(0, {.program = "all"});
    write(3);
    said();
    join(1, {.program = "oldest"});
    EXPECT_EQ(said(), "oldest begins with 0; 0 to 1; 1 to 1; 2 to 1");
    join(2, {.program = "next", .start = start_next});
    EXPECT_EQ(said(), "next begins with 3");
    join(3, {.program = "second", .start = 1});
    EXPECT_EQ(said(), "second begins with 1; 1 to 3; 2 to 3");
    join(4, {.program = "later", .start = 4});
    EXPECT_EQ(said(), "later begins with 4");
    join(5, {.program = "latest", .overflow = policy("latest")});
    EXPECT_EQ(said(), "latest lost 2; latest begins with 2");
    write();
    EXPECT_EQ(said(), "published 3; 3 to 0; 3 to 1; 3 to 2; 3 to 3; latest lost 1");
}

TEST_F(StepQueueTest, StepThatIsGoneIsNoPlaceToStart) {
    open({.limits = {.steps = 4}, .expected_readers = 0, .first_step = 2});
    write(3);
    record(0, 5, {.abandoned = true});
    EXPECT_TRUE(queue().is_too_late({.start = 4}));
    EXPECT_TRUE(queue().is_too_late({.start = 0}));
    EXPECT_FALSE(queue().is_too_late({.start = 5})) << "nobody misses what was abandoned";
    EXPECT_FALSE(queue().is_too_late({.start = start_oldest}));
    EXPECT_FALSE(queue().is_too_late({.overflow = policy("latest"), .start = 0}));
    said();
    join(0, {.program = "a", .overflow = policy("drop-oldest"), .start = 4});
    EXPECT_EQ(said(), "a lost 2; a begins with 4");
}

TEST_F(StepQueueTest, WhoGoesOnMissesNothingThatWasAbandoned) {
    open({.limits = {.steps = 4}, .expected_readers = 1, .first_step = 9});
    EXPECT_TRUE(queue().is_too_late({.start = 7}));
    EXPECT_FALSE(queue().is_too_late({.start = 7, .goes_on = true}));
    queue().join({.program = "a", .size = 2, .start = 11, .goes_on = true}, 0, 0);
    queue().join({.program = "a", .size = 2, .start = 7, .goes_on = true}, 1, 1);
    queue().ready(0);
    queue().ready(1);
    EXPECT_EQ(said(), "a begins with 9") << "of two that were not equally far, the earlier";
}

TEST_F(StepQueueTest, WhoLeavesHoldsNothing) {
    join(0, {.program = "a"});
    write(2);
    said();
    queue().leave(0);
    EXPECT_EQ(said(), "freed 0; freed 1");
    EXPECT_TRUE(queue().groups().empty());
    write();
    EXPECT_EQ(said(), "published 2; freed 2");
}

TEST_F(StepQueueTest, WhoIsDetachedKeepsWhatItHoldsAndGetsNoMore) {
    join(0, {.program = "a"});
    write();
    queue().detach(0);
    said();
    write();
    EXPECT_EQ(said(), "published 1; freed 1");
    queue().release(0, 0);
    EXPECT_EQ(said(), "freed 0");
}

TEST_F(StepQueueTest, NothingWaitsForAGroupThatHasNobodyReady) {
    const StepQueue::GroupWish pair{.program = "a", .size = 2, .overflow = policy("drop-newest")};
    queue().join(pair, 0, 0);
    queue().join(pair, 1, 1);
    queue().ready(0);
    queue().ready(1);
    write(2);
    queue().detach(0);
    said();
    queue().leave(1);  // died: the other one is still there, by its views
    EXPECT_EQ(said(), "freed 0; freed 1");
}

TEST_F(StepQueueTest, GroupIsPausedFromTheFirstPauseToTheLastResume) {
    const StepQueue::GroupWish pair{.program = "a", .size = 2};
    queue().join(pair, 0, 0);
    queue().join(pair, 1, 1);
    queue().ready(0);
    queue().ready(1);
    said();
    queue().pause(0);
    queue().resume(0);
    write();
    queue().pause(1);
    write();
    EXPECT_EQ(said(), "published 0; freed 0; published 1; freed 1");
    queue().resume(1);
    queue().resume(1);
    write();
    EXPECT_EQ(said(), "published 2; 2 to 0; 2 to 1");
    EXPECT_EQ(queue().groups().front().dropped, 0);
}

TEST_F(StepQueueTest, NothingWaitsForAGroupThatIsPaused) {
    join(0, {.program = "a", .overflow = policy("drop-newest")});
    write();
    queue().want(0, 0);
    write();
    said();
    queue().pause(0);
    EXPECT_EQ(said(), "freed 1");
    queue().want(0, 1);
    write();
    EXPECT_EQ(said(), "published 2; freed 2");
    queue().release(0, 0);
    EXPECT_EQ(said(), "freed 0");
}

// Who may lose steps ------------------------------------------------------------------------------------------------

TEST_F(StepQueueTest, DropOldestKeepsTheNewest) {
    join(0, {.program = "a", .overflow = policy("drop-oldest")});
    write(3);
    said();
    write();
    EXPECT_EQ(said(), "published 3; a lost 1; freed 0");
    queue().want(0, 0);
    EXPECT_EQ(said(), "1 to 0");
    queue().want(0, 0);
    EXPECT_EQ(said(), "") << "another rank asked for what has come since";
    queue().want(0, 2);
    EXPECT_EQ(said(), "2 to 0");
}

TEST_F(StepQueueTest, DropNewestKeepsTheOldest) {
    join(0, {.program = "a", .overflow = policy("drop-newest")});
    write(3);
    said();
    write();
    EXPECT_EQ(said(), "published 3; a lost 1; freed 3");
}

TEST_F(StepQueueTest, LatestKeepsTheNewestAlone) {
    join(0, {.program = "a", .overflow = policy("latest")});
    write();
    said();
    write();
    EXPECT_EQ(said(), "published 1; a lost 1; freed 0");
}

TEST_F(StepQueueTest, KeepEveryGivesWayButForTheStepsThatItKeeps) {
    join(0, {.program = "a", .overflow = policy("keep-every-2")});
    write(3);
    said();
    write();
    EXPECT_EQ(said(), "published 3; a lost 1; freed 1");
    write();
    EXPECT_EQ(said(), "published 4; a lost 1; freed 3");
    write();
    EXPECT_EQ(said(), "published 5; a lost 1; freed 5");
}

TEST_F(StepQueueTest, StepsAreDroppedBeforeTheBytesRunOut) {
    open({.writers = 2, .limits = {.steps = 8, .bytes = 200}});
    join(0, {.program = "a", .overflow = policy("drop-oldest")});
    said();
    for (std::int64_t step = 0; step < 3; ++step) {
        record(0, step, {.data_bytes = 1});
        record(1, step, {.data_bytes = 30});
    }
    EXPECT_EQ(said(), "published 0; published 1; published 2; a lost 1; freed 0") << "3 · 30 and one more: over 100";
    record(0, 3, {.data_bytes = 1});
    record(1, 3, {.data_bytes = 90});
    EXPECT_EQ(said(), "published 3; a lost 1; freed 1; a lost 1; freed 2") << "one beside the one that is read";
}

TEST_F(StepQueueTest, StepIsDroppedWhenNobodyHasItAndAllWhoWaitDoWithoutIt) {
    open({.limits = {.steps = 3}, .expected_readers = 2});
    join(0, {.program = "all"});
    join(1, {.program = "a", .overflow = policy("drop-oldest")});
    write(3);
    said();
    queue().release(0, 1);
    EXPECT_EQ(said(), "a lost 1; freed 1");
    queue().release(0, 0);
    EXPECT_EQ(said(), "");
}

TEST_F(StepQueueTest, WhatAsksForTooMuchIsServedLater) {
    open({.limits = {.steps = 3}});
    join(0, {.program = "a", .overflow = policy("drop-oldest")});
    write();
    queue().want(0, 0);
    write();
    queue().want(0, 1);
    said();
    queue().want(0, 2);
    write();
    EXPECT_EQ(said(), "published 2; a lost 1; freed 2");
    queue().release(0, 0);
    write();
    EXPECT_EQ(said(), "freed 0; published 3; 3 to 0");
}

TEST_F(StepQueueTest, ViewsOfAGroupThatMayLoseStepsLeaveRoomInTheQueue) {
    open({.limits = {.steps = 3}});
    join(0, {.program = "all"});
    join(1, {.program = "a", .overflow = policy("drop-oldest")});
    write(3);
    said();
    for (std::int64_t step = 0; step < 3; ++step) {
        queue().want(1, step);
    }
    EXPECT_EQ(said(), "0 to 1; 1 to 1") << "the writer goes on beside them when the others have released theirs";
    queue().release(1, 0);
    EXPECT_EQ(said(), "2 to 1");
}

TEST_F(StepQueueTest, ExpectedReadersThatAreNotThereLoseStepsToo) {
    open({.limits = {.steps = 4}, .overflow = policy("drop-oldest")});
    write(4);
    EXPECT_EQ(said(), "published 0; published 1; published 2; published 3; the expected lost 1; freed 0");
    join(0, {.program = "a", .overflow = policy("drop-oldest")});
    EXPECT_EQ(said(), "a lost 0; a begins with 1");
    EXPECT_EQ(queue().groups().front().dropped, 1);
    EXPECT_EQ(queue().dropped(), 1);

    open({.limits = {.steps = 3}, .overflow = policy("drop-newest")});
    write(3);
    EXPECT_EQ(said(), "published 0; published 1; published 2; the expected lost 1; freed 2");
}

TEST_F(StepQueueTest, GroupThatFollowsTheLatestCountsItsViewsAndLosesTheRest) {
    join(0, {.program = "a"});
    write(3);
    said();
    queue().follow_latest(0);
    queue().hand_back(0, 1);
    EXPECT_EQ(said(), "");
    queue().hand_back(0, 2);
    EXPECT_EQ(said(), "a lost 1; freed 1");
    queue().want(0, 1);
    EXPECT_EQ(said(), "2 to 0");
    EXPECT_EQ(queue().member(0).released, 0);
    write(2);
    EXPECT_EQ(said(), "published 3; published 4; a lost 1; freed 3");
    queue().want(0, 3);
    EXPECT_EQ(said(), "4 to 0");
    write();
    queue().want(0, 5);
    EXPECT_EQ(said(), "published 5; a lost 1; freed 5") << "0, 2 and 4 are all that it may hold";
}

TEST_F(StepQueueTest, StepThatIsHandedBackIsLostToALaterOne) {
    join(0, {.program = "a"});
    write(2);
    queue().follow_latest(0);
    write();
    said();
    queue().hand_back(0, 1);
    EXPECT_EQ(said(), "a lost 1; freed 1");
    queue().want(0, 1);
    EXPECT_EQ(said(), "2 to 0");
}

TEST_F(StepQueueTest, GroupThatFollowsTheLatestLosesWhatItHasNotTaken) {
    join(0, {.program = "a", .overflow = policy("drop-newest")});
    write(3);
    said();
    queue().follow_latest(0);
    EXPECT_EQ(said(), "a lost 1; freed 0; a lost 1; freed 1");
    write();
    EXPECT_EQ(said(), "published 3; a lost 1; freed 2");
}

TEST_F(StepQueueTest, NobodyHandsBackForOthers) {
    join(0, {.program = "a"});
    queue().join({.program = "b", .size = 2, .overflow = policy("latest")}, 0, 1);
    queue().join({.program = "b", .size = 2, .overflow = policy("latest")}, 1, 2);
    queue().ready(1);
    queue().ready(2);
    write();
    queue().want(1, 0);
    said();
    queue().hand_back(0, 0);
    queue().hand_back(1, 0);
    queue().hand_back(1, 5);
    EXPECT_EQ(said(), "");
    EXPECT_EQ(queue().step_in(0).holders, 3);
}

// How the stream ends -----------------------------------------------------------------------------------------------

TEST_F(StepQueueTest, AfterALossReadersGetWhatIsCompleteAndNothingElse) {
    open({.writers = 2, .limits = {.steps = 3}, .expected_readers = 2});
    join(0, {.program = "a", .overflow = policy("drop-newest")});
    queue().want(0, 0);
    write();
    record(1, 0);
    write();
    record(1, 1);
    write();
    EXPECT_EQ(said(), "a begins with 0; published 0; 0 to 0; published 1");
    EXPECT_TRUE(queue().lose_writer(0));
    EXPECT_FALSE(queue().lose_writer(1));
    EXPECT_EQ(said(), "1 to 0; lost");
    record(1, 2);
    EXPECT_EQ(said(), "freed 2");
    EXPECT_EQ(queue().next_step(), 2);
    join(1, {.program = "b", .overflow = policy("drop-oldest")});
    EXPECT_EQ(said(), "b begins with 0; 0 to 1; 1 to 1; lost to 1");
    queue().end();
    EXPECT_EQ(said(), "lost; ended");
    EXPECT_EQ(queue().lost_writer(), 0);
}

TEST_F(StepQueueTest, RankThatHasFinishedIsNoLoss) {
    queue().finished(0);
    EXPECT_TRUE(queue().all_finished());
    EXPECT_FALSE(queue().lose_writer(0));
    EXPECT_EQ(said(), "");
}

TEST_F(StepQueueTest, EndGivesWhatWaits) {
    open({.limits = {.steps = 3}});
    join(0, {.program = "a", .overflow = policy("drop-newest")});
    write(2);
    said();
    queue().end();
    EXPECT_EQ(said(), "0 to 0; 1 to 0; ended");
    write();
    EXPECT_EQ(said(), "freed 2");
    queue().release(0, 0);
    EXPECT_EQ(said(), "freed 0");
}

TEST_F(StepQueueTest, RanksMustGoThroughTheSameSteps) {
    open({.writers = 3, .limits = {.steps = 4}});
    write(2);
    EXPECT_FALSE(queue().disagreement());
    queue().finished(0);
    EXPECT_FALSE(queue().disagreement());
    record(2, 0);
    queue().finished(2);
    EXPECT_EQ(queue().disagreement()->rank, 2);
    EXPECT_EQ(queue().disagreement()->step, 1);
    queue().finished(1);
    EXPECT_EQ(queue().disagreement()->rank, 1);
    EXPECT_EQ(queue().disagreement()->step, 0);
    EXPECT_TRUE(queue().all_finished());
}

TEST_F(StepQueueTest, OldestStepThatIsNotWholeIsKnown) {
    open({.writers = 2, .limits = {.steps = 4}});
    EXPECT_EQ(queue().oldest_incomplete(), nullptr);
    write(2);
    record(1, 0);
    EXPECT_EQ(queue().oldest()->number, 0);
    EXPECT_EQ(queue().oldest_incomplete()->number, 1);
    EXPECT_TRUE(queue().has_ended_step(0, 1));
    EXPECT_FALSE(queue().has_ended_step(1, 1));
    EXPECT_EQ(queue().steps(), 2);
    EXPECT_EQ(queue().complete_steps(), 1);
}

}  // namespace
}  // namespace staithe::stream
