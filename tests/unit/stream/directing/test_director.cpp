// Streams of several writer and reader ranks: what the director promises to all of them.
#include <atomic>
#include <chrono>
#include <random>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;
using namespace std::chrono_literals;

class DirectorTest : public StreamTest {};

struct Shape {
    int writers;
    int queue_steps;
    std::vector<int> readers;  // ranks of each reader group
};

class ManyRanks : public StreamTest, public ::testing::WithParamInterface<Shape> {};

TEST_P(ManyRanks, EveryReaderRankGetsEveryStepOnceAndInOrder) {
    constexpr int steps = 60;
    const auto& [writers, queue_steps, groups] = GetParam();
    int ranks = writers;
    for (const int size : groups) {
        ranks += size;
    }
    std::atomic<int> readers_done{0};
    run_ranks(ranks, [&, writers = writers, queue_steps = queue_steps, &groups = groups](int index) {
        if (index < writers) {
            Writer out("s", {.group = {.rank = index, .size = writers},
                             .queue_steps = queue_steps,
                             .readers = static_cast<int>(groups.size())});
            write_steps(out, steps);
            out.close();
            return;
        }
        index -= writers;
        int group = 0;
        while (index >= groups[static_cast<std::size_t>(group)]) {
            index -= groups[static_cast<std::size_t>(group++)];
        }
        Reader in("s", {.group = {.rank = index, .size = groups[static_cast<std::size_t>(group)]},
                        .program = numbered("group", group)});
        EXPECT_EQ(in.writers(), writers);
        EXPECT_EQ(read_to_end(in), first_numbers(steps));
        ++readers_done;
    });
    EXPECT_EQ(readers_done, ranks - writers);
}

INSTANTIATE_TEST_SUITE_P(Groups, ManyRanks,
                         ::testing::Values(Shape{1, 1, {1}}, Shape{1, 2, {3}}, Shape{2, 1, {1}}, Shape{3, 2, {2}},
                                           Shape{4, 8, {2, 1}}, Shape{2, 3, {1, 2, 2}}));

TEST_F(DirectorTest, QueueHoldsNoMoreThanItsSteps) {
    for (const int queue_steps : {1, 2, 5}) {
        Writer out("s", {.queue_steps = queue_steps, .readers = 1});
        write_steps(out, queue_steps);
        EXPECT_EQ(code_thrown_by([&] { static_cast<void>(out.begin_step(0.02)); }), ErrorCode::timeout);
        EXPECT_EQ(out.statistics().steps, queue_steps);
    }
}

TEST_F(DirectorTest, QueueHoldsNoMoreThanItsBytesButAlwaysTwoSteps) {
    Writer out("s", {.queue_steps = 8, .queue_bytes = 3 * 1024 * 8, .readers = 1});
    write_steps(out, 3, 1024);
    EXPECT_THROW(static_cast<void>(out.begin_step(0.02)), Timeout);

    Writer large("t", {.queue_steps = 8, .queue_bytes = 1, .readers = 1});
    write_steps(large, 2, 1024);
    EXPECT_THROW(static_cast<void>(large.begin_step(0.02)), Timeout);
}

TEST_F(DirectorTest, MemoryStaysFlatInSteadyState) {
    Writer out("s", {.queue_steps = 2, .readers = 1});
    std::thread reading([] {
        Reader in("s");
        EXPECT_EQ(read_to_end(in).size(), 120U);
    });
    write_steps(out, 20, 1 << 15);
    const std::int64_t bytes = out.statistics().pool_bytes;
    write_steps(out, 100, 1 << 15);
    EXPECT_EQ(out.statistics().pool_bytes, bytes);
    EXPECT_LE(bytes, 2 * (1 << 15) * 8 + (256 << 10));
    out.close();
    reading.join();
}

TEST_F(DirectorTest, ExpectedReadersAreWaitedForWithAllSteps) {
    Writer out("s", {.queue_steps = 8, .readers = 2});
    write_steps(out, 3);
    Reader first("s", {.program = "first"});
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(first.next());
    }
    write_step(out);
    Reader second("s", {.program = "second"});
    out.close();
    EXPECT_EQ(read_to_end(second), first_numbers(4));
    EXPECT_EQ(read_to_end(first), (std::vector<std::int64_t>{3}));
}

TEST_F(DirectorTest, WithoutExpectedReadersStepsArePassedBy) {
    Writer out("s", {.queue_steps = 1, .readers = 0});
    write_steps(out, 10);
    Reader in("s");
    write_step(out);
    EXPECT_EQ(in.next()->index(), 10);
}

TEST_F(DirectorTest, StepIsCompleteOnlyWithAllWriterRanks) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}});
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    Reader in("s");
    write_steps(zero, 2);
    EXPECT_THROW(static_cast<void>(in.next(0.05)), Timeout);
    write_step(one);
    expect_intact(in.next(5.0).value());
    EXPECT_THROW(static_cast<void>(in.next(0.05)), Timeout);
}

TEST_F(DirectorTest, StepThatOneRankAbandonsIsSkippedByAll) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .queue_steps = 4});
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    Reader in("s");
    write_step(zero);
    static_cast<void>(one.begin_step());
    write_step(zero);
    write_step(one);
    const ReadStep step = in.next(5.0).value();
    EXPECT_EQ(step.index(), 1);
    expect_intact(step);
}

TEST_F(DirectorTest, RankMayAbandonManyStepsAheadOfTheOthers) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .queue_steps = 4, .timeout = 10.0});
    Writer one("s", {.group = {.rank = 1, .size = 2}, .timeout = 10.0});
    Reader in("s");
    static constexpr int abandoned = 1000;
    run_ranks(3, [&](int index) {
        if (index == 2) {
            for (int i = 0; i < 20; ++i) {
                ASSERT_EQ(in.next().value().index(), abandoned + i);
            }
            return;
        }
        Writer& out = index == 0 ? zero : one;
        for (int i = 0; i < abandoned; ++i) {
            out.begin_step().abandon();
        }
        write_steps(out, 20);
        out.close();
    });
}

TEST_F(DirectorTest, RanksThatDisagreeOnAVariableFailThatStepAlone) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}});
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    Reader in("s");
    const std::vector<float> floats(4);
    const std::vector<double> doubles(4);
    WriteStep a = zero.begin_step();
    a.put("x", std::span<const float>(floats), {.offset = Extents{0}, .shape = Extents{8}});
    a.end();
    WriteStep b = one.begin_step();
    b.put("x", std::span<const double>(doubles), {.offset = Extents{4}, .shape = Extents{8}});
    b.end();
    write_step(zero);
    write_step(one);
    EXPECT_THROW(static_cast<void>(in.next(5.0)), InvalidArgument);
    expect_intact(in.next(5.0).value());
}

TEST_F(DirectorTest, ReaderGroupStartsWhenAllItsRanksAreThere) {
    Writer out("s", {.queue_steps = 4, .readers = 1});
    Reader zero("s", {.group = {.rank = 0, .size = 2}});
    write_steps(out, 2);
    EXPECT_THROW(static_cast<void>(zero.next(0.05)), Timeout);
    Reader one("s", {.group = {.rank = 1, .size = 2}});
    EXPECT_EQ(zero.next(5.0)->index(), 0);
    EXPECT_EQ(one.next(5.0)->index(), 0);
}

TEST_F(DirectorTest, StepIsHeldUntilTheLastRankOfEveryGroupReleasesIt) {
    Writer out("s", {.queue_steps = 1, .readers = 2});
    Reader zero("s", {.group = {.rank = 0, .size = 2}, .program = "pair"});
    Reader one("s", {.group = {.rank = 1, .size = 2}, .program = "pair"});
    Reader single("s", {.program = "single"});
    write_step(out);
    std::vector<Reader*> readers{&zero, &one, &single};
    for (Reader* reader : readers) {
        EXPECT_THROW(static_cast<void>(out.begin_step(0.02)), Timeout);
        static_cast<void>(reader->next(5.0));
    }
    EXPECT_NO_THROW(static_cast<void>(out.begin_step(5.0)));
}

TEST_F(DirectorTest, ReaderRankWhoseConstructorTimedOutMayComeAgain) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .queue_steps = 4, .readers = 1});
    EXPECT_THROW(Reader in("s", {.group = {.rank = 0, .size = 2}, .timeout = 0.1}), Timeout);
    std::thread later([] {
        std::this_thread::sleep_for(50ms);
        Writer one("s", {.group = {.rank = 1, .size = 2}});
        write_steps(one, 2);
        one.close();
    });
    run_ranks(3, [&](int rank) {
        if (rank == 2) {
            write_steps(zero, 2);
            return;
        }
        Reader in("s", {.group = {.rank = rank, .size = 2}, .timeout = 5.0});
        EXPECT_EQ(in.next(5.0)->index(), 0);
    });
    later.join();
}

TEST_F(DirectorTest, WriterRankLearnsAtOnceThatRankZeroHasEndedTheStream) {
    auto zero = std::make_unique<Writer>("s", WriterOptions{.group = {.rank = 0, .size = 2}, .queue_steps = 1});
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    write_step(one);
    zero.reset();
    const ErrorCode code = code_thrown_by([&] { static_cast<void>(one.begin_step(5.0)); });
    EXPECT_TRUE(code == ErrorCode::closed || code == ErrorCode::peer_lost) << name_of(code);
}

TEST_F(DirectorTest, SlowAndFastRanksNeverLoseAStep) {
    static constexpr int steps = 80;
    run_ranks(4, [](int index) {
        std::minstd_rand random(static_cast<unsigned>(index) + 7);
        const auto dawdle = [&] { std::this_thread::sleep_for(std::chrono::microseconds(random() % 400)); };
        if (index < 2) {
            Writer out("s", {.group = {.rank = index, .size = 2}, .queue_steps = 2});
            for (int i = 0; i < steps; ++i) {
                dawdle();
                write_step(out);
            }
            out.close();
            return;
        }
        Reader in("s", {.group = {.rank = index - 2, .size = 2}});
        std::int64_t expected = 0;
        while (const auto step = in.next()) {
            EXPECT_EQ(step->index(), expected++);
            expect_intact(*step);
            dawdle();
        }
        EXPECT_EQ(expected, steps);
    });
}

}  // namespace
}  // namespace staithe
