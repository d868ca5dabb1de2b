#include "os/ready_set.hpp"

#include <array>
#include <thread>

#include <gtest/gtest.h>

#include "os/pipe.hpp"
#include "os/socket.hpp"
#include "support/watchdog.hpp"

namespace staithe::os {
namespace {

class ReadySetTest : public ::testing::Test {
  protected:
    std::size_t look(ReadySet::Wait wait = ReadySet::Wait::no) { return set_.look(ready_, wait); }

    ReadySet set_ = ReadySet::create().value();
    std::array<ReadySet::Ready, 8> ready_{};

  private:
    testing::Watchdog watchdog_;
};

TEST_F(ReadySetTest, TellsOfWhatIsWantedAlone) {
    const auto [one, other] = create_socket_pair().value();
    ASSERT_TRUE(set_.add(one.get(), 7));
    ASSERT_TRUE(send_some(other, std::array<std::byte, 1>{}, {}));
    EXPECT_EQ(look(), 0U);
    set_.want(one.get(), 7, {.readable = true});
    ASSERT_EQ(look(), 1U);
    EXPECT_EQ(ready_[0].number, 7U);
    EXPECT_TRUE(ready_[0].readable && !ready_[0].writable);
    EXPECT_EQ(look(), 1U) << "as long as nobody reads it";
    set_.want(one.get(), 7, {.readable = true, .writable = true, .once = true});
    ASSERT_EQ(look(), 1U);
    EXPECT_TRUE(ready_[0].readable && ready_[0].writable);
    EXPECT_EQ(look(), 0U) << "once";
    set_.want(one.get(), 7, {.readable = true});
    set_.remove(one.get());
    EXPECT_EQ(look(), 0U);
}

TEST_F(ReadySetTest, SaysOnceThatTheOtherSideOfOneThatNothingIsWantedOfIsGone) {
    auto [one, other] = create_socket_pair().value();
    ASSERT_TRUE(set_.add(one.get(), 7));
    other = FileDescriptor();
    ASSERT_EQ(look(), 1U);
    EXPECT_TRUE(ready_[0].readable && ready_[0].writable);
    EXPECT_EQ(look(), 0U);
    set_.want(one.get(), 7, {.readable = true});
    EXPECT_EQ(look(), 1U) << "asked, it says so again";
}

TEST_F(ReadySetTest, WhatIsWantedMayChangeWhileSomebodyWaits) {
    const auto pipe = create_pipe().value();
    ASSERT_TRUE(set_.add(pipe.read_end.get(), 1));
    poke(pipe.write_end);
    std::thread later([&] { set_.want(pipe.read_end.get(), 1, {.readable = true}); });
    EXPECT_EQ(look(ReadySet::Wait::forever), 1U);
    later.join();
}

TEST_F(ReadySetTest, AnAlarmRingsFromItsTimeOnUntilItIsSetAnew) {
    const Alarm alarm = Alarm::create().value();
    ASSERT_TRUE(set_.add(alarm.descriptor(), 1));
    set_.want(alarm.descriptor(), 1, {.readable = true});
    const auto time = base::Clock::now() + std::chrono::milliseconds(5);
    alarm.set(time);
    EXPECT_EQ(look(ReadySet::Wait::forever), 1U);
    EXPECT_GE(base::Clock::now(), time);
    EXPECT_EQ(look(), 1U);
    alarm.set(base::Clock::now() + std::chrono::hours(1));
    EXPECT_EQ(look(), 0U);
    alarm.set(base::Clock::now() - std::chrono::hours(1));
    EXPECT_EQ(look(ReadySet::Wait::forever), 1U) << "a time that has passed";
    alarm.clear();
    EXPECT_EQ(look(), 0U);
}

}  // namespace
}  // namespace staithe::os
