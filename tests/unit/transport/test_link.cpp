#include "transport/link.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/socket.hpp"
#include "support/watchdog.hpp"

namespace staithe::transport {
namespace {

using base::Deadline;
using base::Seconds;

Deadline in_time() { return Deadline(Seconds(20)); }

/// A link whose other end is the test itself: a plain socket.
class LinkTest : public ::testing::Test {
  protected:
    LinkTest() { restart(Link::Trust::friendly); }

    void restart(Link::Trust trust) {
        int ends[2];
        EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        peer_ = os::FileDescriptor(ends[1]);
        decoder_ = {};
        seal_ = session_.seal_of(Role::caller);
        requests_seen_ = 0;
        link_ = Link::start(
                    *loop_, os::FileDescriptor(ends[0]), 42,
                    [this](const auto& link, Packet packet) {
                        if (find(packet.body, "throw") != nullptr) {
                            throw std::logic_error("a mistake of ours");
                        }
                        if (find(packet.body, "trust") != nullptr) {
                            link->trust({session_, ""}, {});
                        }
                        requests_.push_back(std::move(packet));
                        ++requests_seen_;
                    },
                    trust)
                    .value();
    }

    [[nodiscard]] Link& link() const { return *link_; }
    [[nodiscard]] EventLoop& loop() const { return *loop_; }
    /// Another one that the same loop watches.
    std::shared_ptr<Link> link_of_its_own() {
        auto sockets = os::create_socket_pair().value();
        others_.push_back(std::move(sockets.second));
        return Link::start(*loop_, std::move(sockets.first), 43, [](const auto&, const Packet&) {}).value();
    }
    void drop_link() { link_.reset(); }
    void close_peer() { peer_ = os::FileDescriptor(); }

    void write_raw(std::span<const std::byte> bytes) const {
        ASSERT_EQ(::write(peer_.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
    }
    void write_frame(const Attributes& body) const { write_raw(encode_frame(body, 0).value()); }

    /// As the caller of the session would.
    static std::vector<std::byte> sealed(const Attributes& body, const Seal& by) {
        auto frame = encode_frame(body, 0).value();
        const auto seal = by.of(frame);
        frame.insert(frame.end(), seal.begin(), seal.end());
        return frame;
    }
    std::vector<std::byte> sealed(const Attributes& body) {
        auto frame = sealed(body, seal_);
        seal_.advance();
        return frame;
    }
    void write_sealed(const Attributes& body) { write_raw(sealed(body)); }
    FrameDecoder& decoder() { return decoder_; }

    /// The next packet that the link sent.
    Packet read_packet() {
        for (;;) {
            if (auto packet = decoder_.next().value()) {
                return *std::move(packet);
            }
            std::array<std::byte, 4096> buffer{};
            auto received = os::receive_some(peer_, buffer).value();
            if (!received.open) {
                ADD_FAILURE() << "the link closed its socket";
                return {};
            }
            decoder_.feed(std::span(buffer).first(received.bytes), std::move(received.descriptors));
        }
    }
    std::int64_t read_request() { return find(read_packet().body, "id")->as_int().value(); }

    void await_requests(int count) const {
        while (requests_seen_ < count) {
            std::this_thread::yield();
        }
    }
    void await_close() const {
        while (link_->is_open()) {
            std::this_thread::yield();
        }
    }

    [[nodiscard]] auto call_in_background(const Attributes& request, Deadline deadline = in_time()) const {
        return std::async(std::launch::async,
                          [link = link_, request, deadline] { return link->call(request, {}, deadline); });
    }

    const Session session_{std::make_shared<Secret>()};
    std::vector<Packet> requests_;
    std::atomic<int> requests_seen_{0};

    os::FileDescriptor peer_;

  private:
    std::vector<os::FileDescriptor> others_;
    testing::Watchdog watchdog_;
    Seal seal_ = session_.seal_of(Role::caller);
    FrameDecoder decoder_;
    std::shared_ptr<Link> link_;
    std::unique_ptr<EventLoop> loop_ = EventLoop::start().value();
};

TEST_F(LinkTest, AnswersReachTheirCallsInAnyOrder) {
    auto first = call_in_background({{"ask", 1}});
    const std::int64_t first_id = read_request();
    auto second = call_in_background({{"ask", 2}});
    const std::int64_t second_id = read_request();
    EXPECT_NE(first_id, second_id);
    write_frame({{"reply", second_id}, {"answer", 2}});
    EXPECT_EQ(find(second.get()->body, "answer")->as_int(), 2);
    write_frame({{"reply", first_id}, {"answer", 1}});
    EXPECT_EQ(find(first.get()->body, "answer")->as_int(), 1);
}

TEST_F(LinkTest, FailureThatThePeerReportsIsTheCallsFailure) {
    for (int code = 0; code < static_cast<int>(error_code_count); ++code) {
        auto call = call_in_background({});
        write_frame({{"reply", read_request()}, {"error", code}, {"message", "because"}});
        const auto answer = call.get();
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, static_cast<ErrorCode>(code));
        EXPECT_EQ(answer.error().message, "because");
    }
}

TEST_F(LinkTest, UnknownErrorCodesAreProtocolErrors) {
    for (const Value& code : {Value(99), Value(-1), Value("text"), Value(nullptr)}) {
        auto call = call_in_background({});
        write_frame({{"reply", read_request()}, {"error", code}});
        EXPECT_EQ(call.get().error().code, ErrorCode::protocol);
    }
}

TEST_F(LinkTest, CallEndsAtItsDeadlineAndALateAnswerIsIgnored) {
    const auto answer = link().call({}, {}, Deadline(Seconds(0.02)));
    EXPECT_EQ(answer.error().code, ErrorCode::timeout);
    write_frame({{"reply", read_request()}});
    auto call = call_in_background({});
    write_frame({{"reply", 12345}});
    write_frame({{"reply", "nonsense"}});
    write_frame({{"reply", read_request()}, {"answer", 7}});
    EXPECT_EQ(find(call.get()->body, "answer")->as_int(), 7);
}

TEST_F(LinkTest, LossOfThePeerEndsAllCallsAtOnce) {
    auto first = call_in_background({});
    auto second = call_in_background({});
    static_cast<void>(read_request());
    static_cast<void>(read_request());
    close_peer();
    EXPECT_EQ(first.get().error().code, ErrorCode::peer_lost);
    EXPECT_EQ(second.get().error().code, ErrorCode::peer_lost);
    EXPECT_FALSE(link().is_open());
    EXPECT_EQ(link().call({}, {}, in_time()).error().code, ErrorCode::peer_lost);
    EXPECT_FALSE(link().notify({}));
}

TEST_F(LinkTest, ListenersAreToldOnceOfTheLoss) {
    std::atomic<int> told{0};
    const auto kept = link().on_close([&] { ++told; });
    auto dropped = link().on_close([&] { told += 100; });
    dropped.reset();
    close_peer();
    await_close();
    while (told == 0) {
        std::this_thread::yield();
    }
    EXPECT_EQ(told, 1);
    EXPECT_EQ(link().on_close([&] { ++told; }), nullptr) << "it is lost already";
    EXPECT_EQ(told, 1);
}

TEST_F(LinkTest, GarbageFromThePeerClosesTheLink) {
    auto call = call_in_background({});
    static_cast<void>(read_request());
    write_raw(std::as_bytes(std::span("this is no frame at all")));
    EXPECT_EQ(call.get().error().code, ErrorCode::protocol);
    await_close();
}

TEST_F(LinkTest, AMistakeThatAMessageBringsToLightEndsThatLinkAlone) {
    const auto other = link_of_its_own();
    std::atomic<int> told{0};
    const auto throwing = link().on_close([]() -> void { throw std::runtime_error("another mistake"); });
    const auto kept = link().on_close([&] { ++told; });
    auto call = call_in_background({});
    static_cast<void>(read_request());
    write_frame({{"throw", true}});
    const auto answer = call.get();
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::system);
    EXPECT_THAT(answer.error().message, ::testing::HasSubstr("a mistake of ours"));
    await_close();
    while (told == 0) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(other->is_open()) << "the loop's thread goes on";
    EXPECT_EQ(other->call({}, {}, Deadline(Seconds(0.01))).error().code, ErrorCode::timeout);
}

TEST_F(LinkTest, RefusalReachesThePeerAndEndsTheLink) {
    auto call = call_in_background({});
    static_cast<void>(read_request());
    link().refuse({ErrorCode::system, "does not like it"});
    const Packet packet = read_packet();
    EXPECT_EQ(find(packet.body, "refused")->as_int(), static_cast<int>(ErrorCode::system));
    EXPECT_EQ(*find(packet.body, "message")->as_string(), "does not like it");
    EXPECT_EQ(call.get().error().code, ErrorCode::system);
    EXPECT_FALSE(link().is_open());
}

TEST_F(LinkTest, RefusalByThePeerIsTheFailureOfAllCalls) {
    auto call = call_in_background({});
    static_cast<void>(read_request());
    write_frame({{"refused", static_cast<int>(ErrorCode::limit_reached)}, {"message", "is full"}});
    const auto answer = call.get();
    EXPECT_EQ(answer.error().code, ErrorCode::limit_reached);
    EXPECT_NE(answer.error().message.find("is full"), std::string::npos) << answer.error().message;
    EXPECT_NE(answer.error().message.find("pid 42"), std::string::npos) << answer.error().message;
    EXPECT_EQ(link().call({}, {}, in_time()).error().code, ErrorCode::limit_reached);
}

TEST_F(LinkTest, RefusalIsReadEvenIfTheRequestCouldNotBeSent) {
    write_frame({{"refused", static_cast<int>(ErrorCode::limit_reached)}, {"message", "is full"}});
    close_peer();
    EXPECT_EQ(link().call({}, {}, in_time()).error().code, ErrorCode::limit_reached);
}

TEST_F(LinkTest, OfAStrangerOnlyShortMessagesAreTakenUntilItIsTrusted) {
    restart(Link::Trust::stranger);
    write_frame({{"text", "short"}});
    await_requests(1);
    EXPECT_EQ(link().session_token("data").error().code, ErrorCode::closed);
    write_frame({{"trust", true}});
    await_requests(2);
    write_sealed({{"text", std::string(5000, 'x')}});
    await_requests(3);
    EXPECT_TRUE(link().is_open());
    EXPECT_EQ(link().session_token("data").value(), session_.token("data"));

    restart(Link::Trust::stranger);
    write_frame({{"text", std::string(5000, 'x')}});
    await_close();
    EXPECT_EQ(requests_seen_, 0);
}

// Who is called may ask in the same moment: what is made known to it is kept by who it is.
TEST_F(LinkTest, WhoIsCalledIsKnownAsSoonAsItAsks) {
    for (int i = 0; i < 200; ++i) {
        auto [caller, called] = os::create_socket_pair().value();
        const auto request = sealed({{"text", "early"}}, session_.seal_of(Role::listener));
        ASSERT_EQ(::write(called.get(), request.data(), request.size()), std::ssize(request));
        std::promise<std::string> asked;
        const auto link = Link::start(
            loop(), std::move(caller), 42, [&](const auto& from, auto) { asked.set_value(from->process()); },
            Link::Trust::friendly, {}, Link::Proved{session_, "the called"});
        ASSERT_TRUE(link);
        ASSERT_EQ(asked.get_future().get(), "the called");
    }
}

TEST_F(LinkTest, FrameThatItsSessionDidNotSealEndsTheLink) {
    for (const char* const attack : {"none", "again", "changed", "sent back"}) {
        restart(Link::Trust::stranger);
        write_frame({{"trust", true}});
        await_requests(1);
        auto frame = sealed({{"number", 1}});
        write_raw(frame);
        await_requests(2);
        ASSERT_TRUE(link().notify({{"number", 1}}));
        if (attack == std::string("none")) {
            frame = encode_frame({{"number", 2}}, 0).value();
            frame.resize(frame.size() + Seal::size);
        } else if (attack == std::string("changed")) {
            frame = sealed({{"number", 2}});
            frame[frame_header_bytes + 9] ^= std::byte{1};
        } else if (attack == std::string("sent back")) {
            frame = sealed({{"number", 2}}, session_.seal_of(Role::listener));
        }  // otherwise the same again
        write_raw(frame);
        await_close();
        EXPECT_EQ(link().notify({}).error().code, ErrorCode::peer_lost) << attack;
        EXPECT_EQ(requests_seen_, 2) << attack;
    }
}

TEST_F(LinkTest, WhatATrustedPeerIsToldIsSealed) {
    restart(Link::Trust::stranger);
    write_frame({{"trust", true}});
    await_requests(1);
    decoder().expect_seals(session_.seal_of(Role::listener));
    for (int i = 0; i < 3; ++i) {
        ASSERT_TRUE(link().notify({{"number", i}}));
        EXPECT_EQ(find(read_packet().body, "number")->as_int(), i);
    }
}

TEST_F(LinkTest, DescriptorsOfAStrangerEndTheLink) {
    restart(Link::Trust::stranger);
    const std::array<int, 1> descriptors{STDERR_FILENO};
    const auto frame = encode_frame({}, 1).value();
    ASSERT_TRUE(os::send_some(peer_, frame, descriptors));
    await_close();
    EXPECT_EQ(requests_seen_, 0);
}

TEST_F(LinkTest, RequestsAndNotificationsReachTheHandlerInOrder) {
    for (int i = 0; i < 100; ++i) {
        write_frame({{"number", i}});
    }
    await_requests(100);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(find(requests_[static_cast<std::size_t>(i)].body, "number")->as_int(), i);
    }
}

// Who waits reads the socket itself, and finds more there than its answer.
TEST_F(LinkTest, WhatComesBesideAnAnswerReachesItsHandlerInOrder) {
    for (int i = 0; i < 200; i += 2) {
        auto call = call_in_background({});
        const std::int64_t id = read_request();
        std::vector<std::byte> frames;
        for (const Attributes& body :
             {Attributes{{"number", i}}, Attributes{{"reply", id}, {"answer", i}}, Attributes{{"number", i + 1}}}) {
            const auto frame = encode_frame(body, 0).value();
            frames.insert(frames.end(), frame.begin(), frame.end());
        }
        write_raw(frames);
        EXPECT_EQ(find(call.get()->body, "answer")->as_int(), i);
        EXPECT_GT(requests_seen_, i) << "what was sent before the answer has been handled before";
    }
    await_requests(200);
    for (int i = 0; i < 200; ++i) {
        EXPECT_EQ(find(requests_[static_cast<std::size_t>(i)].body, "number")->as_int(), i);
    }
}

// ThreadSanitizer looks at this one.
TEST_F(LinkTest, ThreadsThatCallAtOnceGetTheirOwnAnswers) {
    constexpr int threads = 4, calls = 100;
    std::vector<std::thread> calling;
    for (int thread = 0; thread < threads; ++thread) {
        calling.emplace_back([this, thread] {
            for (int i = 0; i < calls; ++i) {
                const int asked = thread * calls + i;
                const auto answer = link().call({{"ask", asked}}, {}, in_time());
                ASSERT_TRUE(answer) << answer.error().message;
                EXPECT_EQ(find(answer->body, "answer")->as_int(), asked);
            }
        });
    }
    for (int i = 0; i < threads * calls; ++i) {
        const Packet request = read_packet();
        write_frame({{"reply", request.id()}, {"answer", find(request.body, "ask")->as_int().value()}});
    }
    for (std::thread& thread : calling) {
        thread.join();
    }
}

TEST_F(LinkTest, RepliesCarryDescriptors) {
    ASSERT_TRUE(link().reply(5, Attributes{{"a", 1}}, std::vector{STDERR_FILENO, STDERR_FILENO}));
    const Packet packet = read_packet();
    EXPECT_EQ(find(packet.body, "reply")->as_int(), 5);
    EXPECT_EQ(packet.descriptors.size(), 2U);
}

TEST_F(LinkTest, WhoGetsNoAnswerSinceItIsTooLongIsToldSo) {
    ASSERT_TRUE(link().reply(5, Attributes{{"text", std::string(max_body, 'x')}}));
    const Packet packet = read_packet();
    EXPECT_EQ(find(packet.body, "reply")->as_int(), 5);
    EXPECT_EQ(find(packet.body, "error")->as_int(), static_cast<int>(ErrorCode::limit_reached))
        << *find(packet.body, "message")->as_string();
}

TEST_F(LinkTest, MessagesLargerThanTheSocketAreSentWhole) {
    const std::string text(3 << 20, 'x');
    ASSERT_TRUE(link().notify({{"text", text}}));
    ASSERT_TRUE(link().notify({{"text", "next"}}));
    EXPECT_EQ(*find(read_packet().body, "text")->as_string(), text);
    EXPECT_EQ(*find(read_packet().body, "text")->as_string(), "next");
}

TEST_F(LinkTest, CallThatTimedOutLeavesTheLinkUsable) {
    const std::string text(3 << 20, 'x');
    EXPECT_EQ(link().call({{"text", text}}, {}, Deadline(Seconds(0.02))).error().code, ErrorCode::timeout);
    auto call = call_in_background({{"text", "short"}});
    EXPECT_EQ(find(read_packet().body, "text")->as_string()->size(), text.size());
    write_frame({{"reply", read_request()}, {"answer", 1}});
    EXPECT_TRUE(call.get());
}

TEST_F(LinkTest, ThreadsMaySendAtOnce) {
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            for (int i = 0; i < 50; ++i) {
                EXPECT_TRUE(link().notify({{"thread", thread}, {"text", std::string(5000, 'x')}}));
            }
        });
    }
    for (int i = 0; i < 200; ++i) {
        ASSERT_NE(find(read_packet().body, "thread"), nullptr);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_F(LinkTest, MayBeDroppedWhileACallIsInFlight) {
    auto call = call_in_background({}, Deadline(Seconds(0.1)));
    static_cast<void>(read_request());
    drop_link();
    EXPECT_FALSE(call.get());
}

}  // namespace
}  // namespace staithe::transport
