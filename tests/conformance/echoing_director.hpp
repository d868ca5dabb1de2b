// A director in another process, for tests of channels.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "transport/channel/switchboard.hpp"
#include "transport/frame.hpp"

namespace staithe::testing {

using transport::Channel;
using transport::Message;
using transport::Patience;
using transport::Switchboard;

/// Passes a channel on, as a link does.
inline void hand_over(int socket, const Switchboard::Connection& connection) {
    std::vector<int> descriptors;
    for (const auto& each : connection.descriptors) {
        descriptors.push_back(each.get());
    }
    const auto frame = transport::encode_frame(connection.description, descriptors.size()).value();
    EXPECT_EQ(os::send_some(os::BorrowedDescriptor(socket), frame, descriptors).value(), frame.size());
}
inline std::shared_ptr<Channel> take_over(int socket, transport::EventLoop& loop) {
    transport::FrameDecoder decoder;
    for (;;) {
        std::array<std::byte, 4096> buffer{};
        auto received = os::receive_some(os::BorrowedDescriptor(socket), buffer).value();
        decoder.feed(std::span(buffer).first(received.bytes), std::move(received.descriptors));
        if (auto packet = decoder.next().value()) {
            return transport::open_channel(packet->body, std::move(packet->descriptors), loop).value();
        }
        if (!received.open) {
            throw std::runtime_error("the director ended before it handed a channel over");
        }
        std::this_thread::yield();
    }
}

/// A director in a child process that returns each message, until it is told to end, or killed.
class EchoingDirector {
  public:
    explicit EchoingDirector(std::uint64_t slots) {
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_.data()), 0);
        child_ = std::make_unique<ChildProcess>([&] {
            const auto loop = transport::EventLoop::start().value();
            const auto switchboard = Switchboard::create(*loop, [] { return false; }).value();
            auto connection = switchboard->connect_member(slots, slots).value();
            hand_over(sockets_[1], connection);
            connection.descriptors.clear();
            Patience patience;
            Message message;
            while (connection.channel->wait(base::Deadline(base::Seconds(20)), patience,
                                            [&] { return connection.channel->receive(message); })) {
                EXPECT_TRUE(connection.channel->send(message));
                if (message.step == UINT64_MAX) {
                    return 0;
                }
            }
            return 1;
        });
        ::close(sockets_[1]);
        loop_ = transport::EventLoop::start().value();  // not before the fork, and gone before that of the next test
        member_ = take_over(sockets_[0], *loop_);
    }
    ~EchoingDirector() { ::close(sockets_[0]); }
    EchoingDirector(const EchoingDirector&) = delete;
    EchoingDirector& operator=(const EchoingDirector&) = delete;

    [[nodiscard]] Channel& member() const { return *member_; }
    [[nodiscard]] ChildProcess& process() const { return *child_; }

  private:
    std::array<int, 2> sockets_{};
    std::unique_ptr<ChildProcess> child_;
    std::unique_ptr<transport::EventLoop> loop_;
    std::shared_ptr<Channel> member_;
};

}  // namespace staithe::testing
