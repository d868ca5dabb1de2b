// What a process offers to those who ask it for blocks, and over which links.
#include "stream/holding/block_offer.hpp"

#include <sys/socket.h>

#include <chrono>
#include <future>
#include <mutex>
#include <semaphore>
#include <thread>

#include <gtest/gtest.h>

#include "os/shared_memory.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"

namespace staithe::stream {
namespace {

/// This process has a link to itself, over TCP. The side that has made it holds blocks, the other one asks for them.
class BlockOfferTest : public ::testing::Test {
  protected:
    BlockOfferTest() {
        EXPECT_TRUE(self_->listen_at("127.0.0.1:0"));
        EXPECT_TRUE(self_->offer("s", [this](const auto& link, const transport::Packet& packet) {
            {
                const std::lock_guard lock(mutex_);
                asking_ = link;
            }
            static_cast<void>(link->reply(packet.id(), Attributes{}));
        }));
        made_ = self_->connect(self_->addresses().at(1), patiently()).value();
        EXPECT_TRUE(made_->call({{"service", "s"}}, {}, patiently()));
    }
    static base::Deadline patiently() { return base::Deadline(base::Seconds(20)); }
    [[nodiscard]] base::Result<std::shared_ptr<BlockOffer>> offer() const {
        return BlockOffer::make(self_, "blocks", [this]() -> base::Result<BlockOffer::Files> {
            begun_.release();
            std::this_thread::sleep_for(takes_);
            BlockOffer::Files files;
            files[0] = os::create_memory_file("blocks").value();
            static_cast<void>(os::allocate_range(files[0], 0, 4096));
            return files;
        });
    }
    [[nodiscard]] base::Result<transport::Packet> ask() {
        const std::lock_guard lock(mutex_);
        return asking_->call({{"service", "blocks"}}, {}, patiently());
    }
    [[nodiscard]] std::shared_ptr<transport::Link>& made() { return made_; }
    /// To answer takes so long.
    void slow_down(std::chrono::milliseconds takes) { takes_ = takes; }
    void wait_until_asked() { begun_.acquire(); }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory directory_;
    const testing::EnvironmentVariable chosen_{"STAITHE_RUN_DIR", directory_.path().c_str()};
    std::chrono::milliseconds takes_{0};
    mutable std::counting_semaphore<> begun_{0};
    std::mutex mutex_;
    std::shared_ptr<transport::Link> asking_;
    const std::shared_ptr<transport::Endpoint> self_ = transport::Endpoint::shared(directory_.path()).value();
    std::shared_ptr<transport::Link> made_;
};

TEST_F(BlockOfferTest, KeepsTheLinkOfWhoHasAsked) {
    const auto offered = offer().value();
    ASSERT_TRUE(ask());
    made() = nullptr;  // as when the other stream ends that it was made for
    const auto again = ask();
    EXPECT_TRUE(again) << again.error().message;
}

TEST_F(BlockOfferTest, ThatCannotBeMadeLeavesTheFirstOne) {
    const auto first = offer().value();
    const auto second = offer();
    ASSERT_FALSE(second);
    EXPECT_EQ(second.error().code, ErrorCode::already_exists);
    EXPECT_TRUE(ask());
}

TEST_F(BlockOfferTest, IsMadeAnewWhileTheOneBeforeAnswers) {
    slow_down(std::chrono::milliseconds(200));
    auto first = offer().value();
    const auto asked = std::async(std::launch::async, [this] { return ask(); });
    wait_until_asked();
    first = nullptr;
    const auto second = offer();
    EXPECT_TRUE(second) << second.error().message;
    asked.wait();
}

}  // namespace
}  // namespace staithe::stream
