#include "transport/endpoint.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "os/files.hpp"
#include "os/socket.hpp"
#include "os/tcp.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/sanitizers.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"
#include "transport/directory/directory.hpp"
#include "unit/transport/raw_socket.hpp"

namespace staithe::transport {
namespace {

using base::Deadline;
using base::Seconds;
using testing::ChildProcess;
using testing::Signal;

Deadline soon() { return Deadline(Seconds(20)); }

std::int64_t id_of(const Packet& packet) { return find(packet.body, "id")->as_int().value_or(0); }

class EndpointTest : public ::testing::Test {
  protected:
    static Address address_of(const ChildProcess& child) {
        return Address::parse(Endpoint::name_of_socket(child.pid()).value()).value();
    }

    [[nodiscard]] std::shared_ptr<Endpoint> endpoint() const { return Endpoint::shared(directory_.path()).value(); }
    [[nodiscard]] const std::string& directory() const { return directory_.path(); }

    /// Answers every request with its own fields.
    static Link::RequestHandler echo() {
        return [](const std::shared_ptr<Link>& link, Packet packet) {
            const std::int64_t id = id_of(packet);
            packet.body.erase("id");
            static_cast<void>(link->reply(id, std::move(packet.body)));
        };
    }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory directory_;
};

/// What holds whether the processes are on one host or not: by their sockets, or by their ports.
class EndpointWaysTest : public EndpointTest, public ::testing::WithParamInterface<std::string> {
  protected:
    EndpointWaysTest() {
        if (!is_by_socket()) {
            chosen_.emplace("STAITHE_RUN_DIR", directory().c_str());
            listening_.emplace("STAITHE_LISTEN", (GetParam() + ":0").c_str());
        }
    }
    void SetUp() override {
        if (GetParam() == "[::1]" && !os::listen_at_port("::1", 0)) {
            GTEST_SKIP() << "no IPv6 here";
        }
    }
    [[nodiscard]] static bool is_by_socket() { return GetParam() == "socket"; }
    [[nodiscard]] static Address address_of(const Endpoint& endpoint) {
        return endpoint.addresses().at(is_by_socket() ? 0 : 1);
    }
    /// Of a child that has said it.
    [[nodiscard]] Address address_of_child() const {
        const auto entry = Directory(directory()).find(Kind::server, "child").value();
        return entry->addresses.at(is_by_socket() ? 0 : 1);
    }
    static void say_address(const Endpoint& endpoint) {
        EXPECT_TRUE(Directory(endpoint.run_directory())
                        .publish(own_entry(Kind::server, "child", endpoint.addresses(), endpoint.self())));
    }

  private:
    std::optional<testing::EnvironmentVariable> chosen_;
    std::optional<testing::EnvironmentVariable> listening_;
};

INSTANTIATE_TEST_SUITE_P(Ways, EndpointWaysTest, ::testing::Values("socket", "127.0.0.1", "[::1]"),
                         [](const auto& way) {
                             return way.param == "socket" ? "Socket" : way.param == "[::1]" ? "Ipv6" : "Ipv4";
                         });

TEST_F(EndpointTest, IsSharedWithinARunDirectoryAndEndsWithItsLastUser) {
    auto first = endpoint();
    EXPECT_EQ(first, endpoint());
    const testing::TemporaryDirectory other;
    EXPECT_NE(first, Endpoint::shared(other.path()).value());
    ASSERT_TRUE(first->offer("s", echo()));
    EXPECT_EQ(os::list_directory(directory()), std::vector<std::string>{first->socket_name()});
    first.reset();
    EXPECT_TRUE(os::list_directory(directory()).empty()) << "nothing is left behind";
}

TEST_P(EndpointWaysTest, CallsItselfAsItCallsOthers) {
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", echo()));
    const auto link = self->connect(address_of(*self), soon()).value();
    EXPECT_EQ(link->peer().pid, ::getpid());
    EXPECT_EQ(link->peer().program, self->self().program);
    EXPECT_EQ(link, self->connect(address_of(*self), soon()).value()) << "one link a process";
    const auto answer = link->call({{"service", "s"}, {"x", 5}}, {}, soon());
    ASSERT_TRUE(answer);
    EXPECT_EQ(find(answer->body, "x")->as_int(), 5);
}

TEST_P(EndpointWaysTest, LargeAnswersToItselfDoNotBlock) {
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", echo()));
    const auto link = self->connect(address_of(*self), soon()).value();
    const std::string text(5 << 20, 'x');
    const auto answer = link->call({{"service", "s"}, {"text", text}}, {}, soon());
    ASSERT_TRUE(answer);
    EXPECT_EQ(*find(answer->body, "text")->as_string(), text);
}

TEST_P(EndpointWaysTest, UnknownServiceIsNotFound) {
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", echo()));
    const auto link = self->connect(address_of(*self), soon()).value();
    EXPECT_EQ(link->call({{"service", "t"}}, {}, soon()).error().code, ErrorCode::not_found);
    EXPECT_EQ(self->offer("s", echo()).error().code, ErrorCode::already_exists);
    self->withdraw("s");
    EXPECT_EQ(link->call({{"service", "s"}}, {}, soon()).error().code, ErrorCode::not_found);
    EXPECT_TRUE(self->offer("s", echo()));
    EXPECT_TRUE(link->call({{"service", "s"}}, {}, soon()));
}

TEST_F(EndpointTest, NobodyListensUntilSomethingIsOffered) {
    const auto self = endpoint();
    EXPECT_EQ(self->socket_name(), "");
    EXPECT_EQ(self->connect(Address::parse("1.socket").value(), soon()).error().code, ErrorCode::not_found);
}

TEST_F(EndpointTest, SocketGoesWithTheLastServiceWhoeverStillHoldsTheEndpoint) {
    const auto self = endpoint();  // as the event loop does for a moment, in which the process may end
    ASSERT_TRUE(self->offer("s", echo()));
    ASSERT_TRUE(self->offer("t", echo()));
    const auto link = self->connect(self->address(), soon()).value();
    self->withdraw("s");
    EXPECT_EQ(os::list_directory(directory()), std::vector<std::string>{self->socket_name()});
    self->withdraw("t");
    EXPECT_TRUE(os::list_directory(directory()).empty());
    EXPECT_EQ(link->call({{"service", "t"}}, {}, soon()).error().code, ErrorCode::not_found);
    ASSERT_TRUE(self->offer("s", echo()));
    EXPECT_TRUE(os::connect_to(directory(), self->socket_name()));
    EXPECT_TRUE(self->connect(self->address(), soon()).value()->call({{"service", "s"}}, {}, soon()));
}

TEST_P(EndpointWaysTest, NoHandlerRunsAfterWithdrawReturned) {
    const auto self = endpoint();
    for (int round = 0; round < 20; ++round) {
        auto alive = std::make_unique<std::atomic<bool>>(true);
        ASSERT_TRUE(self->offer("s", [target = alive.get()](const auto& link, Packet packet) {
            EXPECT_TRUE(target->load());
            std::this_thread::sleep_for(std::chrono::microseconds(500));
            EXPECT_TRUE(target->load());
            static_cast<void>(link->reply(id_of(packet), Attributes{}));
        }));
        const auto link = self->connect(address_of(*self), soon()).value();
        std::thread calling([&] { static_cast<void>(link->call({{"service", "s"}}, {}, soon())); });
        std::this_thread::sleep_for(std::chrono::microseconds(200 * (round % 5)));
        self->withdraw("s");
        *alive = false;
        alive.reset();
        calling.join();
    }
}

TEST_P(EndpointWaysTest, HandlerMayWithdrawItself) {
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", [&](const auto& link, Packet packet) {
        self->withdraw("s");
        static_cast<void>(link->reply(id_of(packet), Attributes{}));
    }));
    const auto link = self->connect(address_of(*self), soon()).value();
    EXPECT_TRUE(link->call({{"service", "s"}}, {}, soon()));
    EXPECT_FALSE(link->call({{"service", "s"}}, {}, soon()));
}

TEST_P(EndpointWaysTest, ThreadsThatConnectAtOnceShareALink) {
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", echo()));
    std::vector<std::shared_ptr<Link>> links(8);
    std::vector<std::thread> threads;
    for (auto& link : links) {
        threads.emplace_back([&] {
            link = self->connect(address_of(*self), soon()).value();
            EXPECT_TRUE(link->call({{"service", "s"}}, {}, soon()));
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const auto& link : links) {
        EXPECT_EQ(link, links.front());
    }
}

TEST_P(EndpointWaysTest, MayEndWhileCallsAreInFlight) {
    for (int round = 0; round < 10; ++round) {
        auto self = endpoint();
        ASSERT_TRUE(self->offer("s", [](const auto& /*link*/, Packet /*packet*/) {}));
        auto link = self->connect(address_of(*self), soon()).value();
        std::thread calling([link] {
            const auto answer = link->call({{"service", "s"}}, {}, Deadline(Seconds(0.02)));
            EXPECT_FALSE(answer);
        });
        link.reset();
        self.reset();
        calling.join();
    }
}

TEST_P(EndpointWaysTest, DeathOfThePeerWakesItsCallers) {
    const Signal offered;
    ChildProcess child([&] {
        const auto self = endpoint();
        EXPECT_TRUE(self->offer("s", [](const auto& /*link*/, Packet /*packet*/) { ::raise(SIGKILL); }));
        say_address(*self);
        offered.give();
        ::pause();
        return 0;
    });
    offered.await();
    const auto self = endpoint();
    const auto link = self->connect(address_of_child(), soon()).value();
    EXPECT_EQ(link->peer().pid, child.pid());
    const auto answer = link->call({{"service", "s"}}, {}, soon());
    EXPECT_EQ(answer.error().code, ErrorCode::peer_lost);
    EXPECT_NE(answer.error().message.find(std::to_string(child.pid())), std::string::npos) << answer.error().message;
}

TEST_F(EndpointTest, PeerOfAnotherProtocolVersionIsRefused) {
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", echo()));
    const auto socket = os::connect_to(directory(), self->socket_name()).value();
    const auto frame = encode_frame({{"id", 1}, {"protocol", 999}, {"program", "future"}, {"host", "h"}}, 0).value();
    ASSERT_EQ(::write(socket.get(), frame.data(), frame.size()), static_cast<ssize_t>(frame.size()));
    FrameDecoder decoder;
    std::optional<Packet> packet;
    while (!packet) {
        std::array<std::byte, 4096> buffer{};
        auto received = os::receive_some(socket, buffer).value();
        ASSERT_TRUE(received.open);
        decoder.feed(std::span(buffer).first(received.bytes), {});
        packet = decoder.next().value();
    }
    EXPECT_EQ(find(packet->body, "error")->as_int(), static_cast<int>(ErrorCode::protocol));
}

/// Descriptors of this process that are open.
std::int64_t open_descriptors() { return static_cast<std::int64_t>(os::list_directory("/proc/self/fd").size()); }

TEST_P(EndpointWaysTest, EveryDescriptorIsCounted) {
    const std::int64_t open_before = open_descriptors();
    const std::int64_t counted_before = usage().descriptors;
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", echo()));
    const auto link = self->connect(address_of(*self), soon()).value();
    ASSERT_TRUE(link->call({{"service", "s"}}, {}, soon()));
    EXPECT_EQ(open_descriptors() - open_before, usage().descriptors - counted_before);
    EXPECT_EQ(usage().connections, 2) << "this process is at both ends";
}

/// A process that offers "s" and may hold that many connections.
class FullHouse {
  public:
    FullHouse(const std::string& directory, std::int64_t connections, std::string name = "house")
        : directory_(directory), name_(std::move(name)), child_([&, connections] {
              set_limits({.connections = connections});
              const auto self = Endpoint::shared(directory).value();
              EXPECT_TRUE(self->offer("s", [](const auto& link, Packet packet) {
                  static_cast<void>(link->reply(id_of(packet), Attributes{}));
              }));
              EXPECT_TRUE(
                  Directory(directory).publish(own_entry(Kind::server, name_, self->addresses(), self->self())));
              offered_.give();
              done_.await();
              return 0;
          }) {
        offered_.await();
    }
    /// The last one that it has.
    [[nodiscard]] Address address() const {
        return Directory(directory_).find(Kind::server, name_).value()->addresses.back();
    }
    [[nodiscard]] int pid() const { return child_.pid(); }
    int end() {
        done_.give();
        return child_.wait();
    }

  private:
    std::string directory_, name_;
    Signal offered_, done_;
    ChildProcess child_;
};

/// A guest that is another process: this one has one link a process.
std::unique_ptr<ChildProcess> stay(const std::string& directory, const FullHouse& house, const Signal& there,
                                   const Signal& leave) {
    return std::make_unique<ChildProcess>([&] {
        const auto self = Endpoint::shared(directory).value();
        const auto link = self->connect(house.address(), soon()).value();
        there.give();
        leave.await();
        return 0;
    });
}

TEST_P(EndpointWaysTest, ProcessThatTakesNoMoreConnectionsSaysSo) {
    FullHouse house(directory(), 1);
    const Signal there;
    const Signal leave;
    const auto guest = stay(directory(), house, there, leave);
    there.await();
    const auto refused = endpoint()->connect(house.address(), Deadline(Seconds(0.2)));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
    for (const std::string& word :
         {std::string("takes no more connections"), std::string("`connections`"),
          is_by_socket() ? "pid " + std::to_string(house.pid()) : to_string(house.address())}) {
        EXPECT_NE(refused.error().message.find(word), std::string::npos) << refused.error().message;
    }
    leave.give();
    EXPECT_EQ(guest->wait(), 0);
    EXPECT_EQ(house.end(), 0);
}

TEST_P(EndpointWaysTest, ConnectingWaitsForAnotherToLeave) {
    FullHouse house(directory(), 1);
    const Signal there;
    const Signal leave;
    const auto guest = stay(directory(), house, there, leave);
    there.await();
    std::thread sending_away([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        leave.give();
    });
    {
        const auto self = endpoint();
        const auto link = self->connect(house.address(), soon());
        ASSERT_TRUE(link) << link.error().message;
        const auto answer = (*link)->call({{"service", "s"}}, {}, soon());
        EXPECT_TRUE(answer) << answer.error().message;
    }
    sending_away.join();
    EXPECT_EQ(guest->wait(), 0);
    EXPECT_EQ(house.end(), 0);
}

TEST_P(EndpointWaysTest, OwnLimitOfConnectionsIsWaitedForAndNamed) {
    FullHouse first(directory(), 10);
    FullHouse second(directory(), 10, "another");
    set_limits({.connections = 1});
    const auto self = endpoint();
    auto link = self->connect(first.address(), soon()).value();
    EXPECT_EQ(self->connect(first.address(), soon()).value(), link) << "a link that is there takes no room";
    const auto refused = self->connect(second.address(), Deadline(Seconds(0.05)));
    EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
    EXPECT_NE(refused.error().message.find("waited 0.05 s"), std::string::npos) << refused.error().message;
    std::thread leaving([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        link.reset();
    });
    EXPECT_TRUE(self->connect(second.address(), soon()));
    leaving.join();
    set_limits({});
    EXPECT_EQ(first.end(), 0);
    EXPECT_EQ(second.end(), 0);
}

TEST_F(EndpointTest, WrongLimitsInTheEnvironmentAreNamedWhereItIsOpened) {
    const testing::EnvironmentVariable limits("STAITHE_LIMITS", "{\"memory\": \"lots\"}");
    EXPECT_EQ(Endpoint::shared(directory()).error().code, ErrorCode::invalid_argument);
}

TEST_F(EndpointTest, ForkedChildHasAnEndpointOfItsOwnAndLeavesItsParentsAlone) {
    if (!testing::forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    auto self = endpoint();
    ASSERT_TRUE(self->offer("s", echo()));
    auto link = self->connect(self->address(), soon()).value();
    const pid_t child = ::fork();  // with all threads running
    if (child == 0) {
        bool good = true;
        {
            const auto own = endpoint();
            good = own != self && own->offer("s", echo()) && own->socket_name() != self->socket_name() &&
                   own->connect(self->address(), soon()).value()->call({{"service", "s"}, {"x", 1}}, {}, soon());
        }
        link.reset();
        self.reset();
        ::_exit(good ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(link->call({{"service", "s"}}, {}, soon()));
    EXPECT_EQ(os::list_directory(directory()), std::vector<std::string>{self->socket_name()});
}

TEST_P(EndpointWaysTest, StrangersThatTalkNonsenseHarmNobody) {
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", echo()));
    const auto link = self->connect(address_of(*self), soon()).value();
    for (const char* nonsense : {"", "x", "GET / HTTP/1.1\r\n\r\n", "STH1 but then nothing that makes sense"}) {
        const auto socket = testing::connect_to(directory(), address_of(*self));
        static_cast<void>(os::send_some(socket, std::as_bytes(std::span(std::string_view(nonsense))), {}));
    }
    EXPECT_TRUE(link->call({{"service", "s"}}, {}, soon()));
}

}  // namespace
}  // namespace staithe::transport
