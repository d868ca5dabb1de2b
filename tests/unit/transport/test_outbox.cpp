#include "transport/outbox.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include <gtest/gtest.h>

#include "os/socket.hpp"

namespace staithe::transport {
namespace {

using Bytes = std::vector<std::byte>;

class OutboxTest : public ::testing::Test {
  protected:
    OutboxTest() {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        near_ = os::FileDescriptor(ends[0]);
        far_ = os::FileDescriptor(ends[1]);
    }

    /// What has arrived at the other side by now.
    Bytes receive() {
        Bytes all;
        Bytes piece(1 << 16);
        for (;;) {
            auto received = os::receive_some(far_, piece).value();
            for (auto& descriptor : received.descriptors) {
                descriptors_.push_back(std::move(descriptor));
            }
            if (received.bytes == 0) {
                return all;
            }
            all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(received.bytes));
        }
    }

    os::FileDescriptor near_, far_;
    std::vector<os::FileDescriptor> descriptors_;
    Outbox outbox_;
};

TEST_F(OutboxTest, SendsFramesInOrderAsTheSocketTakesThem) {
    Bytes expected;
    for (int i = 0; i < 40; ++i) {
        const Bytes frame(static_cast<std::size_t>(1 + i * 1000), static_cast<std::byte>(i));
        expected.insert(expected.end(), frame.begin(), frame.end());
        ASSERT_TRUE(outbox_.send(near_, frame, {}));
    }
    Bytes received;
    int turns = 0;
    while (!outbox_.empty()) {
        ASSERT_TRUE(outbox_.flush(near_));
        const Bytes piece = receive();
        received.insert(received.end(), piece.begin(), piece.end());
        ++turns;
    }
    EXPECT_EQ(received, expected);
    EXPECT_GT(turns, 1) << "a socket does not take that much at once";
    EXPECT_TRUE(outbox_.flush(near_)) << "nothing waits";
}

TEST_F(OutboxTest, KeepsItsOwnCopiesOfDescriptors) {
    ASSERT_TRUE(outbox_.send(near_, Bytes(300'000), {}));
    {
        const os::FileDescriptor original(::open("/dev/null", O_RDONLY | O_CLOEXEC));
        ASSERT_TRUE(outbox_.send(near_, Bytes(1), {original.get(), original.get()}));
    }
    while (!outbox_.empty()) {
        ASSERT_TRUE(outbox_.flush(near_));
        static_cast<void>(receive());
    }
    EXPECT_EQ(descriptors_.size(), 2U);
    EXPECT_EQ(outbox_.send(near_, Bytes(1), {-1}).error().code, ErrorCode::system);
}

TEST_F(OutboxTest, HandsOverADescriptorWithoutOneOfItsOwn) {
    const os::FileDescriptor original(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    // UBSan looks at an object with virtual functions, such as this test, by way of a descriptor.
    Outbox& outbox = outbox_;
    const os::FileDescriptor& near = near_;
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
    // The next descriptor would have the number that the limit ends at.
    const os::FileDescriptor last(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    const rlimit none{static_cast<rlim_t>(last.get()) + 1, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
    const auto at_once = outbox.send(near, Bytes(1), {original.get()});
    const bool empty = outbox.empty();
    const auto filling = outbox.send(near, Bytes(300'000), {});
    const auto later = outbox.send(near, Bytes(1), {original.get()});
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
    EXPECT_TRUE(at_once && empty && filling);
    EXPECT_EQ(later.error().code, ErrorCode::limit_reached) << "it would have to wait";
    static_cast<void>(receive());
    EXPECT_EQ(descriptors_.size(), 1U);
}

TEST_F(OutboxTest, HoldsABoundedNumberOfBytes) {
    auto added = outbox_.send(near_, Bytes(1), {});
    std::size_t frames = 0;
    while (added && frames < 1000) {
        added = outbox_.send(near_, Bytes(4 << 20), {});
        ++frames;
    }
    ASSERT_FALSE(added);
    EXPECT_EQ(added.error().code, ErrorCode::limit_reached);
    while (!outbox_.empty()) {
        ASSERT_TRUE(outbox_.flush(near_));
        static_cast<void>(receive());
    }
    EXPECT_TRUE(outbox_.send(near_, Bytes(4 << 20), {})) << "once they are gone there is room again";
}

TEST_F(OutboxTest, LostPeerIsAFailure) {
    far_ = os::FileDescriptor();
    EXPECT_EQ(outbox_.send(near_, Bytes(1), {}).error().code, ErrorCode::peer_lost);
}

}  // namespace
}  // namespace staithe::transport
