// What a server that goes on for others says, asked over a link.
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "base/fields.hpp"
#include "os/socket.hpp"
#include "server/reception.hpp"
#include "space/served/messages.hpp"
#include "space/served/messages_many.hpp"
#include "support/watchdog.hpp"
#include "transport/event_loop.hpp"
#include "transport/link.hpp"

namespace staithe::server {
namespace {

namespace type = space::request;

/// Of three servers that of rank 1, which has not heard of the others yet but for one; it leads nothing.
class ReceptionReplicasTest : public ::testing::Test {
  protected:
    ReceptionReplicasTest() {
        reception_->keep_replicas();
        auto [one, other] = os::create_socket_pair().value();
        its_end_ = transport::Link::start(*loop_, std::move(one), 42, [](const auto&, auto) {}).value();
        others_end_ =
            transport::Link::start(*loop_, std::move(other), 43, [this](const auto&, transport::Packet packet) {
                const std::lock_guard lock(mutex_);
                said_.push_back(std::move(packet.body));
                changed_.notify_all();
            }).value();
    }
    void tell(const char* type, Attributes body) {
        body["type"] = type;
        reception_->handle(its_end_, {std::move(body)});
    }
    /// The next thing that it says.
    Attributes said() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !said_.empty(); });
        Attributes body = std::move(said_.front());
        said_.pop_front();
        return body;
    }

  private:
    testing::Watchdog watchdog_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Attributes> said_;
    const std::shared_ptr<transport::EventLoop> loop_ = transport::EventLoop::start().value();
    std::shared_ptr<transport::Link> its_end_, others_end_;
    const std::shared_ptr<Reception> reception_ = std::make_shared<Reception>(space::Member{"harbour", 1, 3});
};

TEST_F(ReceptionReplicasTest, WhoPassesOnABlockThatItDoesNotLeadIsTold) {
    tell(type::meet, {{"rank", 0}, {"incarnation", "0123456789abcdef"}, {"stores", 1}});
    store::space::Put put;
    put.block = {
        .variable = "T", .dtype = Dtype::u8, .shape = {80000}, .box = {{0}, {80000}}, .unit = {}, .attributes = {}};
    Attributes body = space::encode(put);
    body.merge(Attributes{{"space", "campaign"}, {"process", "lmp"}, {"rank of server", 0}, {"store", 3}, {"at", 0}});
    body["ticket"] = 7;
    tell(type::put_elsewhere, body);
    const Attributes answer = said();
    EXPECT_EQ(answer.at("type"), Value(type::was_put));
    EXPECT_EQ(answer.at("ticket"), Value(7));
    const auto results = space::decode_results(answer, 1).value();
    ASSERT_FALSE(results.front());
    EXPECT_EQ(results.front().error().code, ErrorCode::peer_lost) << "its program asks another one then";
}

}  // namespace
}  // namespace staithe::server
