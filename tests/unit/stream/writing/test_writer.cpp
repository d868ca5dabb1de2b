// The public edge of writing: what a writer refuses, and how it ends.
#include <latch>
#include <limits>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "os/files.hpp"
#include "support/stream_test.hpp"
#include "transport/endpoint.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class WriterTest : public StreamTest {};

const std::vector<double> three{1.0, 2.0, 3.0};
const std::span<const double> three_values(three);

TEST_F(WriterTest, RefusesNamesThatAreNoFileNames) {
    for (const std::string& name : {std::string(), std::string("."), std::string(".."), std::string(".hidden"),
                                    std::string("a/b"), std::string("a b"), std::string("ä"), std::string(129, 'x')}) {
        EXPECT_THROW(Writer out(name), InvalidArgument) << name;
    }
    EXPECT_NO_THROW(Writer out("Melt_1.x-y"));
}

TEST_F(WriterTest, RefusesOptionsThatCannotBe) {
    EXPECT_THROW(Writer out("s", {.group = {.rank = 2, .size = 2}}), InvalidArgument);
    EXPECT_THROW(Writer out("s", {.group = {.rank = -1, .size = 2}}), InvalidArgument);
    EXPECT_THROW(Writer out("s", {.group = {.rank = 0, .size = 0}}), InvalidArgument);
    EXPECT_THROW(Writer out("s", {.queue_steps = 0}), InvalidArgument);
    EXPECT_THROW(Writer out("s", {.queue_bytes = 0}), InvalidArgument);
    EXPECT_THROW(Writer out("s", {.readers = -1}), InvalidArgument);
    EXPECT_THROW(Writer out("s", {.reserve_bytes = -1}), InvalidArgument);
    EXPECT_THROW(Writer out("s", {.timeout = -1.0}), InvalidArgument);
    EXPECT_THROW(Writer out("s", {.timeout = std::numeric_limits<double>::quiet_NaN()}), InvalidArgument);
    EXPECT_NO_THROW(Writer out("s", {.timeout = std::numeric_limits<double>::infinity()}));
}

TEST_F(WriterTest, NameOfALiveWriterIsTaken) {
    const Writer out("taken");
    EXPECT_THROW(Writer second("taken"), AlreadyExists);
}

TEST_F(WriterTest, SecondWriterOfANameDoesTheFirstNoHarm) {
    Writer out("taken", {.readers = 0});
    EXPECT_THROW(Writer second("taken"), AlreadyExists);
    EXPECT_EQ(stream_names(), std::vector<std::string>{"taken"});
    Reader in("taken", {.timeout = 5.0});
    write_step(out);
    expect_intact(in.next(5.0).value());
}

TEST_F(WriterTest, WaitsForWarmMemoryOnlyAsLongAsItsCallerDoes) {
    Writer out("s");
    const Reader in("s");
    const std::vector<double> values(std::size_t{1} << 18);  // 2 MiB: with two of them in the queue memory is cold
    for (int number = 0; number < 8; ++number) {
        WriteStep step = out.begin_step(0.0);
        step.put("x", std::span(values));
        step.end();
    }
    EXPECT_EQ(out.statistics().stall_seconds, 0.0);
    EXPECT_THROW(static_cast<void>(out.begin_step(0.0)), Timeout) << "the queue is full";
}

TEST_F(WriterTest, FillsItsQueueWhenReadersDoNotKeepUp) {
    Writer out("s");
    Reader in("s");
    const std::vector<double> values(std::size_t{1} << 18);
    for (int number = 0; number < 8; ++number) {
        WriteStep step = out.begin_step();
        step.put("x", std::span(values));
        step.end();
    }
    EXPECT_GT(out.statistics().stall_seconds, 0.0) << "it had waited for a moment";
    for (int number = 0; number < 8; ++number) {
        EXPECT_EQ(in.next()->index(), number);
    }
}

TEST_F(WriterTest, NameIsFreeAgainAfterClose) {
    for (int turn = 0; turn < 3; ++turn) {
        Writer out("again", {.readers = 0});
        write_step(out);
        out.close();
        EXPECT_TRUE(stream_names().empty());
    }
    {
        const Writer dropped("again", {.readers = 1});
    }
    EXPECT_NO_THROW(Writer out("again"));
}

TEST_F(WriterTest, ContactGoesBeforeTheSocketThatItNames) {
    Writer out("s", {.readers = 0});
    const auto endpoint = transport::Endpoint::shared(run_directory()).value();
    std::latch held(1);
    std::latch released(1);
    ASSERT_TRUE(endpoint->offer("hold", [&](const auto&, const auto&) {
        held.count_down();
        released.wait();  // until then no service can be withdrawn
    }));
    const auto link = endpoint->connect(endpoint->address(), base::Deadline(base::Seconds(5.0))).value();
    ASSERT_TRUE(link->notify({{"service", "hold"}}));
    held.wait();
    std::thread closing([&] { out.close(); });
    while (!stream_names().empty()) {
        std::this_thread::yield();
    }
    EXPECT_EQ(os::list_directory(run_directory()), std::vector<std::string>{endpoint->socket_name()});
    released.count_down();
    closing.join();
    endpoint->withdraw("hold");
    EXPECT_TRUE(os::list_directory(run_directory()).empty());
}

TEST_F(WriterTest, RankAboveZeroWaitsForRankZeroAtMostItsTimeout) {
    EXPECT_THROW(Writer out("s", {.group = {.rank = 1, .size = 2}, .timeout = 0.1}), Timeout);
}

TEST_F(WriterTest, RankOfAnotherGroupIsRefused) {
    const Writer out("s", {.group = {.rank = 0, .size = 2, .id = "a"}, .readers = 0});
    EXPECT_THROW(Writer other("s", {.group = {.rank = 1, .size = 3, .id = "a"}, .timeout = 5.0}), InvalidArgument);
    EXPECT_THROW(Writer other("s", {.group = {.rank = 1, .size = 2, .id = "b"}, .timeout = 5.0}), InvalidArgument);
    const Writer mate("s", {.group = {.rank = 1, .size = 2, .id = "a"}, .timeout = 5.0});
    EXPECT_THROW(Writer twin("s", {.group = {.rank = 1, .size = 2, .id = "a"}, .timeout = 5.0}), AlreadyExists);
}

TEST_F(WriterTest, OneStepIsOpenAtATime) {
    Writer out("s", {.readers = 0});
    WriteStep step = out.begin_step();
    EXPECT_THROW(static_cast<void>(out.begin_step()), InvalidArgument);
    step.end();
    EXPECT_NO_THROW(static_cast<void>(out.begin_step()));
}

TEST_F(WriterTest, EndedStepTakesNothingMore) {
    Writer out("s", {.readers = 0});
    WriteStep step = out.begin_step();
    step.end();
    EXPECT_THROW(step.put("x", three_values), Closed);
    EXPECT_THROW(step.set_attribute("a", 1), Closed);
    EXPECT_THROW(static_cast<void>(step.loan("x", Dtype::f64, {3})), Closed);
    EXPECT_THROW(static_cast<void>(step.index()), Closed);
    EXPECT_THROW(step.end(), Closed);
    EXPECT_THROW(step.abandon(), Closed);
}

TEST_F(WriterTest, ClosedWriterBeginsNoStep) {
    Writer out("s", {.readers = 0});
    out.close();
    EXPECT_THROW(static_cast<void>(out.begin_step()), Closed);
    EXPECT_NO_THROW(out.close());
}

TEST_F(WriterTest, RefusesBlocksThatDoNotFit) {
    Writer out("s", {.readers = 0});
    WriteStep step = out.begin_step();
    EXPECT_THROW(step.put("", three_values), InvalidArgument);
    EXPECT_THROW(step.put("x", three_values, {.offset = Extents{0}}), InvalidArgument);
    EXPECT_THROW(step.put("x", three_values, {.offset = Extents{1}, .shape = Extents{3}}), InvalidArgument);
    EXPECT_THROW(step.put("x", three_values, {.offset = Extents{-1}, .shape = Extents{9}}), InvalidArgument);
    EXPECT_THROW(step.put("x", three_values, {.offset = Extents{0, 0}, .shape = Extents{3, 3}}), InvalidArgument);
    EXPECT_THROW(step.put("x", three_values, {.shape = Extents{std::int64_t{1} << 62, 8}}), InvalidArgument);
    EXPECT_THROW(static_cast<void>(step.loan("x", Dtype::f64, {-1})), InvalidArgument);
    EXPECT_THROW(static_cast<void>(step.loan("x", Dtype::f64, {std::int64_t{1} << 61})), InvalidArgument);
    step.put("x", three_values);  // a refusal leaves nothing behind
    step.end();
}

TEST_F(WriterTest, VariableIsPutOnceButMayHaveSeveralBlocks) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    WriteStep step = out.begin_step();
    step.put("x", three_values, {.offset = Extents{0}, .shape = Extents{9}});
    EXPECT_THROW(step.put("x", three_values, {.offset = Extents{0}, .shape = Extents{9}}), AlreadyExists);
    EXPECT_THROW(step.put("x", three_values, {.offset = Extents{2}, .shape = Extents{9}}), InvalidArgument);
    EXPECT_THROW(step.put("x", three_values, {.offset = Extents{3}, .shape = Extents{10}}), InvalidArgument);
    step.put("x", three_values, {.offset = Extents{6}, .shape = Extents{9}});
    step.put("y", three_values);
    EXPECT_THROW(step.put("y", three_values), AlreadyExists);
    step.end();
    const ReadStep read = in.next().value();
    EXPECT_EQ(read.variable("x").blocks().size(), 2U);
    EXPECT_EQ(read.variable("x").read<double>(Selection{{6, 1, 3}}), three);
    EXPECT_THROW(static_cast<void>(read.variable("x").read<double>()), NotFound);
}

TEST_F(WriterTest, BlocksKeepTheOrderInWhichTheyRun) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    const std::vector<double> values = values_of(0, 0, 64);
    const auto layout_of = [&](const Extents& shape, const Extents& strides) {
        WriteStep step = out.begin_step();
        step.put("x", {values.data() + 32, Dtype::f64, shape, strides});
        step.end();
        return in.next().value().variable("x").block(0).array.strides;
    };
    const Extents rows{24, 8};
    const Extents columns{8, 16};
    EXPECT_EQ(layout_of({2, 3}, {24, 8}), rows);
    EXPECT_EQ(layout_of({2, 3}, {8, 16}), columns);
    EXPECT_EQ(layout_of({2, 3}, {8, 80}), columns);    // a part of a larger array
    EXPECT_EQ(layout_of({2, 3}, {-8, -80}), columns);  // seen from its end
    EXPECT_EQ(layout_of({2, 3}, {80, 8}), rows);
    EXPECT_EQ(layout_of({2, 3}, {0, 8}), rows);  // repeated
    EXPECT_EQ(layout_of({2, 3}, {8, 8}), rows);
    EXPECT_EQ(layout_of({1, 3}, {8, 80}), rows);  // one line has no order
    EXPECT_EQ(layout_of({2, 3, 2}, {8, 80, 16}), (Extents{48, 16, 8}));
}

TEST_F(WriterTest, LoansLieInTheOrderThatIsAskedFor) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    WriteStep step = out.begin_step();
    Loan loan = step.loan("x", Dtype::f64, {2, 3}, {.column_major = true});
    EXPECT_EQ(loan.array().strides, (Extents{8, 16}));
    std::fill_n(loan.data<double>(), 6, 1.0);
    loan.data<double>()[1] = 2.0;
    step.publish(std::move(loan));
    step.end();
    EXPECT_EQ(in.next().value().variable("x").read<double>(), (std::vector<double>{1, 1, 1, 2, 1, 1}));
}

TEST_F(WriterTest, TextsThatAreNotUtf8AreRefusedWhereTheyAreGiven) {
    Writer out("s", {.readers = 0});
    WriteStep step = out.begin_step();
    EXPECT_THROW(step.put("\xff\xfe", three_values), InvalidArgument);
    EXPECT_THROW(step.put("x", three_values, {.unit = "\xff"}), InvalidArgument);
    EXPECT_THROW(step.put("x", three_values, {.attributes = {{"a", "\xff"}}}), InvalidArgument);
    EXPECT_THROW(step.set_attribute("a", "\xff"), InvalidArgument);
    EXPECT_THROW(step.set_attribute("\xff", 1), InvalidArgument);
    EXPECT_THROW(Writer other("t", {.attributes = {{"a", "\xff"}}}), InvalidArgument);
    EXPECT_THROW(Reader in("s", {.timeout = 1.0, .program = "\xff"}), InvalidArgument);
}

TEST_F(WriterTest, LoanIsPublishedOnceAndInItsOwnStep) {
    Writer out("s", {.readers = 0});
    WriteStep first = out.begin_step();
    Loan late = first.loan("x", Dtype::f64, {3});
    Loan used = first.loan("y", Dtype::f64, {3});
    first.publish(std::move(used));
    EXPECT_THROW(first.publish(std::move(used)), Closed);
    EXPECT_THROW(static_cast<void>(used.array()), Closed);
    first.end();
    WriteStep second = out.begin_step();
    EXPECT_THROW(second.publish(std::move(late)), InvalidArgument);
    EXPECT_NO_THROW(second.end());
}

TEST_F(WriterTest, LoanOutlivesItsWriter) {
    auto out = std::make_unique<Writer>("s", WriterOptions{.readers = 0});
    auto step = std::make_unique<WriteStep>(out->begin_step());
    Loan loan = step->loan("x", Dtype::f64, {1 << 16});
    out.reset();
    step.reset();
    std::fill_n(loan.data<double>(), 1 << 16, 1.0);
    EXPECT_EQ(loan.array().shape, Extents{1 << 16});
}

TEST_F(WriterTest, MovedWriterGoesOn) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    Writer moved(std::move(out));
    write_step(moved);
    Writer other("t", {.readers = 0});
    other = std::move(moved);
    write_step(other);
    other.close();
    EXPECT_EQ(read_to_end(in), first_numbers(2));
}

TEST_F(WriterTest, CloseWaitsForTheExpectedReadersAtMostItsTimeout) {
    Writer out("s", {.readers = 2, .timeout = 0.1});
    Reader in("s");
    write_steps(out, 2);
    EXPECT_THROW(out.close(), Timeout);
    EXPECT_EQ(read_to_end(in), first_numbers(2)) << "who came gets all";
    EXPECT_TRUE(stream_names().empty());
    EXPECT_NO_THROW(out.close());
}

TEST_F(WriterTest, StatisticsCountWhatWasPublished) {
    Writer out("s", {.readers = 0});
    write_steps(out, 3, 16);
    static_cast<void>(out.begin_step());  // abandoned at once
    const WriterStatistics statistics = out.statistics();
    EXPECT_EQ(statistics.steps, 3);
    EXPECT_EQ(statistics.bytes, 3 * 16 * 8);
    EXPECT_GT(statistics.pool_bytes, 0);
}

}  // namespace
}  // namespace staithe
