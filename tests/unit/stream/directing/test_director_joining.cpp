// Members that are killed: processes really die here. Children are forked before the test opens anything.
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <latch>
#include <string>
#include <thread>

#include <staithe/staithe.hpp>

#include "support/child_process.hpp"
#include "support/stream_test.hpp"
#include "transport/endpoint.hpp"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STAITHE_ADDRESS_SANITIZER 1  // looks at objects through pipes, so it takes descriptors itself
#endif
#endif

namespace staithe {
namespace {

using namespace staithe::testing;

class MembersThatDie : public StreamTest {};

/// Reads and checks steps until the stream fails; how many, and the failure's code.
struct Outcome {
    std::int64_t steps = 0;
    ErrorCode code = ErrorCode::system;
    std::string message;
};
Outcome read_until_failure(Reader& in) {
    Outcome outcome;
    try {
        while (const auto step = in.next(20.0)) {
            EXPECT_EQ(step->index(), outcome.steps);
            expect_intact(*step);
            ++outcome.steps;
        }
        ADD_FAILURE() << "the stream ended as if nothing had happened";
    } catch (const Error& error) {
        outcome.code = error.code();
        outcome.message = error.what();
    }
    return outcome;
}

TEST_F(MembersThatDie, WriterProcessKilledLeavesItsCompleteSteps) {
    const Signal written;
    ChildProcess writer([&] {
        Writer out("s", {.queue_steps = 8});
        write_steps(out, 5);
        const WriteStep half = out.begin_step();
        written.give();
        wait_for_death();
        return 0;
    });
    Reader in("s");
    written.await();
    writer.kill();
    const Outcome outcome = read_until_failure(in);
    EXPECT_EQ(outcome.steps, 5);
    EXPECT_EQ(outcome.code, ErrorCode::peer_lost);
    EXPECT_NE(outcome.message.find("rank 0"), std::string::npos) << outcome.message;
    EXPECT_TRUE(stream_names().empty()) << "its contact file is believed no more";
    EXPECT_NO_THROW(Writer again("s", {.readers = 0}));
}

TEST_F(MembersThatDie, DeathOfTheWriterWakesAWaitingReader) {
    const Signal joined;
    ChildProcess writer([&] {
        const Writer out("s");
        wait_for_death();
        return 0;
    });
    Reader in("s");
    std::thread killing([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        writer.signal(SIGKILL);
    });
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(in.next(25.0)); }), ErrorCode::peer_lost);
    killing.join();
}

TEST_F(MembersThatDie, WriterRankKilledLeavesTheCompleteSteps) {
    const Signal written;
    ChildProcess one([&] {
        Writer out("s", {.group = {.rank = 1, .size = 2}});
        write_steps(out, 3);
        written.give();
        wait_for_death();
        return 0;
    });
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .queue_steps = 4, .timeout = 20.0});
    Reader in("s");
    write_steps(zero, 4);
    written.await();
    one.kill();
    const Outcome outcome = read_until_failure(in);
    EXPECT_EQ(outcome.steps, 3);
    EXPECT_EQ(outcome.code, ErrorCode::peer_lost);
    EXPECT_NE(outcome.message.find("rank 1"), std::string::npos) << outcome.message;
    EXPECT_EQ(code_thrown_by([&] { write_steps(zero, 8); }), ErrorCode::peer_lost);
    EXPECT_EQ(code_thrown_by([&] { zero.close(); }), ErrorCode::peer_lost);
}

TEST_F(MembersThatDie, RankThatDiedIsNamedThoughRankZeroHasGoneSince) {
    const Signal joined;
    const Signal died;
    ChildProcess zero([&] {
        Writer out("s", {.group = {.rank = 0, .size = 3}, .readers = 0});
        died.await();
        EXPECT_EQ(code_thrown_by([&] { out.close(); }), ErrorCode::peer_lost);
        return 0;
    });
    ChildProcess two([&] {
        const Writer out("s", {.group = {.rank = 2, .size = 3}});
        joined.give();
        wait_for_death();
        return 0;
    });
    joined.await();
    Writer out("s", {.group = {.rank = 1, .size = 3}});
    const auto endpoint = transport::Endpoint::shared(run_directory()).value();
    const auto address = transport::Address::parse(transport::Endpoint::name_of_socket(zero.pid()).value()).value();
    std::latch knows(1);  // after the writer does, which has asked before
    const auto on_close =
        endpoint->connect(address, base::Deadline(base::Seconds(20))).value()->on_close([&] { knows.count_down(); });
    WriteStep step = out.begin_step();
    two.kill();
    died.give();
    EXPECT_EQ(zero.wait(), 0);
    knows.wait();
    try {
        step.end();
        ADD_FAILURE() << "the step ended as if nothing had happened";
    } catch (const PeerLost& error) {
        EXPECT_NE(std::string(error.what()).find("writer rank 2"), std::string::npos) << error.what();
    }
}

TEST_F(MembersThatDie, StepThatIsCompletedAfterTheLossIsSeenByNobody) {
    const Signal written;
    ChildProcess one([&] {
        Writer out("s", {.group = {.rank = 1, .size = 2}});
        write_steps(out, 3);
        written.give();
        wait_for_death();
        return 0;
    });
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .queue_steps = 8, .timeout = 20.0});
    Reader first("s");
    write_steps(zero, 1);
    written.await();
    one.kill();
    EXPECT_EQ(read_until_failure(first).steps, 1);
    write_steps(zero, 2);  // now steps 1 and 2 have all their parts
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(first.next(5.0)); }), ErrorCode::peer_lost);
    Reader late("s", {.program = "late"});
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(late.next(5.0)); }), ErrorCode::peer_lost);
}

TEST_F(MembersThatDie, ReaderThatLooksAfterTheStreamWasClosedStillLearnsOfTheLoss) {
    const Signal written;
    ChildProcess one([&] {
        Writer out("s", {.group = {.rank = 1, .size = 2}});
        write_step(out);
        written.give();
        wait_for_death();
        return 0;
    });
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .timeout = 20.0});
    Reader in("s");
    write_step(zero);
    written.await();
    one.kill();
    EXPECT_THROW(zero.close(), PeerLost);
    const Outcome outcome = read_until_failure(in);
    EXPECT_EQ(outcome.steps, 1);
    EXPECT_EQ(outcome.code, ErrorCode::peer_lost);
}

TEST_F(MembersThatDie, ReaderRankWhoseGroupIsNeverWholeLearnsOfTheLossInsteadOfAnEnd) {
    const Signal written;
    ChildProcess one([&] {
        Writer out("s", {.group = {.rank = 1, .size = 2}});
        write_step(out);
        written.give();
        wait_for_death();
        return 0;
    });
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .readers = 0, .timeout = 20.0});
    Reader early("s", {.program = "early"});
    written.await();
    one.kill();
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(early.next(20.0)); }), ErrorCode::peer_lost);
    Reader lonely("s", {.group = {.rank = 0, .size = 2}});
    EXPECT_THROW(zero.close(), PeerLost);
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(lonely.next(20.0)); }), ErrorCode::peer_lost);
}

TEST_F(MembersThatDie, RankZeroKilledIsNoticedByTheOtherWriterRanks) {
    ChildProcess zero([&] {
        Writer out("s", {.group = {.rank = 0, .size = 2}, .queue_steps = 2});
        wait_for_death();
        return 0;
    });
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    write_steps(one, 2);
    std::thread killing([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        zero.signal(SIGKILL);
    });
    EXPECT_EQ(code_thrown_by([&] { static_cast<void>(one.begin_step(25.0)); }), ErrorCode::peer_lost);
    killing.join();
}

TEST_F(MembersThatDie, KilledReaderFreesItsStepsAndTheWriterGoesOn) {
    const Signal holding;
    ChildProcess reader([&] {
        Reader in("s");
        const ReadStep first = in.next().value();
        const ReadStep second = in.next().value();
        holding.give();
        wait_for_death();
        return 0;
    });
    Writer out("s", {.queue_steps = 2});
    write_steps(out, 2);
    holding.await();
    EXPECT_THROW(static_cast<void>(out.begin_step(0.05)), Timeout);
    reader.kill();
    write_steps(out, 20);
    out.close();
}

TEST_F(MembersThatDie, DeathOfAReaderWakesAWaitingWriter) {
    ChildProcess reader([&] {
        Reader in("s");
        const ReadStep step = in.next().value();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        ::raise(SIGKILL);
        return 0;
    });
    Writer out("s", {.queue_steps = 1});
    write_steps(out, 3);
    out.close();
}

TEST_F(MembersThatDie, OtherRanksAndGroupsGoOnWhenAReaderRankIsKilled) {
    const Signal holding;
    ChildProcess mate([&] {
        Reader in("s", {.group = {.rank = 1, .size = 2}, .program = "pair"});
        const ReadStep step = in.next().value();
        holding.give();
        wait_for_death();
        return 0;
    });
    Writer out("s", {.queue_steps = 2, .readers = 2});
    run_ranks(3, [&](int index) {
        if (index == 0) {
            write_step(out);
            holding.await();
            mate.kill();
            write_steps(out, 49);
            out.close();
            return;
        }
        Reader in("s", index == 1 ? ReaderOptions{.group = {.rank = 0, .size = 2}, .program = "pair"}
                                  : ReaderOptions{.program = "single"});
        EXPECT_EQ(read_to_end(in), first_numbers(50));
    });
}

TEST_F(MembersThatDie, ReaderKilledWhileItWaitsForAllWriterRanksHarmsNobody) {
    const Signal opened;
    ChildProcess reader([&] {
        opened.await();
        Reader in("s");
        return 0;
    });
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .readers = 0});
    opened.give();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // its request is there by now
    reader.kill();
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    Reader in("s", {.timeout = 10.0});
    write_step(zero);
    write_step(one);
    expect_intact(in.next(10.0).value());
}

TEST_F(MembersThatDie, StoppedReaderIsNamedInTheWritersTimeout) {
    const Signal holding;
    ChildProcess reader([&] {
        Reader in("s", {.program = "slowpoke"});
        const ReadStep step = in.next().value();
        holding.give();
        wait_for_death();
        return 0;
    });
    Writer out("s", {.queue_steps = 1});
    write_step(out);
    holding.await();
    reader.signal(SIGSTOP);
    try {
        static_cast<void>(out.begin_step(0.05));
        ADD_FAILURE();
    } catch (const Timeout& error) {
        EXPECT_NE(std::string(error.what()).find("slowpoke"), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(std::to_string(reader.pid())), std::string::npos) << error.what();
    }
}

#ifndef STAITHE_ADDRESS_SANITIZER
/// Opens a stream with ever more descriptors at hand until it succeeds; everything before must be LimitReached.
template <class Open>
int open_with_few_descriptors(const Open& open) {
    rlimit limit{};
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    for (rlim_t descriptors = 4; descriptors < 64; ++descriptors) {
        limit.rlim_cur = descriptors;
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
        try {
            open();
            return 0;
        } catch (const LimitReached&) {
        }
    }
    return 2;
}

TEST_F(MembersThatDie, WriterThatRunsOutOfDescriptorsSaysSo) {
    ChildProcess child(
        [] { return open_with_few_descriptors([] { const Writer out("s", {.readers = 0, .timeout = 2.0}); }); });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(MembersThatDie, ReaderThatRunsOutOfDescriptorsSaysSoAndHarmsNobody) {
    const Signal opened;
    ChildProcess child([&] {
        opened.await();
        return open_with_few_descriptors([] { const Reader in("s", {.timeout = 2.0}); });
    });
    Writer out("s", {.readers = 0});
    opened.give();
    EXPECT_EQ(child.wait(), 0);
    EXPECT_EQ(stream_names(), std::vector<std::string>{"s"});
    Reader in("s", {.timeout = 5.0});
    write_step(out);
    expect_intact(in.next(5.0).value());
}
#endif

}  // namespace
}  // namespace staithe
