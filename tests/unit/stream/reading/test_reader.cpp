// What readers of a stream may rely on: complete steps, in order, unchanged while held.
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class ReaderTest : public StreamTest {};

/// The elements of a view of float64.
std::vector<double> elements(const View& view) {
    const auto* first = static_cast<const double*>(view.array.data);
    return {first, first + volume(view.array.shape).value_or(0)};
}

TEST_F(ReaderTest, GetsAllStepsInOrderAndThenTheEnd) {
    Writer out("s", {.queue_steps = 3});
    std::thread reading([] {
        Reader in("s");
        EXPECT_EQ(read_to_end(in), first_numbers(500));
        EXPECT_FALSE(in.next().has_value()) << "the end stays the end";
        EXPECT_EQ(in.statistics().steps, 500);
        EXPECT_EQ(in.statistics().pinned, 0);
    });
    write_steps(out, 500);
    out.close();
    reading.join();
}

TEST_F(ReaderTest, WaitsForItsWriterAtMostItsTimeout) {
    EXPECT_THROW(Reader in("nobody", {.timeout = 0.1}), Timeout);
    EXPECT_THROW(Reader in("a/b", {.timeout = 0.1}), InvalidArgument);
    EXPECT_THROW(Reader in("s", {.group = {.rank = 1, .size = 1}}), InvalidArgument);
}

TEST_F(ReaderTest, StartedFirstFindsTheWriterThatComesLater) {
    std::thread reading([] {
        Reader in("s", {.timeout = 20.0});
        EXPECT_EQ(read_to_end(in), first_numbers(5));
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    Writer out("s");
    write_steps(out, 5);
    out.close();
    reading.join();
}

TEST_F(ReaderTest, NextFailsAtItsTimeoutAndGoesOnAfterwards) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    EXPECT_THROW(static_cast<void>(in.next(0.05)), Timeout);
    EXPECT_THROW(static_cast<void>(in.next(0.0)), Timeout);
    write_step(out);
    expect_intact(in.next(0.0).value());
}

TEST_F(ReaderTest, TimeoutsThatCannotBeAreRefused) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    EXPECT_THROW(static_cast<void>(in.next(std::numeric_limits<double>::quiet_NaN())), InvalidArgument);
    EXPECT_THROW(static_cast<void>(in.next(-1.0)), InvalidArgument);
    EXPECT_THROW(static_cast<void>(out.begin_step(std::numeric_limits<double>::quiet_NaN())), InvalidArgument);
    EXPECT_THROW(static_cast<void>(describe("s", std::numeric_limits<double>::quiet_NaN())), InvalidArgument);
}

TEST_F(ReaderTest, ClosedReaderGivesNoStep) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    in.close();
    EXPECT_THROW(static_cast<void>(in.next()), Closed);
    EXPECT_NO_THROW(in.close());
}

TEST_F(ReaderTest, LateGroupGetsWhatIsRetainedAndWhatComes) {
    Writer out("s", {.queue_steps = 4, .readers = 1});
    write_steps(out, 3);
    Reader first("s");
    const ReadStep held = first.next().value();  // step 0 is pinned: it, 1 and 2 are retained
    Reader late("s");
    write_step(out);
    out.close();
    EXPECT_EQ(read_to_end(late), first_numbers(4));
    EXPECT_EQ(held.index(), 0);
}

TEST_F(ReaderTest, LateGroupDoesNotGetWhatAllOthersReleased) {
    Writer out("s", {.readers = 1});
    Reader first("s");
    write_steps(out, 3);
    for (int i = 0; i < 3; ++i) {
        static_cast<void>(first.next());
    }
    write_step(out);
    Reader late("s");
    out.close();
    EXPECT_EQ(read_to_end(late), (std::vector<std::int64_t>{3}));
}

TEST_F(ReaderTest, SeveralGroupsEachGetAllSteps) {
    constexpr int steps = 100;
    Writer out("s", {.queue_steps = 4, .readers = 3});
    std::vector<std::thread> groups;
    for (int group = 0; group < 3; ++group) {
        groups.emplace_back([group] {
            Reader in("s", {.program = numbered("group", group)});
            EXPECT_EQ(read_to_end(in), first_numbers(steps));
        });
    }
    write_steps(out, steps);
    out.close();
    for (std::thread& group : groups) {
        group.join();
    }
}

TEST_F(ReaderTest, ReadsWhatIsQueuedAfterTheWriterIsGone) {
    auto out = std::make_unique<Writer>("s", WriterOptions{.queue_steps = 8});
    Reader in("s");
    write_steps(*out, 8);
    out->close();
    out.reset();
    EXPECT_EQ(read_to_end(in), first_numbers(8));
}

TEST_F(ReaderTest, WriterDestroyedWithoutCloseEndsTheStream) {
    auto out = std::make_unique<Writer>("s");
    Reader in("s");
    write_steps(*out, 2);
    out.reset();
    EXPECT_EQ(read_to_end(in), first_numbers(2));
}

TEST_F(ReaderTest, AbandonedStepsAreSkipped) {
    Writer out("s", {.queue_steps = 16});
    Reader in("s");
    const std::vector<double> values(4);
    for (int i = 0; i < 12; ++i) {
        WriteStep step = out.begin_step();
        step.put(numbered("x", i % 2), std::span<const double>(values));
        if (i % 3 == 0) {
            step.abandon();
        } else if (i % 3 == 1) {
            step.end();
        }  // else destroyed, which abandons it
    }
    out.close();
    std::vector<std::int64_t> numbers;
    while (const auto step = in.next()) {
        numbers.push_back(step->index());
        EXPECT_EQ(step->variables(), std::vector<std::string>{numbered("x", step->index() % 2)});
    }
    EXPECT_EQ(numbers, (std::vector<std::int64_t>{1, 4, 7, 10}));
}

TEST_F(ReaderTest, AbandonedStepsDoNotCrowdOutTheNextOne) {
    Writer out("s", {.queue_steps = 2});
    Reader in("s");
    for (int i = 0; i < 500; ++i) {
        out.begin_step().abandon();
    }
    write_steps(out, 2);
    EXPECT_EQ(in.next(5.0)->index(), 500);
    EXPECT_EQ(in.next(5.0)->index(), 501);
}

TEST_F(ReaderTest, AbandonedStepsTakeNoCreditAndNoMemory) {
    Writer out("s", {.queue_steps = 1, .readers = 1, .timeout = 0.2});
    const std::vector<double> values(1 << 16);
    std::int64_t bytes = 0;
    for (int i = 0; i < 200; ++i) {
        WriteStep step = out.begin_step();
        step.put("x", std::span<const double>(values));
        step.abandon();
        bytes = i == 10 ? out.statistics().pool_bytes : bytes;
    }
    EXPECT_EQ(out.statistics().pool_bytes, bytes);
}

TEST_F(ReaderTest, ViewsKeepTheirContentAfterTheReaderIsGone) {
    constexpr std::int64_t each = 20000;  // large enough for memory of its own
    Writer out("s", {.queue_steps = 3, .readers = 1});
    std::vector<std::pair<std::int64_t, View>> held;
    {
        Reader in("s");
        write_steps(out, 2, each);
        for (int i = 0; i < 2; ++i) {
            const ReadStep step = in.next().value();
            held.emplace_back(step.index(), step.variable("x").block(0));
        }
    }
    write_steps(out, 30, each);  // the third slot of the queue, again and again
    for (const auto& [number, view] : held) {
        EXPECT_EQ(elements(view), values_of(number, 0, each));
    }
    out.close();
    for (const auto& [number, view] : held) {
        EXPECT_EQ(elements(view), values_of(number, 0, each)) << "after the end of the stream";
    }
}

TEST_F(ReaderTest, ReaderThatLeavesFreesItsSteps) {
    Writer out("s", {.queue_steps = 2, .readers = 1});
    {
        Reader in("s");
        write_steps(out, 2);
        const ReadStep one = in.next().value();
        EXPECT_THROW(static_cast<void>(out.begin_step(0.05)), Timeout);
    }
    write_steps(out, 10);
    EXPECT_EQ(out.statistics().steps, 12);
}

TEST_F(ReaderTest, StepsMayBeReleasedInAnyOrder) {
    Writer out("s", {.queue_steps = 4, .readers = 1});
    Reader in("s");
    write_steps(out, 4);
    std::vector<std::optional<ReadStep>> held(4);
    for (auto& step : held) {
        step = in.next();
    }
    for (const std::size_t index : {2U, 0U, 3U, 1U}) {
        EXPECT_THROW(static_cast<void>(out.begin_step(0.02)), Timeout);
        held[index].reset();
        write_step(out);
    }
    out.close();
    EXPECT_EQ(read_to_end(in), (std::vector<std::int64_t>{4, 5, 6, 7}));
}

TEST_F(ReaderTest, HoldingTheWholeQueueIsAnErrorNotAWait) {
    Writer out("s", {.queue_steps = 2, .readers = 1});
    Reader in("s");
    write_steps(out, 2);
    auto first = in.next();
    const auto second = in.next();
    EXPECT_THROW(static_cast<void>(in.next(5.0)), LimitReached);
    EXPECT_EQ(in.statistics().pinned, 2);
    first.reset();
    write_step(out);
    EXPECT_EQ(in.next(5.0)->index(), 2);
}

TEST_F(ReaderTest, CopiesOfAStepShareItsPin) {
    Writer out("s", {.queue_steps = 1, .readers = 1});
    Reader in("s");
    write_step(out);
    auto step = in.next();
    auto copy = step;
    std::optional<Variable> variable = copy->variable("x");
    step.reset();
    EXPECT_THROW(static_cast<void>(out.begin_step(0.02)), Timeout);
    copy.reset();
    EXPECT_THROW(static_cast<void>(out.begin_step(0.02)), Timeout);
    EXPECT_EQ(variable->read<double>(), values_of(0, 0, 16));
    variable.reset();
    EXPECT_NO_THROW(static_cast<void>(out.begin_step(5.0)));
}

TEST_F(ReaderTest, ViewsMayBeReleasedInOtherThreads) {
    constexpr int steps = 300;
    Writer out("s", {.queue_steps = 4, .readers = 1});
    std::thread reading([] {
        Reader in("s");
        std::thread other;
        while (auto step = in.next()) {
            if (other.joinable()) {
                other.join();
            }
            other = std::thread([view = step->variable("x").block(0), number = step->index()]() mutable {
                EXPECT_EQ(elements(view), values_of(number, 0, 16));
                view.owner.reset();
            });
        }
        other.join();
    });
    write_steps(out, steps);
    out.close();
    reading.join();
    EXPECT_EQ(out.statistics().steps, steps);
}

TEST_F(ReaderTest, ManyStreamsInOneProcessAreIndependent) {
    run_ranks(6, [](int index) {
        const std::string name = numbered("stream", index / 2);
        if (index % 2 == 0) {
            Writer out(name, {.queue_steps = 2});
            write_steps(out, 100);
            out.close();
        } else {
            Reader in(name);
            EXPECT_EQ(read_to_end(in), first_numbers(100));
        }
    });
}

}  // namespace
}  // namespace staithe
