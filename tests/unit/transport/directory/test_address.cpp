#include "transport/directory/address.hpp"

#include <string>

#include <gtest/gtest.h>

namespace staithe::transport {
namespace {

TEST(Address, OfASocketFile) {
    const auto address = Address::parse("4711.918273.3f9a1c2e-4026531836.socket").value();
    ASSERT_NE(address.socket_file(), nullptr);
    EXPECT_EQ(address.host_port(), nullptr);
    EXPECT_EQ(address.socket_file()->name, "4711.918273.3f9a1c2e-4026531836.socket");
    EXPECT_EQ(address, Address(Address::SocketFile{address.socket_file()->name}));
}

TEST(Address, OfAPortOfAHost) {
    for (const auto& [text, host, port] : {std::tuple{"node7:7000", "node7", 7000},
                                           {"node-7.cluster.example:1", "node-7.cluster.example", 1},
                                           {"7.node:65535", "7.node", 65535},
                                           {"10.0.0.7:7000", "10.0.0.7", 7000},
                                           {"[::1]:80", "::1", 80},
                                           {"[fe80::7]:7000", "fe80::7", 7000},
                                           {"x.socket:7", "x.socket", 7}}) {
        const auto address = Address::parse(text);
        ASSERT_TRUE(address && address->host_port() != nullptr) << text;
        EXPECT_EQ(address->host_port()->host, host);
        EXPECT_EQ(address->host_port()->port, port);
        EXPECT_EQ(address->socket_file(), nullptr);
        EXPECT_EQ(to_string(*address), text);
    }
}

TEST(Address, NumbersOfHostsHaveOneForm) {
    EXPECT_EQ(Address::parse("[FE80:0:0:0:0:0:0:7]:1").value(), Address::parse("[fe80::7]:1").value());
    EXPECT_EQ(to_string(Address::parse("[0:0:0:0:0:0:0:1]:1").value()), "[::1]:1");
}

TEST(Address, IsNothingElse) {
    using namespace std::string_literals;
    for (const std::string& text : {""s,
                                    ":"s,
                                    ":80"s,
                                    "node7"s,
                                    "node7:"s,
                                    "node7:0"s,
                                    "node7:65536"s,
                                    "node7:-1"s,
                                    "node7:+1"s,
                                    "node7: 80"s,
                                    "node 7:80"s,
                                    "-node:80"s,
                                    "node-:80"s,
                                    "a..b:80"s,
                                    "a.:80"s,
                                    "1.2.3:80"s,
                                    "1.2.3.256:80"s,
                                    "::1:80"s,
                                    "[::1]"s,
                                    "[::1]80"s,
                                    "[node7]:80"s,
                                    "[10.0.0.7]:80"s,
                                    "[]:80"s,
                                    "[::1:80"s,
                                    "../x.socket"s,
                                    "a/b.socket"s,
                                    "x.socket\0.socket"s,
                                    "x.sock"s,
                                    std::string(64, 'a') + ":80",
                                    "node7:80\n"s}) {
        const auto address = Address::parse(text);
        ASSERT_FALSE(address) << text;
        EXPECT_EQ(address.error().code, ErrorCode::invalid_argument);
        EXPECT_NE(address.error().message.find("host:port"), std::string::npos);
    }
    std::string long_name = "a";
    while (long_name.size() < 253) {
        long_name += ".a";
    }
    EXPECT_TRUE(Address::parse(long_name + ":80"));
    EXPECT_FALSE(Address::parse("a" + long_name + ":80"));
}

}  // namespace
}  // namespace staithe::transport
