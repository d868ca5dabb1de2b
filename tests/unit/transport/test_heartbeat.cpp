#include "transport/heartbeat.hpp"

#include <gtest/gtest.h>

namespace staithe::transport {
namespace {

using base::Seconds;

os::Silence silence(double of_process, double of_host, bool must_answer) {
    return {Seconds(of_process), Seconds(of_host), must_answer};
}

TEST(Heartbeat, HostThatAcknowledgesNothingForFiveSecondsIsLost) {
    Heartbeat heartbeat;
    EXPECT_FALSE(heartbeat.judge(silence(4.5, 4.5, true)).lost);
    const auto verdict = heartbeat.judge(silence(4.8, 4.8, true));
    ASSERT_TRUE(verdict.lost) << "known by the fifth second, since that is when the next look may be";
    EXPECT_EQ(verdict.lost->code, ErrorCode::peer_lost);
    EXPECT_NE(verdict.lost->message.find("host has not answered for 5 s"), std::string::npos);
}

TEST(Heartbeat, HostThatOwesNoAnswerIsNotLost) {
    Heartbeat heartbeat;
    EXPECT_FALSE(heartbeat.judge(silence(30, 30, false)).lost) << "as while it takes no more bytes";
}

TEST(Heartbeat, SilentProcessIsStalledThenLost) {
    Heartbeat heartbeat;
    EXPECT_EQ(heartbeat.judge(silence(4.9, 0.1, true)).news, "");
    EXPECT_NE(heartbeat.judge(silence(5.0, 0.1, true)).news.find("is it stopped"), std::string::npos);
    EXPECT_EQ(heartbeat.judge(silence(5.3, 0.1, true)).news, "") << "it is said once";
    EXPECT_FALSE(heartbeat.judge(silence(59.9, 0.1, true)).lost);
    EXPECT_EQ(heartbeat.judge(silence(60.0, 0.1, true)).lost->code, ErrorCode::peer_lost);
}

TEST(Heartbeat, StalledProcessMayGoOnAndStallAgain) {
    Heartbeat heartbeat;
    EXPECT_NE(heartbeat.judge(silence(6.0, 0.1, true)).news, "");
    EXPECT_EQ(heartbeat.judge(silence(0.1, 0.1, true)).news, "goes on");
    EXPECT_EQ(heartbeat.judge(silence(0.2, 0.1, true)).news, "");
    EXPECT_NE(heartbeat.judge(silence(6.0, 0.1, true)).news, "");
}

TEST(Heartbeat, LooksMoreOftenWhenSomethingMayBeWrong) {
    Heartbeat heartbeat;
    EXPECT_EQ(heartbeat.judge(silence(1.0, 1.0, false)).look_again, Heartbeat::interval);
    EXPECT_LT(heartbeat.judge(silence(2.5, 0.1, false)).look_again, Heartbeat::interval);
    EXPECT_LT(heartbeat.judge(silence(0.1, 2.5, true)).look_again, Heartbeat::interval);
}

}  // namespace
}  // namespace staithe::transport
