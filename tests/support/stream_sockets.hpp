// Both ends of a stream connection in one process.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <utility>

#include <gtest/gtest.h>

#include "os/file_descriptor.hpp"

namespace staithe::testing {

using Ends = std::pair<os::FileDescriptor, os::FileDescriptor>;

inline Ends connected_by_unix_sockets() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    return {os::FileDescriptor(ends[0]), os::FileDescriptor(ends[1])};
}

/// Over 127.0.0.1.
inline Ends connected_by_tcp() {
    const os::FileDescriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof(address);
    auto* const generic = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener.get(), generic, length), 0);
    EXPECT_EQ(::listen(listener.get(), 1), 0);
    EXPECT_EQ(::getsockname(listener.get(), generic, &length), 0);
    os::FileDescriptor one(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(one.get(), generic, length), 0);
    return {std::move(one), os::FileDescriptor(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC))};
}

}  // namespace staithe::testing
