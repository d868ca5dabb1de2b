#include "stream/directing/room_for_others.hpp"

#include "unit/stream/directing/step_queue_test.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t beside_blocks = 256 << 10;
constexpr std::int64_t part = 8 << 20;

/// What so many parts take in two steps.
constexpr std::int64_t twice(std::int64_t parts) { return 2 * parts * (part + part / 8); }

class RoomForOthersTest : public testing::StepQueueTest {
  protected:
    RoomForOthersTest() { open({.writers = 3, .limits = {.steps = 8}, .expected_readers = 0}); }
    void write(int rank, std::int64_t step, std::int64_t bytes = part) {
        ASSERT_EQ(record(rank, step, {.data_bytes = bytes}), StepQueue::Refusal::none);
    }
    std::int64_t room(int rank, std::int64_t bytes = std::int64_t{1} << 40) {
        return room_for_others(queue(), rank, bytes, {{{0}, of_0_}, {{1, 2}, of_1_and_2_}, {}});
    }

    std::int64_t of_0_ = 0, of_1_and_2_ = 0;
};

TEST_F(RoomForOthersTest, LittleIsLeftBeforeAnythingIsKnown) {
    EXPECT_EQ(room(0), beside_blocks);
    EXPECT_EQ(room(0, 100), 0);
}

TEST_F(RoomForOthersTest, OthersAreExpectedToWriteAsMuchAtFirst) {
    write(0, 0);
    EXPECT_EQ(room(0), beside_blocks + twice(2));
    EXPECT_EQ(room(1), beside_blocks + twice(1));
}

TEST_F(RoomForOthersTest, AndThenWhatTheyWroteLast) {
    write(0, 0, part);
    write(1, 0, part);
    write(2, 0, 3 * part);
    write(1, 1, 100);
    EXPECT_EQ(room(0), beside_blocks + twice(4));
    EXPECT_EQ(room(1), beside_blocks + twice(1));
}

TEST_F(RoomForOthersTest, WhatTheyHaveCounts) {
    write(1, 0);
    of_0_ = part;
    EXPECT_EQ(room(1), beside_blocks + twice(1) - part);
    of_0_ = 2 * twice(1);
    EXPECT_EQ(room(1), 0);
}

TEST_F(RoomForOthersTest, ARankHasRoomForTwoStepsWhateverOthersHave) {
    write(0, 0);
    EXPECT_EQ(room(0, twice(1)), 0);
    of_0_ = part;
    EXPECT_EQ(room(0, part), 0);
    EXPECT_GT(room(0, 2 * part), 0);
    of_0_ = 3 * part;
    EXPECT_GT(room(0, 1), 0);
}

TEST_F(RoomForOthersTest, WhoHasWrittenWhatOthersHaveNotIsAhead) {
    EXPECT_FALSE(is_ahead(queue(), 0)) << "nobody has begun";
    write(0, 0);
    EXPECT_TRUE(is_ahead(queue(), 0));
    EXPECT_FALSE(is_ahead(queue(), 1));
    write(1, 0);
    write(2, 0);
    EXPECT_FALSE(is_ahead(queue(), 0)) << "the step is complete";
}

}  // namespace
}  // namespace staithe::stream
