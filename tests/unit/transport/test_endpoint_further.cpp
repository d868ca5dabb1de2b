// Further connections between processes that have a link: who may make them, for what, and until when.
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/event.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/resource_limit.hpp"
#include "support/sanitizers.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"
#include "transport/approach.hpp"
#include "transport/connection_room.hpp"
#include "transport/endpoint.hpp"
#include "unit/transport/raw_socket.hpp"

namespace staithe::transport {
namespace {

using ::testing::HasSubstr;
using testing::RawSocket;

/// Connections as the loop's thread gives them.
class Taken {
  public:
    void add(os::FileDescriptor socket) {
        const std::lock_guard lock(mutex_);
        sockets_.push_back(std::move(socket));
    }
    [[nodiscard]] std::size_t count() const {
        const std::lock_guard lock(mutex_);
        return sockets_.size();
    }
    [[nodiscard]] const os::FileDescriptor& last() const {
        const std::lock_guard lock(mutex_);
        return sockets_.back();
    }
    void close() {
        const std::lock_guard lock(mutex_);
        sockets_.clear();
    }

  private:
    mutable std::mutex mutex_;
    std::vector<os::FileDescriptor> sockets_;
};

/// This process has a link to itself, over TCP.
class FurtherConnectionsTest : public ::testing::Test {
  protected:
    FurtherConnectionsTest() {
        EXPECT_TRUE(self_->listen_at("127.0.0.1:0"));
        EXPECT_TRUE(self_->offer("s", [this](const auto& link, const Packet& packet) {
            listeners_ = link;
            static_cast<void>(link->reply(packet.id(), Attributes{}));
        }));
        port_ = *self_->addresses().at(1).host_port();
        link_ = self_->connect(Address(port_), patiently()).value();
        EXPECT_TRUE(link_->call({{"service", "s"}}, {}, patiently()));
    }

    static base::Deadline patiently() { return base::Deadline(base::Seconds(20)); }
    [[nodiscard]] Endpoint& self() const { return *self_; }
    [[nodiscard]] const Address::HostPort& port() const { return port_; }
    [[nodiscard]] Link& link() const { return *link_; }
    /// The same link at the side that takes connections.
    [[nodiscard]] Link& listeners_link() const { return *listeners_; }
    void end_link() {
        listeners_->refuse({ErrorCode::closed, "enough"});
        while (link_->is_open()) {
            std::this_thread::yield();
        }
    }

    [[nodiscard]] std::shared_ptr<void> take(const std::string& purpose) {
        return self_
            ->take_connections(*listeners_, purpose, [taken = taken_](auto socket) { taken->add(std::move(socket)); })
            .value();
    }
    [[nodiscard]] std::size_t taken() const { return taken_->count(); }
    void await_taken(std::size_t count) const {
        while (taken() < count) {
            std::this_thread::yield();
        }
    }
    void close_taken() const { taken_->close(); }
    [[nodiscard]] const os::FileDescriptor& last_taken() const { return taken_->last(); }

    [[nodiscard]] std::shared_ptr<const Key> key() const {
        return Key::of_run_directory(directory_.path(), Key::IfMissing::leave).value();
    }
    /// What the listener says to a caller with the key that says this of what it is for.
    [[nodiscard]] Attributes answer_to(Purpose purpose) const {
        Visitor visitor(key(), {to_string(os::this_process()), ""}, std::move(purpose));
        RawSocket caller(testing::connect_to(directory_.path(), Address(port_)));
        caller.say(with_id(visitor.challenge()));
        caller.say(with_id(visitor.answer(caller.hear().value()).value()));
        return caller.hear().value();
    }
    static Attributes with_id(Attributes message) {
        message["id"] = 1;
        return message;
    }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory directory_;
    const testing::EnvironmentVariable chosen_{"STAITHE_RUN_DIR", directory_.path().c_str()};
    std::shared_ptr<Link> listeners_;
    const std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();
    const std::shared_ptr<Endpoint> self_ = Endpoint::shared(directory_.path()).value();
    Address::HostPort port_;
    std::shared_ptr<Link> link_;
};

TEST_F(FurtherConnectionsTest, AreForBytesOfBothSides) {
    const auto taking = take("blocks");
    const auto socket = self().connect_further(link(), "blocks", patiently());
    ASSERT_TRUE(socket) << socket.error().message;
    await_taken(1);
    const std::array said{std::byte{'x'}};
    for (const auto& [from, to] : {std::pair(&*socket, &last_taken()), std::pair(&last_taken(), &*socket)}) {
        EXPECT_EQ(os::send_some(*from, said, {}), 1U);
        os::poll({{to->get()}}, patiently());
        std::array<std::byte, 10> heard{};
        EXPECT_EQ(os::receive_some(*to, heard)->bytes, 1U);
    }
}

TEST_F(FurtherConnectionsTest, TakeTheTokenOfTheirPurpose) {
    const auto taking = take("blocks");
    const auto other = take("channel");
    for (const std::string& token : {std::string("x"), std::string(64, '0'), link().session_token("channel").value()}) {
        EXPECT_THAT(text_of(answer_to({"blocks", token}), "message"), HasSubstr("does not prove"));
    }
    EXPECT_THAT(text_of(answer_to({"nothing", link().session_token("nothing").value()}), "message"),
                HasSubstr("awaits no such connection"));
    EXPECT_EQ(taken(), 0U);
    EXPECT_EQ(find(answer_to({"blocks", link().session_token("blocks").value()}), "refused"), nullptr);
}

TEST_F(FurtherConnectionsTest, ProofsThatWereRecordedOpenNone) {
    const auto taking = take("blocks");
    Visitor visitor(key(), {to_string(os::this_process()), ""}, {"blocks", link().session_token("blocks").value()});
    const auto address = Address(port());
    RawSocket first(testing::connect_to(self().run_directory(), address));
    first.say(with_id(visitor.challenge()));
    const Attributes proof = visitor.answer(first.hear().value()).value();
    EXPECT_THAT(*find(proof, "proof")->as_string(), ::testing::Ne(link().session_token("blocks").value()))
        << "the token itself is never said";
    first.say(with_id(proof));
    EXPECT_EQ(find(first.hear().value(), "refused"), nullptr);
    await_taken(1);

    RawSocket replayed(testing::connect_to(self().run_directory(), address));
    replayed.say(with_id(visitor.challenge()));
    ASSERT_TRUE(replayed.hear());
    replayed.say(with_id(proof));
    EXPECT_NE(find(replayed.hear().value(), "refused"), nullptr);
    EXPECT_EQ(taken(), 1U);
}

TEST_F(FurtherConnectionsTest, OfSeveralPeersMayHaveTheSamePurpose) {
    if (!testing::forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    const auto taking = take("blocks");
    testing::ChildProcess child([&] {
        const auto another = Endpoint::shared(self().run_directory()).value();
        return another->connect(Address(port()), patiently()) ? ::pause() : 1;
    });
    const auto identity = os::identity_of(child.pid()).value();
    std::shared_ptr<Link> its_link;
    while (!(its_link = self().link_to(identity))) {
        std::this_thread::yield();
    }
    const auto of_another = self().take_connections(*its_link, "blocks", [](auto) {}).value();
    const auto socket = self().connect_further(link(), "blocks", patiently());
    ASSERT_TRUE(socket) << socket.error().message;
    await_taken(1);
}

TEST_F(FurtherConnectionsTest, AreRefusedOnceNobodyTakesThem) {
    auto taking = take("blocks");
    taking.reset();
    const auto refused = self().connect_further(link(), "blocks", patiently());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::peer_lost);
    EXPECT_THAT(refused.error().message, HasSubstr("awaits no such connection any more"));
}

TEST_F(FurtherConnectionsTest, AreRefusedOnceTheLinkIsGone) {
    const auto taking = take("blocks");
    const std::string token = link().session_token("blocks").value();
    end_link();
    EXPECT_THAT(text_of(answer_to({"blocks", token}), "message"), HasSubstr("awaits no such connection"));
}

TEST_F(FurtherConnectionsTest, ThatAreCutOnTheWayHarmNobody) {
    const auto taking = take("blocks");
    Visitor visitor(key(), {"somebody", ""}, {"blocks", link().session_token("blocks").value()});
    for (const std::size_t said : {0U, 1U, 2U}) {
        RawSocket caller(testing::connect_to(self().run_directory(), Address(port())));
        if (said > 0) {
            caller.say(with_id(visitor.challenge()));
        }
        if (said > 1) {
            const auto frame = encode_frame(with_id(visitor.answer(caller.hear().value()).value()), 0).value();
            EXPECT_TRUE(os::send_some(caller.socket(), std::span(frame).first(frame.size() / 2), {}));
        }
    }
    EXPECT_TRUE(self().connect_further(link(), "blocks", patiently()));
}

TEST_F(FurtherConnectionsTest, CountAsConnectionsOfBothSides) {
    const auto taking = take("blocks");
    const std::int64_t before = 2;  // both sides of the link
    while (base::used(base::Resource::connections) != before) {
        std::this_thread::yield();  // that a connection of another test was cut is noticed in a moment
    }
    auto socket = self().connect_further(link(), "blocks", patiently());
    ASSERT_TRUE(socket);
    await_taken(1);
    EXPECT_EQ(base::used(base::Resource::connections), before + 2);
    *socket = os::FileDescriptor();
    close_taken();
    EXPECT_EQ(base::used(base::Resource::connections), before);
}

TEST_F(FurtherConnectionsTest, GetTheLastDescriptors) {
    const auto taking = take("blocks");
    const testing::ResourceLimit few(RLIMIT_NOFILE, 128);
    std::vector<os::FileDescriptor> others;
    while (check_room_for_link(0)) {
        others.push_back(os::spare_descriptor());
    }
    const std::string refusal = text_of(answer_to({}), "message");
    EXPECT_THAT(refusal, HasSubstr("takes no more connections now"));
    EXPECT_THAT(refusal, HasSubstr("of the 128 file descriptors that this process may have are open"));
    EXPECT_TRUE(self().check_room_for_member());
    while (check_room_for_channel(0)) {
        others.push_back(os::spare_descriptor());
    }
    EXPECT_EQ(self().check_room_for_member().error().code, ErrorCode::limit_reached);
    EXPECT_TRUE(are_connections_scarce());
    const auto socket = self().connect_further(link(), "blocks", patiently());
    EXPECT_TRUE(socket) << socket.error().message;
}

TEST_F(FurtherConnectionsTest, KeepThePortOpenUntilNobodyTakesThem) {
    auto taking = take("blocks");
    self().withdraw("s");
    EXPECT_TRUE(self().connect_further(link(), "blocks", patiently()));
    taking.reset();
    EXPECT_EQ(self().connect_further(link(), "blocks", patiently()).error().code, ErrorCode::peer_lost);
    EXPECT_TRUE(os::listen_at_port("127.0.0.1", port().port)) << "the port is free";
}

}  // namespace
}  // namespace staithe::transport
