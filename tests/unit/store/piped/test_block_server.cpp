#include "store/piped/block_server.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/socket.hpp"
#include "store/piped/exchange.hpp"
#include "support/noise.hpp"
#include "support/watchdog.hpp"

namespace staithe::store::piped {
namespace {

class BlockServerTest : public ::testing::Test {
  protected:
    explicit BlockServerTest(base::Seconds timeout = base::Seconds(20)) {
        server_ = std::thread([this, timeout] {
            const auto find = [this](const BlockRef& ref) -> base::Result<std::span<const std::byte>> {
                if (ref.store != 0) {
                    return base::fail(ErrorCode::protocol, "{}", std::string(5000, 'x'));
                }
                return block_;
            };
            served_ = serve_blocks(ends_.second, find, timeout);
        });
    }
    ~BlockServerTest() override {
        if (server_.joinable()) {
            hang_up();
        }
    }
    base::Result<> hang_up() {
        ends_.first = {};
        server_.join();
        return served_;
    }
    void ask(const Request& request) { ASSERT_TRUE(send(ends_.first, bytes_of(request), soon())); }
    Reply answer() {
        Reply reply;
        EXPECT_TRUE(receive(ends_.first, writable_bytes_of(reply), soon()));
        return reply;
    }
    std::vector<std::byte> content(const Reply& reply) {
        std::vector<std::byte> bytes(static_cast<std::size_t>(reply.bytes));
        EXPECT_TRUE(receive(ends_.first, bytes, soon()));
        return bytes;
    }
    static base::Deadline soon() { return base::Deadline(base::Seconds(20)); }

    const std::vector<std::byte> block_ = testing::noise(10'000'000);
    const BlockRef ref_{.bytes = static_cast<std::int64_t>(block_.size())};

  private:
    testing::Watchdog watchdog_;
    std::pair<os::FileDescriptor, os::FileDescriptor> ends_ = os::create_socket_pair().value();
    base::Result<> served_;
    std::thread server_;
};

TEST_F(BlockServerTest, GivesWhatIsAskedForAndNoMore) {
    ask({ref_, 7, 100});
    const Reply reply = answer();
    ASSERT_EQ(reply.status, Status::given);
    EXPECT_EQ(content(reply), std::vector(block_.begin() + 7, block_.begin() + 107));
    EXPECT_TRUE(hang_up());
}

TEST_F(BlockServerTest, RefusesWhatIsNotThereAndGoesOn) {
    BlockRef longer = ref_;
    ++longer.bytes;
    for (const Request& request :
         {Request{ref_, ref_.bytes, 1}, Request{ref_, -1, 1}, Request{ref_, 0, -1}, Request{ref_, INT64_MAX, INT64_MAX},
          Request{ref_, 1, INT64_MAX}, Request{longer, 0, 1}}) {
        ask(request);
        const Reply reply = answer();
        EXPECT_EQ(reply.status, Status::refused);
        EXPECT_FALSE(content(reply).empty());
    }
    BlockRef elsewhere = ref_;
    elsewhere.store = 3;
    ask({elsewhere, 0, 1});
    const Reply reply = answer();
    EXPECT_EQ(reply.bytes, longest_text);
    content(reply);
    ask({ref_, 0, 1});
    EXPECT_EQ(answer().status, Status::given);
}

class ImpatientBlockServerTest : public BlockServerTest {
  protected:
    ImpatientBlockServerTest() : BlockServerTest(base::Seconds(0.1)) {}
};

TEST_F(ImpatientBlockServerTest, GivesUpOnWhoTakesNoAnswer) {
    ask({ref_, 0, ref_.bytes});
    EXPECT_EQ(answer().status, Status::given);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    EXPECT_EQ(hang_up().error().code, ErrorCode::timeout);
}

}  // namespace
}  // namespace staithe::store::piped
