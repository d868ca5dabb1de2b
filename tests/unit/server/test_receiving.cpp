// Rooms that are filled over a connection, by whoever is at its other end.
#include "server/receiving.hpp"

#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "store/remote/block_server.hpp"
#include "support/stream_sockets.hpp"
#include "support/watchdog.hpp"
#include "unit/store/remote/raw_connection.hpp"

namespace staithe::server {
namespace {

using space::far::PartHeader;
using space::far::PartTaken;
using store::remote::BlockServer;
using store::remote::RawConnection;

constexpr std::int64_t size = 3 << 20;
constexpr std::int64_t ticket = 7;

class ReceivingTest : public ::testing::Test {
  protected:
    RawConnection connect() {
        const auto ends = testing::connected_by_tcp();
        server_->serve(std::make_unique<Receiving>(os::FileDescriptor(ends.second),
                                                   [this](std::int64_t of) {
                                                       const std::lock_guard lock(mutex_);  // in the server's thread
                                                       return of == ticket && room_ ? room_->memory() : nullptr;
                                                   }),
                       client_);
        return RawConnection(os::FileDescriptor(ends.first));
    }
    void send_part(RawConnection& connection, std::int64_t first, std::int64_t count) {
        connection.send_object(PartHeader{.ticket = ticket, .first = first, .bytes = count});
        connection.send(std::span(sent_).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)));
    }
    static void expect_taken(RawConnection& connection, std::int64_t first) {
        const auto taken = connection.receive_object<PartTaken>();
        EXPECT_EQ(taken.magic, PartTaken::known_magic);
        EXPECT_EQ(taken.ticket, ticket);
        EXPECT_EQ(taken.first, first);
    }
    void close_room() {
        const std::lock_guard lock(mutex_);
        room_ = nullptr;
    }
    static std::vector<std::byte> counted() {
        std::vector<std::byte> bytes(size);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            bytes[i] = static_cast<std::byte>(i * 7 / 5);
        }
        return bytes;
    }

    const std::vector<std::byte> sent_ = counted();
    std::vector<std::byte> memory_ = std::vector<std::byte>(size);
    std::unique_ptr<FarRoom> room_ = std::make_unique<FarRoom>(memory_.data(), size);

  private:
    testing::Watchdog watchdog_;
    std::mutex mutex_;

  protected:
    const std::shared_ptr<BlockServer> server_ = BlockServer::start().value();
    const std::shared_ptr<const BlockServer::Client> client_ = server_->new_client();
};

TEST_F(ReceivingTest, PartsComeOverSeveralConnections) {
    RawConnection one = connect(), other = connect();
    send_part(one, 0, 1000);
    expect_taken(one, 0);
    EXPECT_FALSE(room_->memory()->is_full());
    send_part(other, 1000, size / 2);
    send_part(one, 1000 + size / 2, size / 2 - 1000);
    expect_taken(other, 1000);
    expect_taken(one, 1000 + size / 2);
    EXPECT_TRUE(room_->memory()->is_full());
    EXPECT_EQ(memory_, sent_);
}

TEST_F(ReceivingTest, NothingIsWrittenIntoARoomThatHasGone) {
    RawConnection connection = connect();
    send_part(connection, 0, 1000);
    expect_taken(connection, 0);
    connection.send_object(PartHeader{.ticket = ticket, .first = 1000, .bytes = 1000});
    connection.send(std::span(sent_).first(500));
    close_room();
    const auto then = memory_;
    connection.send(std::span(sent_).first(500));
    EXPECT_TRUE(connection.is_at_end());
    EXPECT_EQ(memory_, then);
}

TEST_F(ReceivingTest, WhatIsInNoRoomEndsTheConnection) {
    for (const PartHeader& header :
         {PartHeader{.ticket = 8, .first = 0, .bytes = 1}, PartHeader{.ticket = ticket, .first = 0, .bytes = 0},
          PartHeader{.ticket = ticket, .first = 0, .bytes = size + 1},
          PartHeader{.ticket = ticket, .first = -1, .bytes = 2},
          PartHeader{.ticket = ticket, .first = INT64_MAX, .bytes = INT64_MAX},
          PartHeader{.ticket = ticket, .first = size - 1, .bytes = 2},
          PartHeader{.magic = 1, .ticket = ticket, .first = 0, .bytes = 1}}) {
        RawConnection connection = connect();
        connection.send_object(header);
        EXPECT_TRUE(connection.is_at_end());
    }
    RawConnection connection = connect();
    send_part(connection, 0, size);
    expect_taken(connection, 0);
    EXPECT_EQ(memory_, sent_);
}

TEST_F(ReceivingTest, HalfAPartIsNotThere) {
    {
        RawConnection connection = connect();
        connection.send_object(PartHeader{.ticket = ticket, .first = 0, .bytes = size});
        connection.send(std::span(sent_).first(1000));
    }
    RawConnection connection = connect();
    send_part(connection, 0, size - 1);
    expect_taken(connection, 0);
    EXPECT_FALSE(room_->memory()->is_full());
}

}  // namespace
}  // namespace staithe::server
