// Reader groups: when they begin, with which step, and what becomes of steps when ranks go.
#include "stream/directing/step_queue.hpp"

#include "unit/stream/directing/step_queue_test.hpp"

namespace staithe::stream {
namespace {

using testing::policy;
using testing::StepQueueTest;

class StepQueueGroups : public StepQueueTest {};

TEST_F(StepQueueGroups, PlaceThatIsTakenMeansAnotherGroup) {
    const StepQueue::GroupWish pair{.program = "a", .size = 2};
    EXPECT_EQ(queue().join(pair, 0, 0).number, 0);
    EXPECT_EQ(queue().join(pair, 0, 1).number, 1);
    EXPECT_EQ(queue().join(pair, 1, 2).number, 0);
    EXPECT_EQ(queue().join({.program = "a", .id = "else", .size = 2}, 1, 3).number, 2);
    EXPECT_EQ(queue().join(pair, 1, 4).number, 1);
    EXPECT_EQ(queue().join(pair, 1, 5).number, 3) << "all others are whole";
}

TEST_F(StepQueueGroups, RankThatLeftMayComeAgainAndItsGroupWaitsForIt) {
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

TEST_F(StepQueueGroups, InlineGroupBeginsWhenAllItsRanksHaveBeenThere) {
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

TEST_F(StepQueueGroups, GroupStartsWhereItWants) {
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

TEST_F(StepQueueGroups, StepThatIsGoneIsNoPlaceToStart) {
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

TEST_F(StepQueueGroups, WhoGoesOnMissesNothingThatWasAbandoned) {
    open({.limits = {.steps = 4}, .expected_readers = 1, .first_step = 9});
    EXPECT_TRUE(queue().is_too_late({.start = 7}));
    EXPECT_FALSE(queue().is_too_late({.start = 7, .goes_on = true}));
    queue().join({.program = "a", .size = 2, .start = 11, .goes_on = true}, 0, 0);
    queue().join({.program = "a", .size = 2, .start = 7, .goes_on = true}, 1, 1);
    queue().ready(0);
    queue().ready(1);
    EXPECT_EQ(said(), "a begins with 9") << "of two that were not equally far, the earlier";
}

TEST_F(StepQueueGroups, WhoLeavesHoldsNothing) {
    join(0, {.program = "a"});
    write(2);
    said();
    queue().leave(0);
    EXPECT_EQ(said(), "freed 0; freed 1");
    EXPECT_TRUE(queue().groups().empty());
    write();
    EXPECT_EQ(said(), "published 2; freed 2");
}

TEST_F(StepQueueGroups, WhoIsDetachedKeepsWhatItHoldsAndGetsNoMore) {
    join(0, {.program = "a"});
    write();
    queue().detach(0);
    said();
    write();
    EXPECT_EQ(said(), "published 1; freed 1");
    queue().release(0, 0);
    EXPECT_EQ(said(), "freed 0");
}

TEST_F(StepQueueGroups, NothingWaitsForAGroupThatHasNobodyReady) {
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

TEST_F(StepQueueGroups, GroupIsPausedFromTheFirstPauseToTheLastResume) {
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

TEST_F(StepQueueGroups, NothingWaitsForAGroupThatIsPaused) {
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

}  // namespace
}  // namespace staithe::stream
