// Readers that do not keep up: who loses which step, who waits for whom.
#include <atomic>
#include <chrono>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;
using namespace std::chrono_literals;

using Numbers = std::vector<std::int64_t>;

class OverflowTest : public StreamTest {};

std::int64_t reported(const std::string& stream, const char* field) {
    return find(describe(stream), field)->as_int().value();
}

TEST_F(OverflowTest, DropOldestKeepsTheNewest) {
    Writer out("s", {.queue_steps = 4, .readers = 1, .overflow = "drop-oldest"});
    Reader in("s");
    write_steps(out, 10);
    EXPECT_EQ(out.statistics().dropped, 7);
    EXPECT_EQ(in.statistics().dropped, 7);
    out.close();
    EXPECT_EQ(read_to_end(in), (Numbers{7, 8, 9}));
}

TEST_F(OverflowTest, DropNewestKeepsTheOldest) {
    Writer out("s", {.queue_steps = 4, .readers = 1, .overflow = "drop-newest"});
    Reader in("s");
    write_steps(out, 10);
    out.close();
    EXPECT_EQ(read_to_end(in), (Numbers{0, 1, 2}));
    EXPECT_EQ(in.statistics().dropped, 7);
}

TEST_F(OverflowTest, LatestGivesTheNewestOnly) {
    Writer out("s", {.queue_steps = 4, .readers = 1, .overflow = "latest"});
    Reader in("s");
    write_steps(out, 10);
    EXPECT_EQ(in.next()->index(), 9);
    EXPECT_EQ(in.statistics().dropped, 9);
    write_steps(out, 3);
    EXPECT_EQ(in.next()->index(), 12);
    out.close();
    EXPECT_FALSE(in.next());
}

TEST_F(OverflowTest, KeepEveryWaitsForTheStepsThatItKeeps) {
    Writer out("s", {.queue_steps = 4, .readers = 1, .overflow = "keep-every-5", .timeout = 20.0});
    Reader in("s");
    write_steps(out, 16);  // 0, 5, 10 and 15 fill the queue
    EXPECT_THROW(static_cast<void>(out.begin_step(0.02)), Timeout);
    EXPECT_EQ(in.next()->index(), 0);
    EXPECT_EQ(in.next()->index(), 5);  // which gives 0 back
    write_steps(out, 1);
    out.close();
    Numbers rest = read_to_end(in);
    EXPECT_EQ(Numbers(rest.begin(), rest.begin() + 2), (Numbers{10, 15}));
    EXPECT_EQ(in.statistics().dropped, 12);
}

TEST_F(OverflowTest, StepThatIsHeldIsNeverDropped) {
    for (const char* policy : {"drop-oldest", "drop-newest", "latest"}) {
        Writer out("s", {.queue_steps = 3, .readers = 1, .overflow = policy});
        Reader in("s");
        std::vector<ReadStep> held;
        for (int i = 0; i < 2; ++i) {
            write_step(out);
            held.push_back(in.next().value());
        }
        write_steps(out, 20);  // never waits
        EXPECT_EQ(out.statistics().dropped, 20) << policy;
        for (const ReadStep& step : held) {
            expect_intact(step);
        }
        held.clear();
        write_step(out);
        EXPECT_EQ(in.next()->index(), 22) << policy;
        out.close();
    }
}

TEST_F(OverflowTest, ReaderThatWaitsGetsEachStepAtOnce) {
    Writer out("s", {.queue_steps = 2, .readers = 1, .overflow = "drop-oldest"});
    Reader in("s");
    std::thread reading([&] { EXPECT_EQ(read_to_end(in), first_numbers(50)); });
    for (int i = 0; i < 50; ++i) {
        write_step(out);
        while (reported("s", "steps") >
               find(*find(describe("s"), "readers")->as_list()->front().as_map(), "steps")->as_int().value()) {
            std::this_thread::sleep_for(1ms);
        }
    }
    out.close();
    reading.join();
    EXPECT_EQ(out.statistics().dropped, 0);
}

TEST_F(OverflowTest, OneGroupMayLoseStepsWhereAnotherGetsAll) {
    Writer out("s", {.queue_steps = 4, .readers = 2});
    Reader all("s", {.program = "all"});
    Reader latest("s", {.overflow = "latest", .program = "plot"});
    std::thread reading([&] { EXPECT_EQ(read_to_end(all), first_numbers(200)); });
    const ReadStep first = [&] {
        write_step(out);
        return latest.next().value();
    }();
    write_steps(out, 199);
    EXPECT_EQ(first.index(), 0);
    EXPECT_EQ(latest.next()->index(), 199);
    out.close();
    reading.join();
    EXPECT_EQ(all.statistics().dropped, 0);
    EXPECT_EQ(latest.statistics().dropped, 198);
}

TEST_F(OverflowTest, LargeStepsAreDroppedBeforeTheBytesRunOut) {
    Writer out("s", {.queue_steps = 8, .queue_bytes = 3 * 1024 * 8, .readers = 1, .overflow = "drop-oldest"});
    Reader in("s");
    write_steps(out, 10, 1024);
    out.close();
    EXPECT_EQ(read_to_end(in), (Numbers{8, 9}));
}

TEST_F(OverflowTest, ExpectedReadersThatAreNotThereLoseStepsToo) {
    Writer out("s", {.queue_steps = 4, .readers = 1, .overflow = "drop-oldest"});
    write_steps(out, 10);
    EXPECT_EQ(out.statistics().dropped, 7);
    Reader in("s");
    out.close();
    EXPECT_EQ(read_to_end(in), (Numbers{7, 8, 9}));
}

TEST_F(OverflowTest, QueueOfOneStepHasNoneToLose) {
    EXPECT_THROW(Writer("s", {.queue_steps = 1, .overflow = "latest"}), InvalidArgument);
    Writer out("s", {.queue_steps = 1});
    EXPECT_THROW(Reader("s", {.overflow = "drop-oldest"}), InvalidArgument);
    EXPECT_THROW(Reader("s", {.overflow = "spill"}), InvalidArgument);
    EXPECT_THROW(Reader("s", {.overflow = "nonsense"}), InvalidArgument);
    Reader in("s");
    EXPECT_THROW(in.follow_latest(), InvalidArgument);
}

// All ranks of a group get the same steps, and with every policy the steps of a slow group are in order and whole.
TEST_F(OverflowTest, AllRanksOfAGroupLoseTheSameSteps) {
    for (const char* policy : {"drop-oldest", "drop-newest", "latest", "keep-every-7"}) {
        std::vector<Numbers> seen(3);
        run_ranks(5, [&](int index) {
            if (index < 2) {
                Writer out("s", {.group = {.rank = index, .size = 2}, .queue_steps = 4, .readers = 1});
                write_steps(out, 300);
                out.close();
                return;
            }
            const int rank = index - 2;
            Reader in("s", {.group = {.rank = rank, .size = 3}, .overflow = policy});
            std::minstd_rand random(static_cast<unsigned>(rank));
            while (const auto step = in.next()) {
                expect_intact(*step);
                seen[static_cast<std::size_t>(rank)].push_back(step->index());
                std::this_thread::sleep_for(std::chrono::microseconds(random() % 500));
            }
        });
        EXPECT_EQ(seen[0], seen[1]) << policy;
        EXPECT_EQ(seen[0], seen[2]) << policy;
        EXPECT_TRUE(std::is_sorted(seen[0].begin(), seen[0].end())) << policy;
        EXPECT_FALSE(seen[0].empty()) << policy;
        if (std::string(policy) == "keep-every-7") {
            for (std::int64_t step = 0; step < 300; step += 7) {
                EXPECT_TRUE(std::binary_search(seen[0].begin(), seen[0].end(), step)) << step;
            }
        }
    }
}

// What it is told of each step that it misses fills what a socket holds.
TEST_F(OverflowTest, ReaderThatSleptThroughTheStreamHearsOfItsEnd) {
    std::optional<Writer> out(std::in_place, "s", WriterOptions{.queue_steps = 4, .readers = 1});
    Reader in("s", {.overflow = "drop-oldest"});
    write_steps(*out, 3000);
    const std::jthread closing([&] {
        out->close();
        out.reset();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(read_to_end(in).back(), 2999);
}

TEST_F(OverflowTest, ReaderThatLeavesGivesBackWhatWaitsForIt) {
    Writer out("s", {.queue_steps = 4, .readers = 1});
    {
        Reader in("s", {.overflow = "drop-newest"});
        write_steps(out, 10);
    }
    write_steps(out, 10);
    EXPECT_EQ(reported("s", "dropped"), 7);
    out.close();
}

// Late, early, away for a while ---------------------------------------------------------------------------------

TEST_F(OverflowTest, LateReaderStartsWhereItWants) {
    Writer out("s", {.queue_steps = 16, .readers = 1});
    write_steps(out, 3);
    Reader first("s", {.program = "first"});
    EXPECT_EQ(first.next()->index(), 0);  // 0 is held until the next one is taken
    Reader oldest("s", {.program = "oldest"});
    Reader next("s", {.start = start_next, .program = "next"});
    Reader second("s", {.start = 1, .program = "second"});
    Reader later("s", {.start = 4, .program = "later"});
    write_steps(out, 3);
    out.close();
    EXPECT_EQ(read_to_end(next), (Numbers{3, 4, 5}));
    EXPECT_EQ(read_to_end(second), (Numbers{1, 2, 3, 4, 5}));
    EXPECT_EQ(read_to_end(later), (Numbers{4, 5}));
    const Numbers all = read_to_end(oldest);
    EXPECT_EQ(all.back(), 5);
    EXPECT_LE(all.front(), 1);
}

TEST_F(OverflowTest, StepThatIsGoneIsNoPlaceToStart) {
    Writer out("s", {.readers = 0});
    write_steps(out, 5);
    EXPECT_THROW(Reader("s", {.start = 4}), InvalidArgument);
    EXPECT_THROW(Reader("s", {.start = -3}), InvalidArgument);
    Reader in("s", {.start = 5});
    write_step(out);
    EXPECT_EQ(in.next()->index(), 5);
}

TEST_F(OverflowTest, PausedReaderHoldsNothing) {
    Writer out("s", {.queue_steps = 2, .readers = 1});
    Reader in("s");
    write_steps(out, 2);
    EXPECT_EQ(in.next()->index(), 0);
    in.pause();
    write_steps(out, 10);  // never waits
    in.resume();
    write_steps(out, 1);
    EXPECT_EQ(in.next()->index(), 12);
    EXPECT_EQ(in.statistics().dropped, 0);
    out.close();
}

TEST_F(OverflowTest, RanksPauseTogether) {
    Writer out("s", {.queue_steps = 4, .readers = 1});
    std::vector<Numbers> seen(2);
    std::atomic<int> away{0};
    std::atomic<int> back{0};
    std::thread writing([&] {
        write_steps(out, 6);
        while (away < 2) {
            std::this_thread::sleep_for(1ms);
        }
        write_steps(out, 20);
        away = 3;
        while (back < 2) {  // of which one is back before the other
            write_steps(out, 1);
        }
        write_steps(out, 20);
        out.close();
    });
    run_ranks(2, [&](int rank) {
        Reader in("s", {.group = {.rank = rank, .size = 2}});
        while (const auto step = in.next()) {
            seen[static_cast<std::size_t>(rank)].push_back(step->index());
            if (step->index() == 3) {
                std::this_thread::sleep_for(3ms * rank);
                in.pause();
                ++away;
                while (away < 3) {
                    std::this_thread::sleep_for(1ms);
                }
                std::this_thread::sleep_for(2ms * rank);
                in.resume();
                ++back;
            }
        }
    });
    writing.join();
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_EQ(Numbers(seen[0].begin(), seen[0].begin() + 4), first_numbers(4));
    EXPECT_GE(seen[0].at(4), 26);
}

TEST_F(OverflowTest, StreamMayEndWhileAReaderIsAway) {
    Writer out("s", {.readers = 1});
    Reader in("s");
    in.pause();
    write_steps(out, 3);
    out.close();
    EXPECT_NO_THROW(in.resume());
    EXPECT_FALSE(in.next());
}

TEST_F(OverflowTest, WhoAskedInVainBeforeAPauseIsServedAfterIt) {
    Writer out("s", {.queue_steps = 4, .readers = 1, .overflow = "drop-oldest"});
    Reader in("s");
    EXPECT_THROW(static_cast<void>(in.next(0.01)), Timeout);
    in.pause();
    in.resume();
    write_step(out);
    EXPECT_EQ(in.next(5.0)->index(), 0);
}

TEST_F(OverflowTest, FollowingTwiceIsFollowing) {
    Writer out("s", {.queue_steps = 4, .readers = 1});
    Reader in("s");
    in.follow_latest();
    EXPECT_THROW(static_cast<void>(in.next(0.01)), Timeout);
    write_step(out);  // announced at once: it was asked for
    in.follow_latest();
    EXPECT_EQ(in.next(5.0)->index(), 0);
    write_steps(out, 3);
    EXPECT_EQ(in.next(5.0)->index(), 3);
}

TEST_F(OverflowTest, FollowingTheLatestBeginsAtOnce) {
    Writer out("s", {.queue_steps = 8, .readers = 1});
    Reader in("s");
    write_steps(out, 5);
    EXPECT_EQ(in.next()->index(), 0);
    in.follow_latest();
    write_steps(out, 10);  // never waits
    EXPECT_EQ(in.next()->index(), 14);
    out.close();
    EXPECT_FALSE(in.next());
}

}  // namespace
}  // namespace staithe
