// Readers and writers by their descriptors.
#include <poll.h>

#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <staithe/staithe.hpp>

#include "support/stream_test.hpp"

namespace staithe {
namespace {

using namespace staithe::testing;
using namespace std::chrono_literals;

class WatcherTest : public StreamTest {};

/// Whether it is readable, or becomes so before the test's watchdog comes.
bool is_readable(int descriptor, std::chrono::milliseconds longest = 0ms) {
    pollfd watched{descriptor, POLLIN, 0};
    return ::poll(&watched, 1, static_cast<int>(longest.count())) == 1;
}
constexpr auto long_time = 20s;

void write_a_step(Writer& out) {
    WriteStep step = out.begin_step();
    step.set_attribute("n", 1);
    step.end();
}

TEST_F(WatcherTest, AReadersDescriptorTellsOfStepsAndOfTheEnd) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    const int descriptor = in.descriptor();
    EXPECT_FALSE(is_readable(descriptor));
    EXPECT_THROW(static_cast<void>(in.next(0.0)), Timeout);
    for (int index = 0; index < 3; ++index) {
        EXPECT_FALSE(is_readable(descriptor));
        write_a_step(out);
        EXPECT_TRUE(is_readable(descriptor, long_time));
        EXPECT_EQ(in.next(0.0)->index(), index);
    }
    write_a_step(out);
    write_a_step(out);
    EXPECT_TRUE(is_readable(descriptor, long_time));
    EXPECT_EQ(in.next()->index(), 3);
    EXPECT_TRUE(is_readable(descriptor, long_time)) << "the other one is there";
    EXPECT_EQ(in.next(0.0)->index(), 4);
    std::thread closing([&] {
        std::this_thread::sleep_for(20ms);
        out.close();
    });
    EXPECT_TRUE(is_readable(descriptor, long_time));
    EXPECT_FALSE(in.next(0.0).has_value());
    EXPECT_TRUE(is_readable(descriptor)) << "the end stays the end";
    closing.join();
    in.close();
    EXPECT_THROW(static_cast<void>(in.descriptor()), Closed);
}

TEST_F(WatcherTest, OnceIsUntilTheNextCall) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    const int descriptor = in.descriptor(true);
    write_a_step(out);
    write_a_step(out);
    EXPECT_TRUE(is_readable(descriptor, long_time));
    EXPECT_EQ(in.next(0.0)->index(), 0);
    EXPECT_FALSE(is_readable(descriptor, 20ms));
    EXPECT_EQ(in.descriptor(true), descriptor);
    EXPECT_TRUE(is_readable(descriptor, long_time));
}

TEST_F(WatcherTest, ACallThatComesBeforeTheStepIsAnOrdinaryOne) {
    Writer out("s", {.readers = 0});
    Reader in("s");
    static_cast<void>(in.descriptor());
    std::thread writing([&] { write_steps(out, 200); });
    for (int index = 0; index < 200; ++index) {
        EXPECT_EQ(in.next()->index(), index);
    }
    writing.join();
    in.pause();
    write_a_step(out);
    in.resume();
    write_a_step(out);
    EXPECT_EQ(in.next()->index(), 201);
}

TEST_F(WatcherTest, ADescriptorTellsAReaderThatHoldsTheWholeQueue) {
    Writer out("s", {.queue_steps = 2, .readers = 0});
    Reader in("s");
    const int descriptor = in.descriptor();
    std::vector<ReadStep> held;
    for (int index = 0; index < 2; ++index) {
        write_a_step(out);
        held.push_back(*in.next());
    }
    EXPECT_TRUE(is_readable(descriptor, long_time));
    EXPECT_THROW(static_cast<void>(in.next(0.0)), LimitReached);
}

TEST_F(WatcherTest, AWritersDescriptorTellsOfRoom) {
    Writer out("s", {.queue_steps = 2, .readers = 1});
    Reader in("s");
    EXPECT_TRUE(is_readable(out.descriptor()));
    write_a_step(out);
    {
        const WriteStep step = out.begin_step();
        EXPECT_THROW(static_cast<void>(out.descriptor()), InvalidArgument);
    }
    write_a_step(out);
    const int descriptor = out.descriptor();
    EXPECT_FALSE(is_readable(descriptor, 20ms));
    EXPECT_THROW(static_cast<void>(out.begin_step(0.0)), Timeout);
    static_cast<void>(out.descriptor());
    static_cast<void>(in.next());
    static_cast<void>(in.next(0.0));
    EXPECT_TRUE(is_readable(descriptor, long_time));
    write_a_step(out);
    EXPECT_FALSE(is_readable(descriptor));
    EXPECT_GT(out.statistics().stall_seconds, 0.01);
}

TEST_F(WatcherTest, BothMayEndWhileTheyAreWatched) {
    for (int turn = 0; turn < 50; ++turn) {
        Writer out("s", {.queue_steps = 1, .readers = 0});
        auto in = std::make_unique<Reader>("s");
        write_a_step(out);
        const std::optional<ReadStep> held = in->next();
        static_cast<void>(in->descriptor());
        static_cast<void>(out.descriptor());
        if (turn % 2 == 0) {
            in->close();
            out.close();
        }
        in.reset();
    }
}

}  // namespace
}  // namespace staithe
