#include "store/space/lock_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <vector>

namespace staithe::store::space {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr LockMode reading = LockMode::read;
constexpr LockMode writing = LockMode::write;

class LockTableTest : public ::testing::Test {
  protected:
    LockTable::Answer ask(std::int64_t holder, LockMode mode, const Box& box = {}, const std::string& variable = "T") {
        const auto answer =
            table_.request(holder, {.variable = variable, .mode = mode, .box = box, .lease = seconds(5)}, now_);
        EXPECT_TRUE(answer.has_value()) << answer.error().message;
        return answer.value_or(LockTable::Answer{});
    }
    std::int64_t take(std::int64_t holder, LockMode mode, const Box& box = {}, const std::string& variable = "T") {
        const auto answer = ask(holder, mode, box, variable);
        EXPECT_TRUE(answer.token.has_value()) << table_.describe_wait(answer.request, now_);
        return answer.token.value_or(0);
    }
    std::int64_t wait(std::int64_t holder, LockMode mode, const Box& box = {}, const std::string& variable = "T") {
        const auto answer = ask(holder, mode, box, variable);
        EXPECT_FALSE(answer.token.has_value());
        return answer.request;
    }
    std::string refusal(std::int64_t holder, const LockTable::Wish& wish, ErrorCode code) {
        const auto answer = table_.request(holder, wish, now_);
        EXPECT_FALSE(answer.has_value());
        EXPECT_EQ(answer.error().code, code);
        return answer.error().message;
    }
    std::string deadlock(std::int64_t holder, LockMode mode, const std::string& variable) {
        return refusal(holder, {.variable = variable, .mode = mode, .lease = seconds(5)}, ErrorCode::deadlock);
    }
    template <class T>
    static std::string message(const base::Result<T>& result, ErrorCode code) {
        EXPECT_FALSE(result.has_value());
        EXPECT_EQ(result.error().code, code);
        return result.error().message;
    }
    /// The requests that were granted since it was asked last.
    std::vector<std::int64_t> granted() {
        std::vector<std::int64_t> requests;
        for (const auto& event : table_.events()) {
            if (event.kind == LockTable::Event::Kind::granted) {
                EXPECT_EQ(table_.locks().at(event.request).token, event.token);
                requests.push_back(event.request);
            }
        }
        table_.events().clear();
        return requests;
    }

    LockTable table_{LockTable::Settings{.first_token = 1, .most_locks = 100, .remembered_endings = 3}};
    LockTable::Time now_{seconds(1000)};
    std::int64_t lmp_ = table_.join("lmp (pid 12 on a)");
    std::int64_t viz_ = table_.join("viz (pid 9 on b)");
    std::int64_t fit_ = table_.join("fit (pid 7 on c)");
};

TEST_F(LockTableTest, ReadersShareAndWritersDoNot) {
    const auto first = take(lmp_, reading);
    const auto second = take(viz_, reading);
    EXPECT_GT(second, first);
    const auto writer = wait(fit_, writing);
    EXPECT_TRUE(table_.release(first, now_));
    EXPECT_THAT(granted(), IsEmpty());
    EXPECT_TRUE(table_.release(second, now_));
    EXPECT_THAT(granted(), ElementsAre(writer));
    wait(lmp_, reading);
}

TEST_F(LockTableTest, BoxesThatDoNotMeetDoNotWait) {
    constexpr std::int64_t far_away = std::int64_t{1} << 62;
    take(lmp_, writing, {{0, 0}, {4, 4}});
    take(viz_, writing, {{4, 0}, {4, 4}});
    take(fit_, writing, {{far_away, 0}, {far_away - 1, 4}});
    take(fit_, writing, {}, "P");
    take(fit_, writing, {{0, 0}, {0, 4}});
    const auto whole = wait(viz_, reading);
    EXPECT_EQ(table_.describe_wait(whole, now_),
              "lmp (pid 12 on a) has held 'T' [0:4, 0:4] to write for 0.0 s; "
              "fit (pid 7 on c) has held 'T' [4611686018427387904:9223372036854775807, 0:4] to write for 0.0 s");
}

TEST_F(LockTableTest, AStreamOfReadersDoesNotStarveAWriter) {
    auto held = take(lmp_, reading);
    const auto writer = wait(fit_, writing, {{0}, {10}});
    take(viz_, reading, {{10}, {1}});  // it is in nobody's way
    const auto reader = wait(viz_, reading, {{9}, {1}});
    EXPECT_EQ(table_.describe_wait(reader, now_ + seconds(2)),
              "fit (pid 7 on c) has waited before for 'T' [0:10] to write for 2.0 s");
    EXPECT_TRUE(table_.release(held, now_));
    EXPECT_THAT(granted(), ElementsAre(writer));
    EXPECT_TRUE(table_.cancel(writer, now_));  // granted meanwhile: it is released
    EXPECT_THAT(granted(), ElementsAre(reader));
}

TEST_F(LockTableTest, WhoWasBehindACancelledRequestIsServed) {
    take(lmp_, reading);
    const auto writer = wait(fit_, writing);
    const auto reader = wait(viz_, reading);
    EXPECT_TRUE(table_.cancel(writer, now_));
    EXPECT_THAT(granted(), ElementsAre(reader));
    EXPECT_FALSE(table_.cancel(writer, now_));
}

TEST_F(LockTableTest, WhoHoldsALockMayTakeItAgain) {
    const auto first = take(lmp_, writing);
    const auto writer = wait(viz_, writing);
    const auto second = take(lmp_, writing, {{0}, {1}});  // past the one that waits for it
    EXPECT_TRUE(table_.release(first, now_));
    EXPECT_THAT(granted(), IsEmpty());
    EXPECT_TRUE(table_.release(second, now_));
    EXPECT_THAT(granted(), ElementsAre(writer));
}

TEST_F(LockTableTest, AReaderMayAskToWriteOnceNobodyElseReads) {
    take(lmp_, reading);
    const auto other = take(viz_, reading);
    const auto upgrade = wait(lmp_, writing);
    EXPECT_TRUE(table_.release(other, now_));
    EXPECT_THAT(granted(), ElementsAre(upgrade));
}

TEST_F(LockTableTest, ALeaseRunsOut) {
    const auto token = take(lmp_, writing, {{0}, {10}});
    const auto waiting = wait(viz_, writing, {{5}, {10}});
    EXPECT_EQ(table_.next_expiry(), now_ + seconds(5));
    now_ += seconds(4);
    EXPECT_TRUE(table_.renew(token, now_));
    EXPECT_EQ(table_.next_expiry(), now_ + seconds(5));
    table_.expire(now_ + milliseconds(4999));
    EXPECT_THAT(granted(), IsEmpty());

    now_ += seconds(5);
    table_.expire(now_);
    ASSERT_EQ(table_.events().size(), 2U);
    EXPECT_EQ(table_.events()[0].kind, LockTable::Event::Kind::lapsed);
    EXPECT_EQ(table_.events()[0].token, token);
    EXPECT_THAT(granted(), ElementsAre(waiting));

    now_ += seconds(1);
    const std::string expected =
        "lock 1 of lmp (pid 12 on a) on 'T' [0:10] to write ran out 1.0 s ago, as it was not renewed within 5.0 s; "
        "viz (pid 9 on b) has held 'T' [5:15] to write for 1.0 s. Take a new lock, and read again what it is to "
        "protect";
    EXPECT_EQ(message(table_.renew(token, now_), ErrorCode::closed), expected);
    EXPECT_EQ(message(table_.release(token, now_), ErrorCode::closed), expected);
    EXPECT_EQ(message(table_.check(token, "T", writing, {{0}, {1}}, now_), ErrorCode::closed), expected);
}

TEST_F(LockTableTest, ALeaseRunsOutWithoutBeingToldTo) {
    const auto token = take(lmp_, writing);
    now_ += seconds(5);
    EXPECT_THAT(message(table_.check(token, "T", writing, {}, now_), ErrorCode::closed),
                HasSubstr("ran out 0.0 s ago"));
    take(viz_, writing);
}

TEST_F(LockTableTest, WhatTheDeadHeldIsFree) {
    const auto token = take(lmp_, writing, {{0}, {1}});
    take(lmp_, reading, {{1}, {1}});
    const auto behind = wait(viz_, writing);
    take(fit_, writing, {}, "P");
    wait(lmp_, writing, {}, "P");
    table_.drop(lmp_, now_);
    EXPECT_THAT(granted(), ElementsAre(behind));
    EXPECT_EQ(table_.locks().size(), 2U);
    EXPECT_EQ(
        message(table_.check(token, "T", writing, {{0}, {1}}, now_ + seconds(1)), ErrorCode::closed),
        "lock 1 of lmp (pid 12 on a) on 'T' [0:1] to write ended 1.0 s ago, when its holder was lost; "
        "viz (pid 9 on b) has held 'T' to write for 1.0 s. Take a new lock, and read again what it is to protect");
}

TEST_F(LockTableTest, ATokenAllowsWhatItsLockCovers) {
    const auto read = take(lmp_, reading, {{0, 0}, {4, 4}});
    EXPECT_TRUE(table_.check(read, "T", reading, {{1, 1}, {3, 3}}, now_));
    EXPECT_EQ(
        message(table_.check(read, "T", writing, {{1, 1}, {3, 3}}, now_), ErrorCode::invalid_argument),
        "lock 1 of lmp (pid 12 on a) is on 'T' [0:4, 0:4] to read, and does not allow 'T' [1:4, 1:4] to write: take "
        "a lock on all that is used");
    EXPECT_FALSE(table_.check(read, "T", reading, {{1, 1}, {3, 4}}, now_));
    EXPECT_FALSE(table_.check(read, "T", reading, {}, now_));
    EXPECT_FALSE(table_.check(read, "P", reading, {{1, 1}, {3, 3}}, now_));
    const auto written = take(viz_, writing, {{4}, {1}});
    EXPECT_TRUE(table_.check(written, "T", reading, {{4, 7}, {1, 1}}, now_));
}

TEST_F(LockTableTest, TokensThatNeverWereAndThatEndedLongAgo) {
    for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(table_.release(take(lmp_, writing), now_));
    }
    EXPECT_EQ(message(table_.release(5, now_), ErrorCode::invalid_argument),
              "no lock was granted here with the token 5: pass the one that came with the grant");
    EXPECT_FALSE(table_.release(0, now_));
    EXPECT_EQ(message(table_.release(1, now_), ErrorCode::closed),
              "lock 1 ended long ago. Take a new lock, and read again what it is to protect");
    EXPECT_EQ(
        message(table_.release(2, now_), ErrorCode::closed),
        "lock 2 of lmp (pid 12 on a) on 'T' to write was released 0.0 s ago. Take a new lock, and read again what it "
        "is to protect");
}

TEST_F(LockTableTest, TokensGoOnWhereAnotherTableStopped) {
    LockTable next(LockTable::Settings{.first_token = 100});
    const auto holder = next.join("lmp");
    EXPECT_EQ(next.request(holder, {.variable = "T", .lease = seconds(1)}, now_)->token, 100);
    EXPECT_THAT(message(next.check(99, "T", reading, {}, now_), ErrorCode::invalid_argument), HasSubstr("token 99"));
}

TEST_F(LockTableTest, RequestsThatMeanNothing) {
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(refusal(lmp_, {.variable = "T", .box = {{-1}, {2}}, .lease = seconds(1)}, ErrorCode::invalid_argument),
              "a lock on 'T' has the box [-1:1]: offsets and counts must not be negative, nor end beyond 2^63");
    refusal(lmp_, {.variable = "T", .box = {{most}, {1}}, .lease = seconds(1)}, ErrorCode::invalid_argument);
    refusal(lmp_, {.variable = "T", .box = {{0, 0}, {1}}, .lease = seconds(1)}, ErrorCode::invalid_argument);
    EXPECT_EQ(refusal(lmp_, {.variable = "T", .lease = seconds(0)}, ErrorCode::invalid_argument),
              "a lock on 'T' has a lease of 0.0 s: it must be more than 0, and at most a year");
    refusal(lmp_, {.variable = "T", .lease = LockTable::Duration::max()}, ErrorCode::invalid_argument);
    for (int i = 0; i < 100; ++i) {
        take(lmp_, reading);
    }
    EXPECT_EQ(
        refusal(lmp_, {.variable = "T", .lease = seconds(1)}, ErrorCode::limit_reached),
        "a lock on 'T' finds 100 that are held or waited for, which is the most there may be: release some, or lock "
        "larger boxes");
}

TEST_F(LockTableTest, ManyInTheWayAreCounted) {
    for (int i = 0; i < 5; ++i) {
        take(lmp_, reading);
    }
    EXPECT_THAT(table_.describe_wait(wait(viz_, writing), now_), HasSubstr("; and 2 more are in its way"));
}

TEST_F(LockTableTest, TwoInACircle) {
    take(lmp_, writing, {{0}, {4}}, "T");
    take(viz_, reading, {}, "P");
    const auto waiting = wait(viz_, reading, {{2}, {4}}, "T");
    EXPECT_EQ(deadlock(lmp_, writing, "P"),
              "these would wait for each other in a circle: "
              "lmp (pid 12 on a) wants 'P' to write behind viz (pid 9 on b), who holds 'P' to read; "
              "viz (pid 9 on b) wants 'T' [2:6] to read behind lmp (pid 12 on a), who holds 'T' [0:4] to write. "
              "None of them could go on: release what is held and start again. Let all take their locks in the same "
              "order, and ask to write at once where they read first and then write");
    // Nothing has changed, and once the other gives up there is no circle.
    EXPECT_EQ(table_.locks().size(), 3U);
    EXPECT_TRUE(table_.cancel(waiting, now_));
    wait(lmp_, writing, {}, "P");
}

TEST_F(LockTableTest, TwoReadersThatBothAskToWrite) {
    take(lmp_, reading);
    take(viz_, reading);
    wait(lmp_, writing);
    EXPECT_THAT(deadlock(viz_, writing, "T"), HasSubstr("in a circle: viz (pid 9 on b) wants 'T' to write behind"));
}

TEST_F(LockTableTest, AReaderThatAsksToWriteWhileAThirdWaits) {
    take(lmp_, reading);
    const auto other = take(viz_, reading);
    wait(fit_, writing);
    EXPECT_THAT(
        deadlock(lmp_, writing, "T"),
        HasSubstr("lmp (pid 12 on a) wants 'T' to write behind fit (pid 7 on c), who asked before for 'T' to "
                  "write; fit (pid 7 on c) wants 'T' to write behind lmp (pid 12 on a), who holds 'T' to read."));
    EXPECT_TRUE(table_.release(other, now_));
    take(lmp_, writing);  // it passes the one that waits for it
}

TEST_F(LockTableTest, WhoIsWaitedForOutsideOfTheTable) {
    const auto far = table_.join("far (pid 3 on d)", "far"), near = table_.join("near (pid 4 on d)", "near");
    const auto held = take(lmp_, writing, {}, "A");
    take(near, reading);
    const auto other = wait(far, writing);
    EXPECT_THAT(table_.ways_out({"near", "nobody"}, "near"), IsEmpty());
    const auto ways = table_.ways_out({"far", "far"}, "");
    ASSERT_EQ(ways.size(), 1U);
    EXPECT_EQ(ways[0].from, "far");
    EXPECT_EQ(ways[0].to, "near");
    ASSERT_EQ(ways[0].steps.size(), 1U);
    EXPECT_EQ(ways[0].steps[0].waiting, other);
    EXPECT_EQ(ways[0].steps[0].holder, "far");
    EXPECT_EQ(ways[0].steps[0].text,
              "far (pid 3 on d) wants 'T' to write behind near (pid 4 on d), who holds 'T' to read");
    wait(near, writing, {}, "A");
    EXPECT_THAT(table_.ways_out({"far"}, ""), IsEmpty()) << "it waits here, at last for one that no other table knows";
    EXPECT_EQ(table_.ways_out({"far"}, "near").size(), 1U) << "who is looked for is found everywhere";
    EXPECT_TRUE(table_.release(held, now_));
    table_.drop(near, now_);
    EXPECT_THAT(table_.ways_out({"far", "near"}, "near"), IsEmpty());
}

TEST_F(LockTableTest, ThreeInACircle) {
    take(lmp_, writing, {}, "A");
    take(viz_, writing, {}, "B");
    take(fit_, writing, {}, "C");
    wait(lmp_, writing, {}, "B");
    wait(viz_, writing, {}, "C");
    EXPECT_THAT(deadlock(fit_, reading, "A"),
                HasSubstr("fit (pid 7 on c) wants 'A' to read behind lmp (pid 12 on a), who holds 'A' to write; "
                          "lmp (pid 12 on a) wants 'B' to write behind viz (pid 9 on b), who holds 'B' to write; "
                          "viz (pid 9 on b) wants 'C' to write behind fit (pid 7 on c), who holds 'C' to write. "));
}

TEST_F(LockTableTest, OfTwoCirclesTheShorterOneIsPrinted) {
    take(lmp_, writing, {}, "A");
    take(fit_, reading, {}, "B");
    take(viz_, reading, {}, "B");
    take(viz_, reading, {}, "C");
    wait(viz_, reading, {}, "A");
    wait(fit_, writing, {}, "C");
    EXPECT_THAT(
        deadlock(lmp_, writing, "B"),
        HasSubstr("in a circle: lmp (pid 12 on a) wants 'B' to write behind viz (pid 9 on b), who holds 'B' to read; "
                  "viz (pid 9 on b) wants 'A' to read behind lmp (pid 12 on a), who holds 'A' to write. "));
}

TEST_F(LockTableTest, LongCirclesAreNotPrintedInFull) {
    for (const int length : {5, 8, 9, 20}) {
        LockTable table(LockTable::Settings{});
        std::vector<std::int64_t> holders;
        for (int i = 0; i < length; ++i) {
            holders.push_back(table.join("h" + std::to_string(i)));
            const Box own{{i}, {1}};
            EXPECT_TRUE(table.request(holders.back(),
                                      {.variable = "T", .mode = writing, .box = own, .lease = seconds(1)}, now_));
        }
        base::Result<LockTable::Answer> last;
        for (int i = 0; i < length; ++i) {
            const Box next{{(i + 1) % length}, {1}};
            last = table.request(holders[static_cast<std::size_t>(i)],
                                 {.variable = "T", .mode = writing, .box = next, .lease = seconds(1)}, now_);
            EXPECT_EQ(last.has_value(), i + 1 < length);
        }
        const std::string text = message(last, ErrorCode::deadlock);
        const auto links = static_cast<int>(std::count(text.begin(), text.end(), ';'));
        EXPECT_EQ(links, length <= 8 ? length - 1 : 8) << text;
        EXPECT_EQ(text.find("and so on, " + std::to_string(length - 8) + " more") != std::string::npos, length > 8);
    }
}

}  // namespace
}  // namespace staithe::store::space
