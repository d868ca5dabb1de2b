#include "store/piped/piped_source.hpp"

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/socket.hpp"
#include "store/piped/exchange.hpp"
#include "support/watchdog.hpp"

namespace staithe::store::piped {
namespace {

/// A source whose other end the test plays itself.
class PipedSourceTest : public ::testing::Test {
  protected:
    explicit PipedSourceTest(base::Seconds timeout = base::Seconds(20)) {
        block_.variable = "pressure";
        block_.shape = block_.box.count = {100};
        block_.box.offset = {0};
        auto ends = os::create_socket_pair().value();
        source_ = std::make_unique<PipedSource>(std::move(ends.first), timeout);
        other_end_ = std::move(ends.second);
    }
    /// Of elements 10 to 14.
    base::Result<> fetch() {
        const BlockRef ref{.offset = 4096, .bytes = 100};
        const Piece piece{0, &block_, {{{0}, {5}}, {Slice{10, 1, 5}}}};
        return source_->fetch(std::span(&ref, 1), std::span(&piece, 1), view_of(got_));
    }
    base::Failure fetch_answered(const Reply& reply, const std::string& content) {
        std::thread other([&] {
            Request request;
            ASSERT_TRUE(receive(other_end_, writable_bytes_of(request), base::Deadline(base::Seconds(20))));
            EXPECT_EQ(request.ref.offset, 4096);
            EXPECT_EQ(request.first, 10);
            EXPECT_EQ(request.bytes, 5) << "no more than is selected";
            static_cast<void>(send(other_end_, bytes_of(reply), base::Deadline(base::Seconds(20))));
            static_cast<void>(send(other_end_, std::as_bytes(std::span(content)), base::Deadline(base::Seconds(20))));
        });
        const auto fetched = fetch();
        other.join();
        return fetched ? base::Failure{} : fetched.error();
    }
    [[nodiscard]] std::string got() const { return {got_.begin(), got_.end()}; }

    std::vector<std::uint8_t> got_ = std::vector<std::uint8_t>(5);
    os::FileDescriptor other_end_;

  private:
    testing::Watchdog watchdog_;
    BlockDescription block_;
    std::unique_ptr<PipedSource> source_;
};

TEST_F(PipedSourceTest, ARefusalNamesTheBlockAndChangesNothing) {
    const auto refused = fetch_answered({Status::refused, 0, 6}, "it's so");
    EXPECT_EQ(refused.code, ErrorCode::protocol);
    EXPECT_NE(refused.message.find("'pressure'"), std::string::npos) << refused.message;
    EXPECT_NE(refused.message.find("it's s"), std::string::npos) << refused.message;
}

TEST_F(PipedSourceTest, GoesOnAfterARefusal) {
    fetch_answered({Status::refused, 0, 0}, "");
    EXPECT_EQ(fetch_answered({Status::given, 0, 5}, "fresh").message, "");
    EXPECT_EQ(got(), "fresh");
}

TEST_F(PipedSourceTest, NothingComesAfterAnAnswerThatCannotBe) {
    EXPECT_EQ(fetch_answered({Status::given, 0, 6}, "larger").code, ErrorCode::protocol);
    EXPECT_EQ(fetch().error().code, ErrorCode::protocol) << "what comes now is part of another answer";
}

TEST_F(PipedSourceTest, ATextIsNotWaitedForIfItIsEndless) {
    EXPECT_EQ(fetch_answered({Status::refused, 0, INT64_MAX}, "").code, ErrorCode::protocol);
}

TEST_F(PipedSourceTest, AnUnknownStatusIsNoAnswer) {
    EXPECT_EQ(fetch_answered({static_cast<Status>(9), 0, 5}, "fresh").code, ErrorCode::protocol);
}

class ImpatientPipedSourceTest : public PipedSourceTest {
  protected:
    ImpatientPipedSourceTest() : PipedSourceTest(base::Seconds(0.2)) {}
};

TEST_F(ImpatientPipedSourceTest, ASilentProcessIsATimeoutForGood) {
    const auto late = fetch();
    EXPECT_EQ(late.error().code, ErrorCode::timeout);
    EXPECT_NE(late.error().message.find("'pressure'"), std::string::npos) << late.error().message;
    EXPECT_EQ(fetch().error().code, ErrorCode::timeout);
}

TEST_F(PipedSourceTest, ADeadOneIsLost) {
    other_end_ = {};
    EXPECT_EQ(fetch().error().code, ErrorCode::peer_lost);
}

}  // namespace
}  // namespace staithe::store::piped
