// Who may lose which step, and who gets one when it asks.
#include "stream/directing/step_queue.hpp"

#include "unit/stream/directing/step_queue_test.hpp"

namespace staithe::stream {
namespace {

using testing::policy;
using testing::StepQueueTest;

class StepQueueOverflow : public StepQueueTest {};

TEST_F(StepQueueOverflow, DropOldestKeepsTheNewest) {
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

TEST_F(StepQueueOverflow, DropNewestKeepsTheOldest) {
    join(0, {.program = "a", .overflow = policy("drop-newest")});
    write(3);
    said();
    write();
    EXPECT_EQ(said(), "published 3; a lost 1; freed 3");
}

TEST_F(StepQueueOverflow, LatestKeepsTheNewestAlone) {
    join(0, {.program = "a", .overflow = policy("latest")});
    write();
    said();
    write();
    EXPECT_EQ(said(), "published 1; a lost 1; freed 0");
}

TEST_F(StepQueueOverflow, KeepEveryGivesWayButForTheStepsThatItKeeps) {
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

TEST_F(StepQueueOverflow, OneStepIsDroppedWhereAProcessMayHoldNoMore) {
    join(0, {.program = "a", .overflow = policy("drop-oldest")});
    write(2);
    said();
    queue().squeeze();
    EXPECT_EQ(said(), "a lost 1; freed 0");
    queue().want(0, 0);
    EXPECT_EQ(said(), "1 to 0");
    queue().squeeze();
    EXPECT_EQ(said(), "") << "what is held is not lost";
    write();
    EXPECT_EQ(said(), "published 2; a lost 1; freed 2") << "the first that may be";
    write();
    EXPECT_EQ(said(), "published 3") << "and no other";
}

TEST_F(StepQueueOverflow, WhereAProcessMayHoldNoMoreTheNewestIsDroppedByThosePolicies) {
    for (const char* name : {"drop-newest", "keep-every-2"}) {
        queue_.reset();
        join(0, {.program = "a", .overflow = policy(name)});
        write(2);
        said();
        queue().squeeze();
        EXPECT_EQ(said(), "a lost 1; freed 1") << name;
    }
}

TEST_F(StepQueueOverflow, WhoMayLoseNothingLosesNothingWhereAProcessMayHoldNoMore) {
    join(0, {.program = "a", .overflow = policy("drop-newest")});
    join(1, {.program = "b"});
    write(2);
    said();
    queue().squeeze();
    EXPECT_EQ(said(), "");
    EXPECT_TRUE(queue().release(1, 0));
    EXPECT_EQ(said(), "a lost 1; freed 0");
}

TEST_F(StepQueueOverflow, StepsAreDroppedBeforeTheBytesRunOut) {
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

TEST_F(StepQueueOverflow, StepIsDroppedWhenNobodyHasItAndAllWhoWaitDoWithoutIt) {
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

TEST_F(StepQueueOverflow, WhatAsksForTooMuchIsServedLater) {
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

TEST_F(StepQueueOverflow, ViewsOfAGroupThatMayLoseStepsLeaveRoomInTheQueue) {
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

TEST_F(StepQueueOverflow, ExpectedReadersThatAreNotThereLoseStepsToo) {
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

TEST_F(StepQueueOverflow, GroupThatFollowsTheLatestCountsItsViewsAndLosesTheRest) {
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

TEST_F(StepQueueOverflow, StepThatIsHandedBackIsLostToALaterOne) {
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

TEST_F(StepQueueOverflow, GroupThatFollowsTheLatestLosesWhatItHasNotTaken) {
    join(0, {.program = "a", .overflow = policy("drop-newest")});
    write(3);
    said();
    queue().follow_latest(0);
    EXPECT_EQ(said(), "a lost 1; freed 0; a lost 1; freed 1");
    write();
    EXPECT_EQ(said(), "published 3; a lost 1; freed 2");
}

TEST_F(StepQueueOverflow, NobodyHandsBackForOthers) {
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

}  // namespace
}  // namespace staithe::stream
