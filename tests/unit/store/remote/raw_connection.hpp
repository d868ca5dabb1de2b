// One end of a connection, as a test plays it: it sends what it likes.
#pragma once

#include <sys/socket.h>
#include <sys/time.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "os/file_descriptor.hpp"
#include "store/remote/messages.hpp"

namespace staithe::store::remote {

class RawConnection {
  public:
    RawConnection() = default;
    explicit RawConnection(os::FileDescriptor socket) : socket_(std::move(socket)) {
        const timeval patience{20, 0};
        ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    }

    /// How many bytes went out before the other end was closed.
    std::size_t send(std::span<const std::byte> bytes) {
        std::size_t sent = 0;
        while (sent < bytes.size()) {
            const ssize_t count = ::send(socket_.get(), bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
            if (count <= 0) {
                break;
            }
            sent += static_cast<std::size_t>(count);
        }
        return sent;
    }
    template <class T>
    void send_object(const T& object) {
        send(std::as_bytes(std::span(&object, 1)));
    }
    /// So many bytes, or what there is before the end.
    std::vector<std::byte> receive(std::size_t size) {
        std::vector<std::byte> bytes(size);
        const ssize_t count = ::recv(socket_.get(), bytes.data(), size, MSG_WAITALL);
        bytes.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
        return bytes;
    }
    template <class T>
    T receive_object() {
        T object{};
        const auto bytes = receive(sizeof(T));
        EXPECT_EQ(bytes.size(), sizeof(T));
        std::memcpy(&object, bytes.data(), bytes.size());
        return object;
    }
    std::string receive_text(const ReplyHeader& reply) {
        const auto bytes = receive(static_cast<std::size_t>(reply.bytes));
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    bool is_at_end() { return receive(1).empty(); }
    /// Sends no more.
    void end() { ::shutdown(socket_.get(), SHUT_WR); }
    void close() { socket_ = {}; }

  private:
    os::FileDescriptor socket_;
};

}  // namespace staithe::store::remote
