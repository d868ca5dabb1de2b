#include "monitor/counter.hpp"

#include <thread>

#include <gtest/gtest.h>

namespace staithe::monitor {
namespace {

using namespace std::chrono_literals;

TEST(Counter, AddsUp) {
    Counter counter;
    EXPECT_EQ(counter.value(), 0);
    counter.add(5);
    counter.add(-2);
    EXPECT_EQ(counter.value(), 3);
}

TEST(Counter, IsReadByOtherThreadsWhileItGrows) {
    Counter counter;
    std::thread adding([&] {
        for (int i = 0; i < 10000; ++i) {
            counter.add(1);
        }
    });
    for (std::int64_t last = 0; last < 10000;) {
        const std::int64_t now = counter.value();
        ASSERT_GE(now, last);
        last = now;
    }
    adding.join();
}

TEST(TimeCounter, CountsSeconds) {
    TimeCounter time;
    EXPECT_EQ(time.seconds(), 0.0);
    time.add(1500ms);
    time.add(1ns);
    EXPECT_DOUBLE_EQ(time.seconds(), 1.500000001);
}

}  // namespace
}  // namespace staithe::monitor
