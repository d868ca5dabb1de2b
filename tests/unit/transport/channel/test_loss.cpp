// How a peer was lost, when its link and its channel end in one order or the other.
#include "transport/channel/loss.hpp"

#include <future>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/socket.hpp"
#include "support/environment_variable.hpp"
#include "support/watchdog.hpp"
#include "transport/channel/switchboard.hpp"

namespace staithe::transport {
namespace {

/// A peer whose ends of both are the test's.
class LossTest : public ::testing::Test {
  protected:
    LossTest() {
        auto sockets = os::create_socket_pair().value();
        links_ = std::move(sockets.second);
        link_ = Link::start(*loop_, std::move(sockets.first), 42, [](const auto&, const Packet&) {}).value();
        auto connection = switchboard_->connect_member(8, 8).value();
        channel_ = std::move(connection.channel);
        channels_ = std::move(connection.descriptors[0]);
        lost_ = when_lost(*link_, channel_, *loop_, [this](const std::string& how) { how_.set_value(how); });
    }

    void end_link() { links_ = os::FileDescriptor(); }
    void cut_channel() { channels_ = os::FileDescriptor(); }
    [[nodiscard]] bool is_watched() const { return lost_ != nullptr; }
    std::string how() { return how_.get_future().get(); }
    [[nodiscard]] std::shared_ptr<void> watch_again() const {
        return when_lost(*link_, channel_, *loop_, [](const std::string&) {});
    }

  private:
    const testing::EnvironmentVariable way_{"STAITHE_TEST_CHANNEL", "socket"};
    testing::Watchdog watchdog_;
    std::promise<std::string> how_;
    std::unique_ptr<EventLoop> loop_ = EventLoop::start().value();
    std::shared_ptr<Switchboard> switchboard_ = Switchboard::create(*loop_, [] { return false; }).value();
    os::FileDescriptor links_;
    os::FileDescriptor channels_;
    std::shared_ptr<Link> link_;
    std::shared_ptr<Channel> channel_;
    std::shared_ptr<void> lost_;
};

constexpr std::string_view cut = "a connection to it was cut, though it is there";

TEST_F(LossTest, AProcessThatEndsDied) {
    ASSERT_TRUE(is_watched());
    end_link();
    cut_channel();
    EXPECT_EQ(how(), "died");
    EXPECT_EQ(watch_again(), nullptr) << "it is known that it is lost";
}

TEST_F(LossTest, OfOneWhoseLinkStaysTheChannelWasCut) {
    cut_channel();
    EXPECT_THAT(how(), ::testing::HasSubstr(cut));
}

TEST_F(LossTest, WhoGivesThisSideUpSinceTheChannelWasCutHasNotDied) {
    cut_channel();
    std::this_thread::sleep_for(std::chrono::milliseconds(300));  // less than this side waits for the link
    end_link();
    EXPECT_THAT(how(), ::testing::HasSubstr(cut));
}

}  // namespace
}  // namespace staithe::transport
