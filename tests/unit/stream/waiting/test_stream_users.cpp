#include "stream/waiting/stream_users.hpp"

#include <algorithm>
#include <future>
#include <thread>

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"

namespace staithe::stream {
namespace {

bool is_held_up(const std::string& stream) {
    const auto streams = held_up_streams();
    return std::find(streams.begin(), streams.end(), stream) != streams.end();
}

TEST(StreamUsers, AStreamIsHeldUpWhenAllItsThreadsWait) {
    const StreamUse use("held");
    EXPECT_FALSE(is_held_up("held"));
    {
        const WaitingThread waiting;
        EXPECT_TRUE(is_held_up("held"));
    }
    EXPECT_FALSE(is_held_up("held"));
}

TEST(StreamUsers, AThreadThatComputesMayGoOnWithItsStream) {
    StreamUse use("shared");
    std::promise<void> has_used;
    std::promise<void> may_end;
    std::thread other([&] {
        use.by_this_thread();
        has_used.set_value();
        may_end.get_future().wait();
    });
    has_used.get_future().wait();
    const WaitingThread waiting;
    EXPECT_FALSE(is_held_up("shared")) << "another thread has used it, and does not wait";
    may_end.set_value();
    other.join();
    while (!is_held_up("shared")) {  // once it has ended for the kernel, too
        std::this_thread::yield();
    }
}

TEST(StreamUsers, WhatIsNotOpenAnyMoreIsNotHeldUp) {
    {
        const StreamUse use("gone");
    }
    const WaitingThread waiting;
    EXPECT_FALSE(is_held_up("gone"));
}

TEST(StreamUsers, StreamsThatALauncherNamedAreUnopenedUntilTheyAreOpen) {
    // No other test may have opened these before.
    const testing::EnvironmentVariable opens("STAITHE_OPENS",
                                             R"({"writes": {"named a": 2, "named b": 1}, "reads": {"named c": 1}})");
    EXPECT_TRUE(unopened_streams("writes").empty()) << "the program is about to open them";
    const WaitingThread waiting;
    EXPECT_EQ(unopened_streams("writes"), (std::map<std::string, int>{{"named a", 2}, {"named b", 1}}));
    EXPECT_EQ(unopened_streams("reads"), (std::map<std::string, int>{{"named c", 1}}));
    const StreamUse use("named a");
    EXPECT_EQ(unopened_streams("writes"), (std::map<std::string, int>{{"named b", 1}}));
}

}  // namespace
}  // namespace staithe::stream
