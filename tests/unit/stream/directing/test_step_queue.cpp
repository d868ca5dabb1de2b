// Steps and their parts, and how a stream ends. What must hold whatever happens: test_step_queue_at_random.cpp.
#include "stream/directing/step_queue.hpp"

#include "unit/stream/directing/step_queue_test.hpp"

namespace staithe::stream {
namespace {

using testing::policy;
using testing::StepQueueTest;
using Refusal = StepQueue::Refusal;

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
        EXPECT_EQ(recorded.refusal, StepQueue::Refusal::none);
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
    EXPECT_EQ(said(), "1 to 0; lost to 0; lost");
    record(1, 2);
    EXPECT_EQ(said(), "freed 2");
    EXPECT_EQ(queue().next_step(), 2);
    join(1, {.program = "b", .overflow = policy("drop-oldest")});
    EXPECT_EQ(said(), "b begins with 0; 0 to 1; 1 to 1; lost to 1");
    queue().end();
    EXPECT_EQ(said(), "lost to 0; ended to 0; lost to 1; ended to 1; lost; ended");
    EXPECT_EQ(queue().lost_writer(), 0);
}

TEST_F(StepQueueTest, RanksOfAGroupThatBecomesWholeAfterALossGetTheSameSteps) {
    write(2);
    queue().join({.program = "a", .size = 2}, 0, 0);
    queue().join({.program = "a", .size = 2}, 1, 1);
    queue().ready(1);
    queue().lose_writer(0);
    EXPECT_EQ(said(), "published 0; published 1; lost") << "it may be reading, and has not got what the other will get";
    queue().ready(0);
    EXPECT_EQ(said(), "a begins with 0; 0 to 0; 0 to 1; 1 to 0; 1 to 1; lost to 0; lost to 1");
}

TEST_F(StepQueueTest, NoRankOfAGroupThatBecomesWholeAfterTheEndGetsAStep) {
    write(2);
    queue().join({.program = "a", .size = 2}, 0, 0);
    queue().join({.program = "a", .size = 2}, 1, 1);
    queue().ready(1);
    queue().end();
    EXPECT_EQ(said(), "published 0; published 1; ended to 0; ended to 1; ended");
    queue().ready(0);
    EXPECT_EQ(said(), "a begins with 2; ended to 0; ended to 1; freed 0; freed 1");
}

TEST_F(StepQueueTest, RanksThatAnalyseWhatTheyWriteHearOfALossAtOnce) {
    queue().join({.program = "a", .size = 2, .is_inline = true}, 0, 0);
    queue().ready(0);
    queue().lose_writer(0);
    EXPECT_EQ(said(), "lost to 0; lost") << "the one that died will not come";
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
    EXPECT_EQ(said(), "0 to 0; 1 to 0; ended to 0; ended");
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
