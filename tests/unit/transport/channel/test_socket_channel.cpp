// A channel through sockets, and what a peer may send instead of frames.
#include "transport/channel/socket_channel.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "support/environment_variable.hpp"
#include "support/watchdog.hpp"
#include "transport/channel/switchboard.hpp"

namespace staithe::transport {
namespace {

class SocketChannelTest : public ::testing::Test {
  protected:
    [[nodiscard]] Switchboard::Connection connect() const { return switchboard_->connect_member(8, 8).value(); }
    static void send_raw(const Switchboard::Connection& connection, const void* bytes, std::size_t size) {
        static_cast<void>(::send(connection.descriptors[0].get(), bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT));
    }

  private:
    const testing::EnvironmentVariable way_{"STAITHE_TEST_CHANNEL", "socket"};
    testing::Watchdog watchdog_;
    std::unique_ptr<EventLoop> loop_ = EventLoop::start().value();
    std::shared_ptr<Switchboard> switchboard_ = Switchboard::create(*loop_, [] { return false; }).value();
};

TEST_F(SocketChannelTest, EndsAChannelThatSendsNonsense) {
    for (const std::size_t size : {64U, 65U, 1000U, 200'000U}) {
        const auto connection = connect();
        const std::vector<char> noise(size, 'x');
        send_raw(connection, noise.data(), noise.size());
        Message message;
        EXPECT_FALSE(connection.channel->receive(message)) << size;
        EXPECT_FALSE(connection.channel->send(message)) << size;
    }
    std::array<std::uint64_t, 8> word{2, 0, Channel::words};  // one more than there are
    const auto connection = connect();
    send_raw(connection, word.data(), sizeof(word));
    EXPECT_EQ(connection.channel->shown(0), 0);
    EXPECT_FALSE(connection.channel->send({}));
}

TEST_F(SocketChannelTest, RandomBytesLeadNowhere) {
    std::mt19937_64 random(3);
    for (int turn = 0; turn < 200; ++turn) {
        const auto connection = connect();
        const auto other = connect();
        for (int packet = 0; packet < 50; ++packet) {
            std::array<std::uint64_t, 9> noise{};
            for (std::uint64_t& each : noise) {
                each = random() >> (random() % 64);
            }
            noise[0] = random() % 4;
            noise[2] = random() % (Channel::words + 2);  // of a word, its number
            send_raw(connection, noise.data(), random() % 8 == 0 ? random() % sizeof(noise) : 64);
            EXPECT_LE(connection.channel->drain(4, [](const Message&) {}), 4U);
            static_cast<void>(connection.channel->shown(random() % Channel::words));
        }
        Message message;
        EXPECT_TRUE(other.channel->send(message)) << "nobody else's";
    }
}

TEST_F(SocketChannelTest, AFloodOfWordsKeepsNobody) {
    const auto connection = connect();
    std::array<std::uint64_t, 8> word{2, 0, 1, 7};
    for (int i = 0; i < 100; ++i) {
        send_raw(connection, word.data(), sizeof(word));
    }
    EXPECT_EQ(connection.channel->shown(1), 0x7);
    Message message;
    EXPECT_FALSE(connection.channel->receive(message));
    EXPECT_TRUE(connection.channel->send(message));
}

}  // namespace
}  // namespace staithe::transport
