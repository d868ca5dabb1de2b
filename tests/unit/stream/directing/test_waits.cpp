// What `describe` says of who waits, since when, and for whom.
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include <staithe/staithe.hpp>

#include <fmt/format.h>

#include "os/files.hpp"
#include "os/process_identity.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;
using namespace std::chrono_literals;

class WaitsTest : public StreamTest {};

const Attributes& entry(const Attributes& map, const std::string& list, std::size_t index) {
    return *find(map, list)->as_list()->at(index).as_map();
}
const Attributes& first_member(const Attributes& report) { return entry(entry(report, "readers", 0), "members", 0); }
bool is_null(const Attributes& map, const std::string& name) { return *find(map, name) == Value(); }
double seconds(const Attributes& map, const std::string& name) { return find(map, name)->as_double().value(); }

/// Describes the stream again and again until it is as wanted.
template <class Wanted>
Attributes describe_until(const std::string& stream, Wanted&& wanted) {
    for (;;) {
        Attributes report = describe(stream);
        if (wanted(report)) {
            return report;
        }
        std::this_thread::sleep_for(1ms);
    }
}

TEST_F(WaitsTest, NobodyWaitsInAStreamAtRest) {
    Writer out("s");
    Reader in("s", {.program = "plot"});
    write_step(out);
    const ReadStep held = in.next().value();
    const Attributes report = describe("s");
    EXPECT_EQ(*find(report, "version"), Value(STAITHE_VERSION));
    EXPECT_TRUE(is_null(report, "incomplete"));
    EXPECT_TRUE(is_null(report, "closing_seconds"));
    EXPECT_TRUE(find(report, "joining")->as_list()->empty());
    EXPECT_EQ(*find(report, "expected_readers"), Value(1));
    EXPECT_EQ(*find(report, "readers_seen"), Value(1));
    const Attributes& writer = entry(report, "writers", 0);
    EXPECT_TRUE(is_null(writer, "waiting_seconds"));
    EXPECT_EQ(*find(writer, "pid"), Value(static_cast<int>(::getpid())));
    EXPECT_EQ(*find(writer, "joined"), Value(true));
    EXPECT_EQ(*find(writer, "finished"), Value(false));
    const Attributes& reader = first_member(report);
    EXPECT_TRUE(is_null(reader, "waiting_seconds"));
    EXPECT_EQ(*find(reader, "program"), Value("plot"));
    EXPECT_EQ(*find(reader, "version"), Value(STAITHE_VERSION));
    EXPECT_EQ(*find(reader, "held"), Value(1));
    EXPECT_GE(seconds(reader, "holding_seconds"), 0.0);
}

TEST_F(WaitsTest, AReaderThatWaitsIsSeenToUntilItsStepComes) {
    Writer out("s");
    Reader in("s");
    std::thread reading([&] { EXPECT_TRUE(in.next()); });
    const auto waits = [](const Attributes& report) { return !is_null(first_member(report), "waiting_seconds"); };
    const double first = seconds(first_member(describe_until("s", waits)), "waiting_seconds");
    std::this_thread::sleep_for(50ms);
    EXPECT_GT(seconds(first_member(describe("s")), "waiting_seconds"), first + 0.02);
    write_step(out);
    reading.join();
    EXPECT_TRUE(is_null(first_member(describe("s")), "waiting_seconds"));
}

TEST_F(WaitsTest, AWriterThatWaitsForRoomIsSeenWithTheReaderThatHoldsItsSteps) {
    Writer out("s", {.queue_steps = 1});
    Reader in("s");
    write_step(out);
    auto held = in.next();
    std::this_thread::sleep_for(50ms);
    std::thread writing([&] { write_step(out); });
    const Attributes report = describe_until(
        "s", [](const Attributes& found) { return !is_null(entry(found, "writers", 0), "waiting_seconds"); });
    EXPECT_EQ(*find(first_member(report), "held"), Value(1));
    EXPECT_GT(seconds(first_member(report), "holding_seconds"), 0.03);
    std::this_thread::sleep_for(50ms);
    EXPECT_GT(seconds(describe("s"), "stall_seconds"), 0.03) << "though the wait goes on";
    held.reset();
    writing.join();
    EXPECT_TRUE(is_null(entry(describe("s"), "writers", 0), "waiting_seconds"));
}

TEST_F(WaitsTest, ALateReaderHasNotHeldStepsForLongerThanItIsThere) {
    Writer out("s");
    write_step(out);
    std::this_thread::sleep_for(300ms);
    const auto before = std::chrono::steady_clock::now();
    const Reader in("s");
    const double held = seconds(first_member(describe("s")), "holding_seconds");
    const std::chrono::duration<double> there = std::chrono::steady_clock::now() - before;
    EXPECT_LT(held, there.count() + 0.2) << "its clock is a coarse one";
}

TEST_F(WaitsTest, RanksThatHaveNotEndedAStepAreNamed) {
    Writer zero("s", {.group = {.rank = 0, .size = 3}, .queue_steps = 1, .readers = 0});
    Writer one("s", {.group = {.rank = 1, .size = 3}});
    Writer two("s", {.group = {.rank = 2, .size = 3}});
    write_step(zero);
    write_step(two);
    const Attributes report = describe_until("s", [](const Attributes& found) {
        const Value& incomplete = *find(found, "incomplete");
        return incomplete.as_map() != nullptr && find(*incomplete.as_map(), "missing")->as_list()->size() == 1;
    });
    const Attributes& incomplete = *find(report, "incomplete")->as_map();
    EXPECT_EQ(*find(incomplete, "step"), Value(0));
    EXPECT_EQ(*find(incomplete, "missing"), Value(List{1}));
    EXPECT_GE(seconds(incomplete, "seconds"), 0.0);
    std::thread writing([&] { write_step(two); });
    describe_until("s",
                   [](const Attributes& found) { return !is_null(entry(found, "writers", 2), "waiting_seconds"); });
    write_step(one);
    writing.join();
}

TEST_F(WaitsTest, WhoComesBeforeAllWriterRanksIsSeenJoining) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}});
    std::thread joining([] { const Reader in("s", {.program = "plot"}); });
    const Attributes report =
        describe_until("s", [](const Attributes& found) { return !find(found, "joining")->as_list()->empty(); });
    EXPECT_EQ(*find(entry(report, "joining", 0), "program"), Value("plot"));
    EXPECT_GE(seconds(entry(report, "joining", 0), "seconds"), 0.0);
    EXPECT_EQ(*find(entry(report, "writers", 1), "joined"), Value(false));
    const Writer one("s", {.group = {.rank = 1, .size = 2}});
    joining.join();
    EXPECT_TRUE(find(describe("s"), "joining")->as_list()->empty());
}

TEST_F(WaitsTest, AWriterThatClosesAndWaitsForReadersIsSeen) {
    Writer out("s");
    write_step(out);
    std::thread closing([&] { out.close(); });
    const Attributes report =
        describe_until("s", [](const Attributes& found) { return !is_null(found, "closing_seconds"); });
    EXPECT_EQ(*find(report, "readers_seen"), Value(0));
    Reader in("s");
    closing.join();
    EXPECT_EQ(read_to_end(in).size(), 1U);
}

TEST_F(WaitsTest, WhoWaitsLongForAStreamThatNobodyOpensLeavesANoteMeanwhile) {
    const auto notes = [&] {
        int count = 0;
        for (const std::string& file : os::list_directory(run_directory())) {
            count += file.ends_with(".waiting") ? 1 : 0;
        }
        return count;
    };
    os::ProcessIdentity dead = os::this_process();
    dead.pid = 999999999;
    EXPECT_TRUE(os::write_atomically(fmt::format("{}/s.0.{}.waiting", run_directory(), to_string(dead)), "{}"));
    std::thread waiting([] { const Reader in("s"); });
    while (notes() < 2) {
        std::this_thread::sleep_for(1ms);
    }
    const Writer out("s", {.readers = 0});
    waiting.join();
    EXPECT_EQ(notes(), 0);
}

}  // namespace
}  // namespace staithe
