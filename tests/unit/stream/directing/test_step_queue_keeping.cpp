// Steps that stay for readers to come.
#include <algorithm>
#include <deque>
#include <random>
#include <set>

#include "stream/directing/step_queue.hpp"
#include "unit/stream/directing/step_queue_test.hpp"

namespace staithe::stream {
namespace {

using testing::policy;
using Refusal = StepQueue::Refusal;

class StepQueueKeepingTest : public testing::StepQueueTest {
  protected:
    void keep(std::int64_t steps, std::int64_t bytes = INT64_MAX, int readers = 0) {
        open({.limits = {.steps = 2, .keep = {.steps = steps, .bytes = bytes}}, .expected_readers = readers});
    }
};

TEST_F(StepQueueKeepingTest, TheNewestStay) {
    keep(2);
    write(4);
    EXPECT_EQ(said(),
              "published 0; 0 rests; published 1; 1 rests; published 2; freed 0; 2 rests; published 3; "
              "freed 1; 3 rests");
    EXPECT_EQ(queue().oldest_step(), 2);
    EXPECT_EQ(queue().steps_at_rest(), 2);
}

TEST_F(StepQueueKeepingTest, TheVeryNewestStaysHoweverLarge) {
    keep(3, 25);
    write(1, 10);
    write(1, 10);
    write(1, 10);
    EXPECT_EQ(said(), "published 0; 0 rests; published 1; 1 rests; published 2; freed 0; 2 rests");
    write(1, 100);
    EXPECT_EQ(said(), "published 3; freed 1; freed 2; 3 rests");
}

TEST_F(StepQueueKeepingTest, OldestGoWhereThereIsNoMemoryButNotTheVeryNewest) {
    keep(3);
    join(0, {.program = "a"});
    write(2);
    queue().release(0, 0);
    static_cast<void>(said());
    EXPECT_TRUE(queue().let_oldest_go());
    EXPECT_EQ(said(), "freed 0");
    EXPECT_FALSE(queue().let_oldest_go());
    write(1);
    EXPECT_FALSE(queue().let_oldest_go()) << "a reader has the next one";
    static_cast<void>(said());
    queue().release(0, 1);
    EXPECT_EQ(said(), "freed 1") << "it stays no more";
    queue().release(0, 2);
    EXPECT_EQ(said(), "2 rests");
    EXPECT_FALSE(queue().let_oldest_go());
}

TEST_F(StepQueueKeepingTest, StepRestsWhenTheLastReaderHasReleasedIt) {
    keep(1);
    join(0, {.program = "a"});
    write(2);
    EXPECT_EQ(said(), "a begins with 0; published 0; 0 to 0; published 1; 1 to 0");
    queue().release(0, 0);
    EXPECT_EQ(said(), "freed 0");
    queue().release(0, 1);
    EXPECT_EQ(said(), "1 rests");
}

TEST_F(StepQueueKeepingTest, WhoComesLaterGetsThemAndTheirRestGoesOn) {
    keep(2);
    write(3);
    static_cast<void>(said());
    join(0, {.program = "late"});
    EXPECT_EQ(said(), "late begins with 1; 1 to 0; 2 to 0");
    write();
    EXPECT_EQ(said(), "published 3; 3 to 0");
    queue().release(0, 1);
    EXPECT_EQ(said(), "freed 1");
    queue().release(0, 2);
    EXPECT_EQ(said(), "");
}

TEST_F(StepQueueKeepingTest, WhoComesAfterTheEndIsToldOfIt) {
    keep(1);
    write(2);
    queue().finished(0);
    queue().end();
    static_cast<void>(said());
    join(0, {.program = "late"});
    EXPECT_EQ(said(), "late begins with 1; 1 to 0; ended to 0");
    queue().leave(0);
    EXPECT_EQ(said(), "");
    join(0, {.program = "next", .start = start_next});
    EXPECT_EQ(said(), "next begins with 2; ended to 0");
}

TEST_F(StepQueueKeepingTest, WhoComesAfterALossIsToldOfIt) {
    keep(1);
    write(1);
    queue().lose_writer(0);
    static_cast<void>(said());
    join(0, {.program = "late", .overflow = policy("latest")});
    EXPECT_EQ(said(), "late begins with 0; 0 to 0; lost to 0");
}

TEST_F(StepQueueKeepingTest, TheyAreNotDroppedToMakeRoom) {
    keep(3);
    write(3);
    static_cast<void>(said());
    join(0, {.program = "picky", .overflow = policy("drop-oldest")});
    EXPECT_EQ(said(), "picky begins with 0");
    write(2);  // the queue has room for one of them beside another: that of the steps at rest is not theirs to have
    EXPECT_EQ(said(), "published 3; published 4; picky lost 1; 3 rests");
    queue().want(0, 0);
    EXPECT_EQ(said(), "0 to 0");
}

/// A writer, and reader groups that come, release in any order, and go: against a set of what each step is needed for.
TEST_F(StepQueueKeepingTest, NoStepIsFreedThatStaysOrIsHeld) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        const auto most = std::uniform_int_distribution<std::int64_t>(0, 4)(random);
        const auto bytes = std::uniform_int_distribution<std::int64_t>(10, 60)(random);
        open({.limits = {.steps = 1000, .keep = {.steps = most, .bytes = bytes}}, .expected_readers = 0});
        std::deque<std::int64_t> sizes;
        std::set<std::int64_t> there;
        std::vector<std::set<std::int64_t>> held(3);
        std::vector<bool> present(3);
        std::int64_t first_kept = 0;
        for (int event = 0; event < 60; ++event) {
            const auto member = std::uniform_int_distribution<std::size_t>(0, 2)(random);
            const auto number = static_cast<int>(member);
            switch (std::uniform_int_distribution<int>(0, 3)(random)) {
                case 0: {
                    const auto step = static_cast<std::int64_t>(sizes.size());
                    sizes.push_back(std::uniform_int_distribution<std::int64_t>(1, 40)(random));
                    there.insert(step);
                    write(1, sizes.back());
                    for (std::size_t each = 0; each < held.size(); ++each) {
                        if (present[each]) {
                            held[each].insert(step);
                        }
                    }
                    std::int64_t total = 0;
                    std::int64_t count = 0;
                    first_kept = step + 1;
                    while (first_kept > 0 && count < most &&
                           (count == 0 || total + sizes[static_cast<std::size_t>(first_kept - 1)] <= bytes)) {
                        total += sizes[static_cast<std::size_t>(--first_kept)];
                        ++count;
                    }
                    break;
                }
                case 1:
                    if (!present[member]) {
                        join(number, {.program = std::to_string(member)});
                        present[member] = true;
                        held[member] = there;
                    }
                    break;
                case 2:
                    if (!held[member].empty()) {
                        queue().release(number, *held[member].begin());
                        held[member].erase(held[member].begin());
                    }
                    break;
                default:
                    if (present[member]) {
                        queue().leave(number);
                        present[member] = false;
                        held[member].clear();
                    }
            }
            queue().deliveries().clear();
            std::set<std::int64_t> needed;
            for (std::int64_t step = first_kept; step < static_cast<std::int64_t>(sizes.size()); ++step) {
                needed.insert(step);
            }
            for (const auto& steps : held) {
                needed.insert(steps.begin(), steps.end());
            }
            there = needed;
            std::set<std::int64_t> found;
            int resting = 0;
            for (const StepQueue::Step* step = queue().oldest(); step != nullptr; step = step->next) {
                found.insert(step->number);
                resting += step->at_rest ? 1 : 0;
            }
            ASSERT_EQ(found, needed) << "round " << round << ", event " << event;
            ASSERT_EQ(queue().steps_at_rest(), resting);
        }
    }
}

}  // namespace
}  // namespace staithe::stream
