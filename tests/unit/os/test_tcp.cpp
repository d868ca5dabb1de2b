#include "os/tcp.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/event.hpp"
#include "os/socket.hpp"
#include "support/watchdog.hpp"

namespace staithe::os {
namespace {

using ::testing::HasSubstr;

base::Deadline in_time() { return base::Deadline(base::Seconds(20)); }

/// A connection of this process with itself.
struct Connection {
    FileDescriptor caller;
    FileDescriptor listener;
};

class TcpTest : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        auto listener = listen_at_port(GetParam(), 0);
        if (!listener && GetParam() == std::string("::1")) {
            GTEST_SKIP() << "no IPv6 here: " << listener.error().message;
        }
        listener_ = std::move(listener).value();
        address_ = network_address(GetParam(), port_of(listener_).value()).value();
    }
    [[nodiscard]] Connection connect() const {
        Connection connection;
        connection.caller = begin_connecting(address_).value();
        poll({{connection.caller.get(), true, false}}, in_time());
        EXPECT_TRUE(finish_connecting(connection.caller, address_));
        poll({{listener_.get()}}, in_time());
        connection.listener = accept_from(listener_).value();
        return connection;
    }
    static int option(const FileDescriptor& socket, int level, int name) {
        int value = 0;
        socklen_t size = sizeof(value);
        EXPECT_EQ(::getsockopt(socket.get(), level, name, &value, &size), 0);
        return value;
    }

    FileDescriptor listener_;
    NetworkAddress address_;

  private:
    testing::Watchdog watchdog_;
};

INSTANTIATE_TEST_SUITE_P(Loopback, TcpTest, ::testing::Values("127.0.0.1", "::1"));

TEST_P(TcpTest, BytesGoBothWays) {
    const Connection connection = connect();
    for (const auto& [from, to] :
         {std::pair{&connection.caller, &connection.listener}, {&connection.listener, &connection.caller}}) {
        const std::array<std::byte, 3> sent{std::byte{1}, std::byte{2}, std::byte{3}};
        EXPECT_EQ(send_some(*from, sent, {}).value(), 3U);
        poll({{to->get()}}, in_time());
        std::array<std::byte, 10> received{};
        EXPECT_EQ(receive_some(*to, received).value().bytes, 3U);
        EXPECT_TRUE(std::equal(sent.begin(), sent.end(), received.begin()));
    }
    EXPECT_TRUE(is_tcp(connection.caller));
    EXPECT_THAT(peer_address_of(connection.listener), HasSubstr(GetParam()));
}

TEST_P(TcpTest, SmallMessagesGoAtOnce) {
    const Connection connection = connect();
    EXPECT_NE(option(connection.caller, IPPROTO_TCP, TCP_NODELAY), 0);
    EXPECT_NE(option(connection.listener, IPPROTO_TCP, TCP_NODELAY), 0);
}

TEST_P(TcpTest, WhatIsLostIsSentAgainSoon) {
    constexpr int shortest_time_until_sent_again = 45;  // TCP_RTO_MIN_US
    const Connection connection = connect();
    for (const FileDescriptor* side : {&connection.caller, &connection.listener}) {
        int microseconds = 0;
        socklen_t size = sizeof(microseconds);
        if (::getsockopt(side->get(), IPPROTO_TCP, shortest_time_until_sent_again, &microseconds, &size) != 0) {
            GTEST_SKIP() << "this kernel does not let programs say so: " << std::strerror(errno);
        }
        EXPECT_LE(microseconds, 50'000) << "the kernel rounds up to its clock";
    }
}

/// Questions and answers, as between those who have blocks and those who want them: the kernel would wait with most.
TEST_P(TcpTest, AnswersAreAcknowledgedWhenTheyAreRead) {
    const Connection connection = connect();
    std::array<std::byte, 64> bytes{};
    const auto go = [&](const FileDescriptor& from, const FileDescriptor& to) {
        EXPECT_EQ(send_some(from, bytes, {}).value(), bytes.size());
        poll({{to.get()}}, in_time());
        EXPECT_EQ(receive_some(to, bytes).value().bytes, bytes.size());
    };
    int at_once = 0;
    constexpr int rounds = 20;
    for (int round = 0; round < rounds; ++round) {
        go(connection.caller, connection.listener);
        acknowledge_at_once(connection.caller);
        go(connection.listener, connection.caller);
        at_once += is_all_acknowledged(connection.listener) ? 1 : 0;
    }
    EXPECT_GE(at_once, rounds / 2);  // a kernel that is busy may take longer for some
}

TEST_P(TcpTest, EndOfOneSideIsSeenByTheOther) {
    Connection connection = connect();
    connection.listener = FileDescriptor();
    poll({{connection.caller.get()}}, in_time());
    std::array<std::byte, 10> buffer{};
    EXPECT_FALSE(receive_some(connection.caller, buffer).value().open);
}

TEST_P(TcpTest, PortIsTakenOnce) {
    const auto second = listen_at_port(GetParam(), port_of(listener_).value());
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::already_exists);
    EXPECT_THAT(second.error().message, HasSubstr(to_string(address_)));
    EXPECT_THAT(second.error().message, HasSubstr("choose another"));
}

TEST_P(TcpTest, NobodyListensAtAFreePort) {
    listener_ = FileDescriptor();
    const auto socket = begin_connecting(address_);
    base::Result<> connected = socket ? base::Result<>() : base::fail(socket);
    if (socket) {
        poll({{socket->get(), true, false}}, in_time());
        connected = finish_connecting(*socket, address_);
    }
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().code, ErrorCode::not_found);
    EXPECT_EQ(connected.error().message, "nobody listens at " + to_string(address_));
}

TEST_P(TcpTest, WhoGoesBeforeTakingAConnectionIsGone) {
    const FileDescriptor caller = begin_connecting(address_).value();
    poll({{caller.get(), true, false}}, in_time());
    listener_ = FileDescriptor();
    const auto connected = finish_connecting(caller, address_);
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().code, ErrorCode::peer_lost);
    EXPECT_THAT(connected.error().message, HasSubstr(to_string(address_)));
}

TEST_P(TcpTest, KernelTellsForHowLongTheOtherSideIsSilent) {
    const Connection connection = connect();
    ::usleep(300'000);
    EXPECT_GE(silence_of(connection.caller).value().of_process, base::Seconds(0.2));
    const std::array<std::byte, 1> byte{};
    EXPECT_TRUE(send_some(connection.caller, byte, {}));
    ::usleep(100'000);
    const Silence of_caller = silence_of(connection.listener).value();
    const Silence of_listener = silence_of(connection.caller).value();
    EXPECT_GE(of_listener.of_process, base::Seconds(0.2)) << "it was told something, and said nothing";
    EXPECT_LT(of_listener.of_host, of_listener.of_process) << "but its host has acknowledged it";
    EXPECT_FALSE(of_listener.host_must_answer);
    EXPECT_LT(of_caller.of_process, of_listener.of_process);
}

TEST(Tcp, ListensAtAllAddressesOfBothKinds) {
    const auto listener = listen_at_port("", 0).value();
    const std::uint16_t port = port_of(listener).value();
    const auto socket = begin_connecting(network_address("127.0.0.1", port).value()).value();
    poll({{listener.get()}}, in_time());
    const auto accepted = accept_from(listener).value();
    EXPECT_THAT(peer_address_of(accepted), ::testing::StartsWith("127.0.0.1:")) << "in the one way of writing it";
}

TEST(Tcp, ListensAtOwnAddressesAlone) {
    const auto listener = listen_at_port("192.0.2.1", 0);
    ASSERT_FALSE(listener);
    EXPECT_EQ(listener.error().code, ErrorCode::invalid_argument);
    EXPECT_THAT(listener.error().message, HasSubstr("192.0.2.1:0"));
    EXPECT_EQ(listen_at_port("node7", 0).error().code, ErrorCode::invalid_argument);
}

TEST(Tcp, LoopbackIsTheLastOfOwnAddresses) {
    const auto addresses = own_network_addresses();
    const auto is_loopback = [](const std::string& address) { return address.starts_with("127.") || address == "::1"; };
    EXPECT_TRUE(std::is_partitioned(addresses.begin(), addresses.end(), std::not_fn(is_loopback)));
    EXPECT_THAT(addresses, ::testing::Each(::testing::Not(::testing::StartsWith("fe80"))));
    EXPECT_THAT(addresses, ::testing::Contains("127.0.0.1"));
}

TEST(Tcp, AddressesHaveOneFormOfText) {
    EXPECT_EQ(to_string(network_address("127.0.0.1", 80).value()), "127.0.0.1:80");
    EXPECT_EQ(to_string(network_address("0:0::1", 80).value()), "[::1]:80");
    EXPECT_FALSE(network_address("localhost", 80));
}

std::optional<base::Result<std::vector<std::string>>> numbers_of(const std::string& host) {
    const auto lookup = HostLookup::begin(host).value();
    poll({{lookup.descriptor()}}, in_time());
    return lookup.result();
}

TEST(HostLookup, GivesTheNumbersOfAName) {
    const auto numbers = numbers_of("localhost");
    ASSERT_TRUE(numbers && *numbers);
    ASSERT_FALSE((*numbers)->empty());
    EXPECT_THAT((*numbers)->front(), ::testing::AnyOf("127.0.0.1", "::1"));
}

TEST(HostLookup, NameThatNoHostHasIsNamed) {
    const auto numbers = numbers_of("no..host");
    ASSERT_TRUE(numbers && !*numbers);
    EXPECT_THAT(numbers->error().message, HasSubstr("'no..host'"));
}

TEST(HostLookup, NobodyHasToWaitForIt) {
    for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(HostLookup::begin("localhost"));
    }
}

}  // namespace
}  // namespace staithe::os
