// Waits that last: for the living they go on, in a circle they end.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <optional>
#include <string>
#include <thread>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "os/process_identity.hpp"
#include "stream/waiting/long_wait.hpp"
#include "support/child_process.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;
using namespace std::chrono_literals;

class LongWaits : public StreamTest {
  protected:
    EnvironmentVariable no_timeout_{"STAITHE_TIMEOUT", nullptr};

    void await_notes(std::size_t count) const {
        for (;;) {
            std::size_t notes = 0;
            for (const std::string& file : os::list_directory(run_directory())) {
                notes += file.ends_with(".waiting") ? 1 : 0;
            }
            if (notes >= count) {
                return;
            }
            std::this_thread::sleep_for(10ms);
        }
    }

    /// As `staithe run` writes it, with one program, which has ended.
    void leave_roster(const char* program, const List& writes, const List& reads) const {
        const os::ProcessIdentity here = os::this_process();
        const Attributes ended{{"name", program},  {"boot", here.boot}, {"pid_namespace", here.pid_namespace},
                               {"pid", 999999999}, {"start_time", 5},   {"writes", writes},
                               {"reads", reads}};
        ASSERT_TRUE(os::write_atomically(run_directory() + "/programs.json",
                                         base::to_json(Attributes{{"programs", List{ended}}})));
    }
};

TEST_F(LongWaits, WriterThatWaitsForItselfIsToldSo) {
    Writer out("s", {.queue_steps = 2});
    const Reader in("s");
    write_steps(out, 2);
    try {
        static_cast<void>(out.begin_step());
        ADD_FAILURE() << "there was room";
    } catch (const Deadlock& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("That is itself, so it would wait for ever"), std::string::npos) << text;
        EXPECT_NE(text.find("has not released 2 steps"), std::string::npos) << text;
    }
}

TEST_F(LongWaits, ProcessesThatWaitForEachOtherAreToldWhoElse) {
    // The child reads s before it writes t, this process the other way round.
    ChildProcess child([] {
        Reader in("s");
        Writer out("t");
        const ErrorCode code = code_thrown_by([&] { static_cast<void>(in.next()); });
        EXPECT_TRUE(code == ErrorCode::deadlock || code == ErrorCode::writer_failed);
        out.fail("a deadlock");
        return 0;
    });
    Writer out("s");
    Reader in("t");
    try {
        static_cast<void>(in.next());
        ADD_FAILURE() << "a step came";
    } catch (const Deadlock& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find("wait for each other in a circle"), std::string::npos) << text;
        EXPECT_NE(text.find(std::to_string(child.pid())), std::string::npos) << text;
        EXPECT_NE(text.find("the next step of 's'"), std::string::npos) << text;
        EXPECT_NE(text.find("the next step of 't'"), std::string::npos) << text;
    } catch (const WriterFailed& failure) {
        EXPECT_NE(std::string(failure.what()).find("a deadlock"), std::string::npos);  // the child was first
    }
    out.fail("a deadlock");
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(LongWaits, ThreadThatMayStillWriteIsNoCircle) {
    std::optional<Writer> out(std::in_place, "s");
    Reader in("s");
    std::thread writing([&] {
        write_step(*out);
        std::this_thread::sleep_for(6s);
        write_step(*out);
        out->close();
    });
    EXPECT_EQ(read_to_end(in), first_numbers(2));
    writing.join();
}

TEST_F(LongWaits, ThreadThatWorksMayStillGiveStepsBack) {
    Writer out("s", {.queue_steps = 1});
    Reader in("s");
    write_step(out);
    std::thread working([step = in.next()]() mutable {
        const auto end = base::Clock::now() + 6s;
        while (base::Clock::now() < end) {
        }
        step.reset();
    });
    write_step(out);
    working.join();
}

TEST_F(LongWaits, ReaderThatIsAheadOfASlowOneIsInNoCircle) {
    // The first holds the newest step while it waits for the next one, for which the second must release an older one.
    ChildProcess fast([] {
        Reader in("s");
        std::optional<ReadStep> last;
        while (std::optional<ReadStep> step = in.next()) {
            last = std::move(step);
        }
        return 0;
    });
    ChildProcess slow([] {
        Reader in("s");
        static_cast<void>(in.next());
        std::this_thread::sleep_for(7s);
        read_to_end(in);
        return 0;
    });
    Writer out("s", {.queue_steps = 3, .readers = 2});
    write_steps(out, 8);
    out.close();
    EXPECT_EQ(fast.wait(), 0);
    EXPECT_EQ(slow.wait(), 0);
}

TEST_F(LongWaits, ThoseThatLastAreToldOfOnceAMinute) {
    const auto endpoint = transport::Endpoint::shared(run_directory()).value();
    const auto began = base::Clock::now() - 119s;
    stream::LongWait wait({"s", "reader rank 0", "the next step of", endpoint,
                           [] { return stream::Awaited{"sim has not ended it", {}}; }},
                          began);
    ::testing::internal::CaptureStderr();
    while (base::Clock::now() < began + 122s) {
        ASSERT_TRUE(wait.look());
        std::this_thread::sleep_for(100ms);
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("reader rank 0 has waited 120 s for the next step of it: sim has not ended it"),
              std::string::npos)
        << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(LongWaits, HoldStreamsUpOnceTheirNoteSaysWhy) {
    const stream::StreamUse use("s");
    const auto endpoint = transport::Endpoint::shared(run_directory()).value();
    stream::LongWait wait({"s", "reader rank 0", "the next step of", endpoint,
                           [] { return stream::Awaited{"sim has not ended it", {}}; }},
                          base::Clock::now());
    EXPECT_TRUE(stream::held_up_streams().empty());
    std::this_thread::sleep_for(1s);
    ASSERT_TRUE(wait.look());
    await_notes(1);
    EXPECT_EQ(stream::held_up_streams(), std::vector<std::string>{"s"});
}

TEST_F(LongWaits, AreTheirParentsInAForkedChild) {
    std::optional<stream::WaitingThread> waiting(std::in_place);
    std::optional<stream::WaitingNote> note(std::in_place, run_directory(), "s");
    note->write({.stream = "s"});
    ChildProcess child([&] {
        waiting.reset();
        note.reset();
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
    await_notes(1);
}

TEST_F(LongWaits, ThoseForSomebodyWhoHasNotComeAreToldOfSooner) {
    const auto endpoint = transport::Endpoint::shared(run_directory()).value();
    const auto began = base::Clock::now() - 9s;
    stream::LongWait wait(
        {"s", "reader rank 0", "somebody to open", endpoint,
         [] { return stream::Awaited{"nobody has opened it", {}, stream::Awaited::Absent::writers, 1}; }},
        began);
    ::testing::internal::CaptureStderr();
    while (base::Clock::now() < began + 12s) {
        ASSERT_TRUE(wait.look());
        std::this_thread::sleep_for(100ms);
    }
    const std::string said = ::testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("reader rank 0 has waited 10 s for somebody to open it: nobody has opened it"),
              std::string::npos)
        << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST_F(LongWaits, LeaveANoteForAsLongAsTheyLast) {
    Writer out("s");
    Reader in("s");
    std::thread reading([&] { EXPECT_EQ(read_to_end(in), first_numbers(1)); });
    await_notes(1);
    write_step(out);
    out.close();
    reading.join();
    for (const std::string& file : os::list_directory(run_directory())) {
        EXPECT_FALSE(file.ends_with(".waiting")) << file;
    }
}

TEST_F(LongWaits, NotesThatAreNoneHarmNobody) {
    int number = 0;
    for (const char* content :
         {"{", R"({"stream": "s", "pid": -1})",
          R"({"stream": "s", "pid": 1, "program": "a", "host": "b", "role": 5, "wants": "", "reason": ""})"}) {
        const std::string name = fmt::format("s.{}.{}.waiting", number++, to_string(os::this_process()));
        ASSERT_TRUE(os::write_atomically(run_directory() + "/" + name, content));
    }
    Writer out("s", {.queue_steps = 1});
    const Reader in("s");
    write_step(out);
    EXPECT_THROW(static_cast<void>(out.begin_step()), Deadlock);
}

// Who looked for long would seem to be at work, and never be told.
TEST_F(LongWaits, LookingIsNoWorkHoweverMuchThereIsToSee) {
    for (int number = 0; number < 4000; ++number) {
        const std::string name = fmt::format("t.{}.{}.waiting", number, to_string(os::this_process()));
        std::ofstream(run_directory() + "/" + name) << fmt::format(
            R"({{"stream": "t", "pid": {}, "program": "a", "host": "b", "role": "", "wants": "", "reason": ""}})",
            os::process_id());
    }
    Writer out("s", {.queue_steps = 1});
    const Reader in("s");
    write_step(out);
    EXPECT_THROW(static_cast<void>(out.begin_step()), Deadlock);
}

TEST_F(LongWaits, ProgramThatHasEndedIsNotWaitedFor) {
    leave_roster("sim", {"s"}, {});
    try {
        const Reader in("s", {.timeout = 25.0});
        ADD_FAILURE() << "the stream was opened";
    } catch (const PeerLost& error) {
        EXPECT_NE(std::string(error.what()).find("sim, which was to write it, has ended"), std::string::npos)
            << error.what();
    }
}

TEST_F(LongWaits, ReadersThatHaveEndedAreNotWaitedFor) {
    Writer out("s", {.queue_steps = 1});
    write_step(out);
    leave_roster("plot", {}, {"s"});
    EXPECT_THROW(static_cast<void>(out.begin_step()), PeerLost);
    EXPECT_THROW(out.close(), PeerLost);
}

}  // namespace
}  // namespace staithe
