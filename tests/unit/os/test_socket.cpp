#include "os/socket.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "support/child_process.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"

namespace staithe::os {
namespace {

using Bytes = std::vector<std::byte>;

class SocketTest : public ::testing::Test {
  protected:
    SocketTest() { meet(); }

    /// A forked process needs descriptors of its own.
    void meet() {
        listener_ = listen_at(directory(), "s").value();
        client_ = connect_to(directory(), "s").value();
        server_ = accept_from(listener_).value();
    }

    [[nodiscard]] const std::string& directory() const { return directory_.path(); }

    /// Everything that is there, up to `size` bytes.
    [[nodiscard]] Received receive(std::size_t size = 1 << 16) {
        buffer_.resize(size);
        return receive_some(server_, buffer_).value();
    }
    [[nodiscard]] std::string text(const Received& received) const {
        return {reinterpret_cast<const char*>(buffer_.data()), received.bytes};
    }
    void send(std::string_view bytes, std::span<const int> descriptors = {}) const {
        ASSERT_EQ(send_some(client_, std::as_bytes(std::span(bytes)), descriptors).value(), bytes.size());
    }

    FileDescriptor listener_, client_, server_;

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory directory_;
    Bytes buffer_;
};

TEST_F(SocketTest, CarriesBytesInOrder) {
    send("one");
    send("two");
    const auto received = receive();
    EXPECT_EQ(text(received), "onetwo");
    EXPECT_TRUE(received.open);
}

TEST_F(SocketTest, NothingThereIsNotTheEnd) {
    const auto received = receive();
    EXPECT_EQ(received.bytes, 0U);
    EXPECT_TRUE(received.open);
    EXPECT_FALSE(accept_from(listener_)) << "nobody else connects";
}

TEST_F(SocketTest, ClosedPeerIsTheEndAfterAllItSent) {
    send("last words");
    client_ = FileDescriptor();
    EXPECT_EQ(text(receive()), "last words");
    EXPECT_FALSE(receive().open);
    const std::byte byte{};
    const auto sent = send_some(server_, std::span(&byte, 1), {});
    EXPECT_EQ(sent.error().code, ErrorCode::peer_lost);
}

TEST_F(SocketTest, ShutDownEndsBothDirections) {
    shut_down(server_);
    EXPECT_FALSE(receive().open);
    const std::byte byte{};
    EXPECT_FALSE(send_some(client_, std::span(&byte, 1), {}));
}

TEST_F(SocketTest, FullSocketTakesAPartAndThenNothing) {
    Bytes data(4 << 20);
    for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<std::byte>(i * 31 >> 3);
    }
    std::size_t sent = 0;
    std::size_t received = 0;
    while (const std::size_t now = send_some(client_, std::span(data).subspan(sent), {}).value()) {
        sent += now;
    }
    EXPECT_GT(sent, 0U);
    EXPECT_LT(sent, data.size());
    while (received < data.size()) {
        Bytes piece(100000);
        const auto got = receive_some(server_, piece).value();
        ASSERT_TRUE(std::equal(piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(got.bytes),
                               data.begin() + static_cast<std::ptrdiff_t>(received)));
        received += got.bytes;
        if (sent < data.size()) {
            sent += send_some(client_, std::span(data).subspan(sent), {}).value();
        }
    }
}

TEST_F(SocketTest, PassesDescriptorsOfTheSameFiles) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    send("x", pipe);
    const auto received = receive();
    ASSERT_EQ(received.descriptors.size(), 2U);
    ASSERT_EQ(::write(received.descriptors[1].get(), "y", 1), 1);
    char byte = 0;
    EXPECT_EQ(::read(pipe[0], &byte, 1), 1);
    EXPECT_EQ(byte, 'y');
    EXPECT_NE(::fcntl(received.descriptors[0].get(), F_GETFD) & FD_CLOEXEC, 0);
    ::close(pipe[0]);
    ::close(pipe[1]);
}

TEST_F(SocketTest, DescriptorsOfSeveralMessagesKeepTheirOrder) {
    const std::vector<int> many(max_descriptors_per_message, STDIN_FILENO);
    send("a", std::array{STDIN_FILENO});
    send("b");
    send("c", many);
    std::string bytes;
    std::size_t descriptors = 0;
    while (bytes.size() < 3) {
        const auto received = receive();
        bytes += text(received);
        descriptors += received.descriptors.size();
    }
    EXPECT_EQ(bytes, "abc");
    EXPECT_EQ(descriptors, 1 + max_descriptors_per_message);
}

TEST_F(SocketTest, TooManyDescriptorsAreRefused) {
    const std::vector<int> many(max_descriptors_per_message + 1, STDIN_FILENO);
    const std::byte byte{};
    EXPECT_EQ(send_some(client_, std::span(&byte, 1), many).error().code, ErrorCode::invalid_argument);
}

TEST_F(SocketTest, DescriptorsBeyondTheProcessesLimitAreALimit) {
    testing::ChildProcess child([&] {
        meet();
        send("x", std::vector<int>(10, STDIN_FILENO));
        rlimit limit{};
        EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
        limit.rlim_cur = static_cast<rlim_t>(server_.get()) + 4;
        EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
        Bytes buffer(10);
        const auto received = receive_some(server_, buffer);
        EXPECT_FALSE(received);
        EXPECT_EQ(received.error().code, ErrorCode::limit_reached);
        EXPECT_TRUE(FileDescriptor(0).duplicate()) << "what did fit was closed again";
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

TEST_F(SocketTest, KernelTellsWhoIsThere) {
    const auto credentials = credentials_of(client_);
    ASSERT_TRUE(credentials);
    EXPECT_EQ(credentials->pid, ::getpid());
    EXPECT_EQ(credentials->uid, ::geteuid());
    EXPECT_FALSE(credentials_of(FileDescriptor()));
}

TEST_F(SocketTest, NobodyListeningIsNotFound) {
    EXPECT_EQ(connect_to(directory(), "none").error().code, ErrorCode::not_found);
    EXPECT_EQ(connect_to(directory() + "/none", "s").error().code, ErrorCode::not_found);
    listener_ = FileDescriptor();
    EXPECT_EQ(connect_to(directory(), "s").error().code, ErrorCode::not_found) << "its file is still there";
    const auto again = listen_at(directory(), "s");
    EXPECT_TRUE(again) << "it is replaced";
    EXPECT_TRUE(connect_to(directory(), "s"));
}

TEST_F(SocketTest, DirectoriesMayHaveLongPaths) {
    const std::string deep = directory() + "/" + std::string(100, 'a') + "/";
    ASSERT_EQ(::mkdir(deep.c_str(), 0700), 0);
    const auto listener = listen_at(deep, "s");
    ASSERT_TRUE(listener);
    EXPECT_TRUE(connect_to(deep, "s"));
    EXPECT_EQ(connect_to(deep, std::string(120, 'x')).error().code, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace staithe::os
