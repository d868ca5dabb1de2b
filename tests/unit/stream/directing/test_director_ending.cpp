// Writers that cannot go on, and writers that forget to close.
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "support/child_process.hpp"
#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;

class WritersThatFail : public StreamTest {
  protected:
    /// Reads until the stream fails; how many steps came, and what was said.
    static std::pair<int, std::string> read_until_writer_failed(Reader& in) {
        int steps = 0;
        try {
            while (const auto step = in.next(20.0)) {
                expect_intact(*step);
                ++steps;
            }
        } catch (const WriterFailed& failure) {
            return {steps, failure.what()};
        }
        return {steps, "the stream ended as if all had gone well"};
    }
    static bool says(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
};

TEST_F(WritersThatFail, ReadersGetWhatIsCompleteThenTheReason) {
    Writer out("s");
    Reader in("s");
    write_steps(out, 3);
    const WriteStep open = out.begin_step();
    out.fail("ValueError: the pressure is \x1b[31mnegative\nin cell 7");
    const auto [steps, said] = read_until_writer_failed(in);
    EXPECT_EQ(steps, 3);
    EXPECT_TRUE(says(said, "writer rank 0, ")) << said;
    EXPECT_TRUE(says(said, "failed: ValueError: the pressure is  [31mnegative (after 3 steps")) << said;
    EXPECT_TRUE(says(said, std::to_string(getpid()))) << said;
    EXPECT_THROW(static_cast<void>(in.next()), WriterFailed);
    EXPECT_THROW(static_cast<void>(out.begin_step()), Closed);
    EXPECT_NO_THROW(out.fail("again"));
    EXPECT_NO_THROW(out.close());
}

TEST_F(WritersThatFail, AnyRankMayAndTheOthersLearnOfIt) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}});
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    Reader in("s");
    write_step(zero);
    write_step(one);
    one.fail("it ran out of fuel");
    const auto [steps, said] = read_until_writer_failed(in);
    EXPECT_EQ(steps, 1);
    EXPECT_TRUE(says(said, "writer rank 1, ") && says(said, "it ran out of fuel")) << said;
    try {
        zero.close();
        ADD_FAILURE() << "rank 0 closed as if all had gone well";
    } catch (const WriterFailed& failure) {
        EXPECT_TRUE(says(failure.what(), "writer rank 1, ")) << failure.what();
    }
}

TEST_F(WritersThatFail, StreamThatNotAllRanksCloseHasFailed) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}, .timeout = 0.3});
    Writer one("s", {.group = {.rank = 1, .size = 2}});
    Reader in("s");
    write_step(zero);
    write_step(one);
    write_step(zero);
    EXPECT_THROW(zero.close(), Timeout);
    ASSERT_TRUE(in.next());
    try {
        EXPECT_FALSE(in.next()) << "a step of one rank came";
        ADD_FAILURE() << "the stream seems to have ended well";
    } catch (const WriterFailed& failure) {
        EXPECT_NE(std::string(failure.what()).find("not all its ranks have closed it"), std::string::npos)
            << failure.what();
    }
}

TEST_F(WritersThatFail, RanksAboveZeroLearnThatRankZeroFailed) {
    Writer zero("s", {.group = {.rank = 0, .size = 2}});
    Writer one("s", {.group = {.rank = 1, .size = 2}, .timeout = 20.0});
    zero.fail("no disk");
    try {
        write_steps(one, 100);
        ADD_FAILURE() << "rank 1 wrote on";
    } catch (const WriterFailed& failure) {
        EXPECT_TRUE(says(failure.what(), "writer rank 0, ") && says(failure.what(), "no disk")) << failure.what();
    }
}

TEST_F(WritersThatFail, ReaderMayWaitInAnotherProcess) {
    ChildProcess writer([&] {
        Writer out("s");
        write_steps(out, 2);
        const Reader here("s", {.program = "here"});  // so that the steps are not waited for alone
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        out.fail("gone");
        return 0;
    });
    Reader in("s");
    const auto [steps, said] = read_until_writer_failed(in);
    EXPECT_EQ(steps, 2);
    EXPECT_TRUE(says(said, "gone")) << said;
    EXPECT_EQ(writer.wait(), 0);
}

TEST_F(WritersThatFail, ExceptionThatDestroysTheWriterIsAFailure) {
    std::optional<Reader> in;
    EXPECT_THROW(
        {
            Writer out("s");
            in.emplace("s");
            write_step(out);
            throw std::runtime_error("diverged");
        },
        std::runtime_error);
    EXPECT_EQ(read_until_writer_failed(*in).first, 1);
}

TEST_F(WritersThatFail, WriterThatCameBackAfterwardsGoesOn) {
    std::optional<Reader> in;
    {
        Writer out("s");
        in.emplace("s", ReaderOptions{.timeout = 20.0, .resume = true});
        write_steps(out, 2);
        out.fail("power cut");
    }
    Writer back("s", {.resume = true});
    EXPECT_EQ(back.next_step(), 2);
    std::thread closing([&] {
        write_step(back);
        back.close();
    });
    EXPECT_EQ(read_to_end(*in), first_numbers(3));
    closing.join();
}

TEST_F(WritersThatFail, WriterThatForgetsToCloseSaysWhatIsLost) {
    ::testing::internal::CaptureStderr();
    {
        Writer out("s", {.readers = 2});
        const Reader one_of_two("s");
        write_steps(out, 3);
    }
    EXPECT_TRUE(says(::testing::internal::GetCapturedStderr(), "3 of its steps are lost"));
    ::testing::internal::CaptureStderr();
    {
        Writer out("s");
        Reader in("s");
        write_steps(out, 3);
    }
    EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST_F(WritersThatFail, ReaderThatComesTooLateIsToldSo) {
    const auto complaint = [] {
        try {
            const Reader late("s", {.timeout = 0.05});
        } catch (const Timeout& error) {
            return std::string(error.what());
        }
        return std::string("it joined");
    };
    {
        Writer out("s");
        write_steps(out, 3);
    }
    EXPECT_TRUE(says(complaint(), "ended before this reader joined, with 3 steps that nobody has read")) << complaint();
    Writer failing("s");
    write_step(failing);
    failing.fail("it burns");
    EXPECT_TRUE(says(complaint(), "failed: it burns")) << complaint();
    {
        Writer out("s", {.readers = 0});
        out.close();
    }
    EXPECT_TRUE(says(complaint(), "no program has opened stream")) << complaint();
}

}  // namespace
}  // namespace staithe
