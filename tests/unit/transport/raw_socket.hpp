// A connection to an endpoint without a link: for tests that say what no link would.
#pragma once

#include <chrono>
#include <optional>

#include <gtest/gtest.h>

#include "os/event.hpp"
#include "os/socket.hpp"
#include "os/tcp.hpp"
#include "transport/directory/address.hpp"
#include "transport/frame.hpp"

namespace staithe::testing {

inline os::FileDescriptor connect_to(const std::string& directory, const transport::Address& address) {
    if (const auto* file = address.socket_file()) {
        return os::connect_to(directory, file->name).value();
    }
    const auto& [host, port] = *address.host_port();
    const auto number = os::network_address(host, port).value();
    auto socket = os::begin_connecting(number).value();
    os::poll({{socket.get(), true, false}}, base::Deadline(base::Seconds(20)));
    EXPECT_TRUE(os::finish_connecting(socket, number));
    return socket;
}

/// Frames as they are said and heard.
class RawSocket {
  public:
    explicit RawSocket(os::FileDescriptor socket) : socket_(std::move(socket)) {}
    void say(const Attributes& body) const {
        const auto frame = transport::encode_frame(body, 0).value();
        EXPECT_EQ(os::send_some(socket_, frame, {}).value(), frame.size());
    }
    /// The next message; nothing once the connection ends.
    std::optional<Attributes> hear() {
        for (;;) {
            if (auto packet = decoder_.next().value()) {
                return std::move(packet->body);
            }
            os::poll({{socket_.get()}}, base::Deadline(base::Seconds(20)));
            std::array<std::byte, 4096> buffer{};
            auto received = os::receive_some(socket_, buffer).value();
            if (received.bytes == 0) {
                EXPECT_FALSE(received.open) << "no answer";
                return std::nullopt;
            }
            decoder_.feed(std::span(buffer).first(received.bytes), std::move(received.descriptors));
        }
    }
    transport::FrameDecoder& decoder() { return decoder_; }
    [[nodiscard]] const os::FileDescriptor& socket() const { return socket_; }

  private:
    os::FileDescriptor socket_;
    transport::FrameDecoder decoder_;
};

}  // namespace staithe::testing
