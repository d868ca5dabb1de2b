// Endpoints as processes of other hosts reach them: at ports, with a key.
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "os/files.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"
#include "transport/approach.hpp"
#include "transport/directory/directory.hpp"
#include "transport/directory/inquiry.hpp"
#include "transport/endpoint.hpp"
#include "unit/transport/raw_socket.hpp"

namespace staithe::transport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::RawSocket;

base::Deadline patiently() { return base::Deadline(base::Seconds(20)); }

/// This process listens at a port, in a run directory that was chosen, and has its key.
class EndpointPortsTest : public ::testing::Test {
  protected:
    [[nodiscard]] const std::string& directory() const { return directory_.path(); }
    [[nodiscard]] std::shared_ptr<Endpoint> endpoint() const { return Endpoint::shared(directory_.path()).value(); }
    [[nodiscard]] std::shared_ptr<Endpoint> listening_endpoint() const {
        auto self = endpoint();
        EXPECT_TRUE(self->listen_at("127.0.0.1:0"));
        EXPECT_TRUE(self->offer("s", [](const auto& link, Packet packet) {
            const std::int64_t id = packet.id();
            packet.body.erase("id");
            static_cast<void>(link->reply(id, std::move(packet.body)));
        }));
        return self;
    }
    static Address::HostPort port_of(const Endpoint& endpoint) { return *endpoint.addresses().at(1).host_port(); }
    [[nodiscard]] std::shared_ptr<const Key> key() const {
        return Key::of_run_directory(directory_.path(), Key::IfMissing::leave).value();
    }
    [[nodiscard]] std::shared_ptr<const Key> another_key() const {
        const testing::TemporaryDirectory other;
        return Key::of_run_directory(other.path(), Key::IfMissing::make).value();
    }
    [[nodiscard]] static base::Result<Approached> approach_with(const std::shared_ptr<const Key>& key,
                                                                const Endpoint& endpoint) {
        for (;;) {
            bool takes_nobody = false;
            auto approached = approach({{port_of(endpoint)}, "somebody", ""}, key, patiently(), takes_nobody);
            if (!takes_nobody) {
                return approached;
            }
        }
    }
    [[nodiscard]] RawSocket stranger(const Endpoint& endpoint) const {
        return RawSocket(testing::connect_to(directory_.path(), Address(port_of(endpoint))));
    }
    [[nodiscard]] bool answers(Endpoint& endpoint) const {
        const auto link = endpoint.connect(Address(port_of(endpoint)), patiently());
        return link && (*link)->call({{"service", "s"}}, {}, patiently());
    }
    [[nodiscard]] base::Failure failure_to_connect(const std::string& address, double seconds = 5.0) const {
        static_cast<void>(Key::of_run_directory(directory_.path(), Key::IfMissing::make).value());
        const auto link = endpoint()->connect(Address::parse(address).value(), base::Deadline(base::Seconds(seconds)));
        EXPECT_FALSE(link);
        return link ? base::Failure{} : link.error();
    }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory directory_;
    const testing::EnvironmentVariable chosen_{"STAITHE_RUN_DIR", directory_.path().c_str()};
};

TEST_F(EndpointPortsTest, AddressesAreItsSocketAndThenItsPorts) {
    const auto self = listening_endpoint();
    ASSERT_TRUE(self->listen_at("0.0.0.0:0"));
    const auto addresses = self->addresses();
    EXPECT_EQ(addresses.front(), self->address());
    EXPECT_EQ(addresses.back().host_port()->host, "127.0.0.1") << "loopback last";
    for (std::size_t i = 1; i < addresses.size(); ++i) {
        EXPECT_TRUE(self->connect(addresses[i], patiently())) << to_string(addresses[i]);
    }
}

TEST_F(EndpointPortsTest, ListensAtOnePlaceOnceAndAtSeveral) {
    const auto self = listening_endpoint();
    const auto first = port_of(*self);
    ASSERT_TRUE(self->listen_at("127.0.0.1:0"));
    EXPECT_EQ(self->addresses().size(), 2U);
    ASSERT_TRUE(self->listen_at(":0"));
    EXPECT_GT(self->addresses().size(), 2U);
    EXPECT_EQ(self->connect(Address(first), patiently()).value(),
              self->connect(self->addresses().back(), patiently()).value())
        << "one link a process, whichever address led to it";
}

TEST_F(EndpointPortsTest, PortGoesWithTheLastService) {
    const auto self = listening_endpoint();
    const auto port = port_of(*self);
    const auto link = self->connect(Address(port), patiently()).value();
    self->withdraw("s");
    EXPECT_EQ(self->addresses().size(), 1U);
    EXPECT_EQ(failure_to_connect(fmt::format("127.0.0.2:{}", port.port)).code, ErrorCode::not_found);
    EXPECT_TRUE(os::listen_at_port("127.0.0.1", port.port)) << "it is free again";
    EXPECT_EQ(link->call({{"service", "s"}}, {}, patiently()).error().code, ErrorCode::not_found);
}

TEST_F(EndpointPortsTest, PortStaysWhileSomebodyListensWhoOffersNothing) {
    const auto self = endpoint();
    auto listening = self->keep_listening("127.0.0.1:0").value();
    ASSERT_EQ(self->addresses().size(), 2U);
    const auto port = port_of(*self);
    ASSERT_TRUE(self->offer("s", nullptr, "off"));
    self->withdraw("s");
    EXPECT_EQ(port_of(*self), port);
    listening = nullptr;
    EXPECT_EQ(self->addresses().size(), 1U);
}

TEST_F(EndpointPortsTest, WhatIsChosenGoesBeforeTheEnvironment) {
    const testing::EnvironmentVariable asked("STAITHE_LISTEN", "127.0.0.1:0");
    ASSERT_TRUE(endpoint()->offer("silent", nullptr, "off"));
    EXPECT_EQ(endpoint()->keep_listening("off").value(), nullptr);
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", nullptr, "off"));
    EXPECT_EQ(self->addresses().size(), 1U);
    ASSERT_TRUE(self->offer("t", nullptr));
    EXPECT_EQ(self->addresses().size(), 2U);
}

TEST_F(EndpointPortsTest, TakenPortIsNamed) {
    const auto taken = os::listen_at_port("127.0.0.1", 0).value();
    const std::string place = fmt::format("127.0.0.1:{}", os::port_of(taken).value());
    const auto failed = endpoint()->listen_at(place);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().code, ErrorCode::already_exists);
    EXPECT_THAT(failed.error().message, AllOf(HasSubstr(place), HasSubstr("choose another")));
    const testing::EnvironmentVariable asked("STAITHE_LISTEN", place.c_str());
    EXPECT_EQ(endpoint()->offer("s", nullptr).error().code, ErrorCode::already_exists);
    EXPECT_EQ(endpoint()->keep_listening(place).error().code, ErrorCode::already_exists);
    EXPECT_EQ(endpoint()->keep_listening(std::nullopt).value(), nullptr) << "it is for one of all programs";
}

TEST_F(EndpointPortsTest, WhatIsNoPlaceToListenAtIsNamed) {
    for (const char* place : {"", "7700", "node7:7700", "127.0.0.1", "127.0.0.1:x", "::1:7700", "[]:1", ":65536"}) {
        const auto failed = endpoint()->listen_at(place);
        ASSERT_FALSE(failed) << place;
        EXPECT_EQ(failed.error().code, ErrorCode::invalid_argument);
        EXPECT_THAT(failed.error().message, HasSubstr("0.0.0.0:7700"));
    }
}

TEST_F(EndpointPortsTest, WithoutAKeyNoPortIsOpenedAndNobodyIsCalled) {
    const testing::EnvironmentVariable unset("STAITHE_RUN_DIR", nullptr);
    const auto self = endpoint();
    for (const auto& failed :
         {self->listen_at("127.0.0.1:0"),
          base::Result<>(base::fail(self->connect(Address::parse("127.0.0.1:1").value(), patiently())))}) {
        ASSERT_FALSE(failed);
        EXPECT_EQ(failed.error().code, ErrorCode::system);
        EXPECT_THAT(failed.error().message,
                    AllOf(HasSubstr("127.0.0.1:"), HasSubstr("STAITHE_KEY_FILE"), HasSubstr("STAITHE_RUN_DIR")));
    }
    EXPECT_TRUE(os::list_directory(directory()).empty()) << "no key is made for a directory that nobody chose";
}

TEST_F(EndpointPortsTest, ProcessesOfOneRunDirectoryNeedNoSetting) {
    const auto self = listening_endpoint();
    EXPECT_TRUE(os::is_there(directory() + "/key"));
    const auto link = self->connect(Address(port_of(*self)), patiently());
    ASSERT_TRUE(link) << link.error().message;
    EXPECT_EQ((*link)->peer().pid, ::getpid());
    EXPECT_EQ((*link)->peer().host, self->self().host);
    EXPECT_TRUE((*link)->is_between_hosts());
}

TEST_F(EndpointPortsTest, BothEndsHaveTheTokensOfTheirSession) {
    const auto self = endpoint();
    ASSERT_TRUE(self->listen_at("127.0.0.1:0"));
    ASSERT_TRUE(self->offer("tokens", [](const auto& link, const Packet& packet) {
        static_cast<void>(link->reply(packet.id(), Attributes{{"token", link->session_token("data").value()}}));
    }));
    const auto link = self->connect(Address(port_of(*self)), patiently()).value();
    const auto answer = link->call({{"service", "tokens"}}, {}, patiently()).value();
    EXPECT_EQ(text_of(answer.body, "token"), link->session_token("data").value());
    EXPECT_NE(text_of(answer.body, "token"), link->session_token("channel").value());
}

TEST_F(EndpointPortsTest, DescriptorsDoNotTravelAndNobodyWaitsForThem) {
    const auto self = endpoint();
    ASSERT_TRUE(self->listen_at("127.0.0.1:0"));
    ASSERT_TRUE(self->offer("memory", [](const auto& link, const Packet& packet) {
        static_cast<void>(link->reply(packet.id(), Attributes{}, std::vector{STDERR_FILENO}));
    }));
    const auto link = self->connect(Address(port_of(*self)), patiently()).value();
    for (const std::vector<int>& descriptors : {std::vector<int>{STDERR_FILENO}, {}}) {
        const auto answer = link->call({{"service", "memory"}}, descriptors, patiently());
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, ErrorCode::system);
        EXPECT_THAT(answer.error().message, HasSubstr("no memory can be shared"));
    }
    EXPECT_TRUE(link->is_open());
}

TEST_F(EndpointPortsTest, AnotherKeyIsRefusedAndTheRightOneServedAfterwards) {
    const auto self = listening_endpoint();
    const auto refused = approach_with(another_key(), *self);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::system);
    EXPECT_THAT(refused.error().message,
                AllOf(HasSubstr(to_string(Address(port_of(*self)))), HasSubstr("does not prove that it has the key")));
    EXPECT_TRUE(answers(*self));
}

TEST_F(EndpointPortsTest, NothingIsAnsweredBeforeTheProof) {
    const auto self = listening_endpoint();
    for (const Attributes& attempt : {
             Attributes{{"id", 1}, {"service", "s"}},
             Attributes{{"id", 1}, {"protocol", 1}, {"program", "p"}, {"host", "h"}},
             Attributes{{"id", 1}, {"proof", std::string(64, '0')}},
             Attributes{{"id", 1}, {"challenge", std::string(64, '0')}},  // of nobody
         }) {
        RawSocket caller = stranger(*self);
        caller.say(attempt);
        const auto answer = caller.hear();
        ASSERT_TRUE(answer);
        EXPECT_NE(find(*answer, "refused"), nullptr);
        EXPECT_FALSE(caller.hear()) << "the connection ends";
    }
    EXPECT_TRUE(answers(*self));
}

TEST_F(EndpointPortsTest, WhoWaitsForTheRunDirectoryHoldsNobodyUp) {
    testing::ChildProcess child([&] {  // leaves what is removed under the lock
        EXPECT_TRUE(os::make_run_directory(directory(), os::Reach::user));
        const auto entry =
            own_entry(Kind::server, "gone", {Address(Address::SocketFile{"gone.socket"})}, {"p", "h", 1});
        return Directory(directory()).publish(entry) ? 0 : 1;
    });
    ASSERT_EQ(child.wait(), 0);
    const auto self = listening_endpoint();
    const auto link = self->connect(Address(port_of(*self)), patiently()).value();
    auto locked = os::lock_directory(directory(), patiently()).value();
    std::atomic<bool> has_looked{false};
    std::thread looking([&] {
        EXPECT_FALSE(ask_for(*link, Kind::server, "gone", patiently()).value_or(std::nullopt));
        has_looked = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    EXPECT_TRUE(link->call({{"service", "s"}}, {}, patiently()));
    EXPECT_FALSE(has_looked);
    locked = os::FileDescriptor();
    looking.join();
}

TEST_F(EndpointPortsTest, StrangersThatHaveBegunKeepNobodyOut) {
    const auto self = listening_endpoint();
    const Visitor visitor(another_key(), {"somebody", ""});
    Attributes challenge = visitor.challenge();
    challenge["id"] = 1;
    std::vector<std::unique_ptr<RawSocket>> strangers;
    for (int i = 0; i < 100; ++i) {
        strangers.push_back(std::make_unique<RawSocket>(stranger(*self)));
        strangers.back()->say(challenge);
        EXPECT_EQ(find(strangers.back()->hear().value(), "refused"), nullptr) << i;
    }
    EXPECT_TRUE(answers(*self));
    EXPECT_THAT(text_of(strangers.front()->hear().value(), "message"), HasSubstr("have not proved yet"));
}

TEST_F(EndpointPortsTest, ProofsThatWereRecordedOpenNothing) {
    const auto self = listening_endpoint();
    Visitor visitor(key(), {"somebody", ""});
    const auto with_id = [](Attributes message) {
        message["id"] = 1;
        return message;
    };
    RawSocket first = stranger(*self);
    first.say(with_id(visitor.challenge()));
    const Attributes proof = visitor.answer(first.hear().value()).value();
    first.say(with_id(proof));
    EXPECT_EQ(find(first.hear().value(), "refused"), nullptr);

    RawSocket replayed = stranger(*self);
    replayed.say(with_id(visitor.challenge()));
    ASSERT_TRUE(replayed.hear());
    replayed.say(with_id(proof));
    EXPECT_NE(find(replayed.hear().value(), "refused"), nullptr);
    EXPECT_TRUE(answers(*self));
}

/// Passes everything on between a caller and a listener; from the byte on, of what the caller says, it changes them.
class Relay {
  public:
    Relay(const Address::HostPort& to, std::size_t first_to_change)
        : to_(os::network_address(to.host, to.port).value()),
          first_to_change_(first_to_change),
          thread_([this] { run(); }) {}
    ~Relay() {
        done_ = true;
        thread_.join();
    }
    Relay(const Relay&) = delete;
    Relay& operator=(const Relay&) = delete;
    [[nodiscard]] Address address() const {
        return Address(Address::HostPort{"127.0.0.1", os::port_of(listener_).value()});
    }

  private:
    static base::Deadline shortly() { return base::Deadline(base::Seconds(0.01)); }
    void run() {
        while (!done_ && os::poll({{listener_.get()}}, shortly()) == 0) {
        }
        const auto caller = os::accept_from(listener_);
        if (!caller) {
            return;
        }
        const auto listener = os::begin_connecting(to_).value();
        os::poll({{listener.get(), true, false}}, patiently());
        std::size_t passed = 0;
        while (!done_ && pass_on(*caller, listener, &passed) && pass_on(listener, *caller, nullptr)) {
            os::poll({{caller->get()}, {listener.get()}}, shortly());
        }
    }
    bool pass_on(const os::FileDescriptor& from, const os::FileDescriptor& to, std::size_t* passed) const {
        std::array<std::byte, 4096> buffer{};
        const auto received = os::receive_some(from, buffer);
        if (!received || !received->open) {
            return false;
        }
        for (std::size_t i = 0; passed != nullptr && i < received->bytes; ++i) {
            buffer.at(i) ^= (*passed)++ >= first_to_change_ ? std::byte{1} : std::byte{0};
        }
        return os::send_some(to, std::span(buffer).first(received->bytes), {}).has_value();
    }

    const os::NetworkAddress to_;
    const std::size_t first_to_change_;
    const os::FileDescriptor listener_ = os::listen_at_port("127.0.0.1", 0).value();
    std::atomic<bool> done_{false};
    std::thread thread_;
};

TEST_F(EndpointPortsTest, WhoStandsBetweenCanPassOnButChangeNothing) {
    const auto self = listening_endpoint();
    {
        const Relay cable(port_of(*self), SIZE_MAX);
        const auto link = self->connect(cable.address(), patiently());
        ASSERT_TRUE(link) << link.error().message;
        EXPECT_TRUE((*link)->call({{"service", "s"}}, {}, patiently()));
    }
    const Relay thief(port_of(*self), 2000);
    const auto link = self->connect(thief.address(), patiently());
    ASSERT_TRUE(link) << link.error().message;
    const auto answer = (*link)->call({{"service", "s"}, {"text", std::string(3000, 'x')}}, {}, patiently());
    ASSERT_FALSE(answer);
    EXPECT_THAT(answer.error().code, ::testing::AnyOf(ErrorCode::protocol, ErrorCode::peer_lost));
    EXPECT_TRUE(answers(*self));
}

TEST_F(EndpointPortsTest, FloodOfSilentConnectionsStarvesNobody) {
    const auto self = listening_endpoint();
    std::vector<os::FileDescriptor> flood;
    const auto number = os::network_address("127.0.0.1", port_of(*self).port).value();
    for (int i = 0; i < 10'000; ++i) {
        auto socket = os::begin_connecting(number);
        if (!socket) {
            ASSERT_EQ(socket.error().code, ErrorCode::limit_reached) << socket.error().message;
            flood.resize(flood.size() - 100);
            break;
        }
        flood.push_back(*std::move(socket));
        if (i % 1000 == 500) {
            const auto let_in = approach_with(key(), *self);
            EXPECT_TRUE(let_in) << let_in.error().message;
        }
    }
    EXPECT_TRUE(answers(*self));
}

TEST_F(EndpointPortsTest, NobodyWhoListensIsNamed) {
    const auto failure = failure_to_connect("127.0.0.1:1");
    EXPECT_EQ(failure.code, ErrorCode::not_found);
    EXPECT_THAT(failure.message, AllOf(HasSubstr("nobody listens at 127.0.0.1:1"), HasSubstr("STAITHE_LISTEN")));
}

TEST_F(EndpointPortsTest, NameThatNoHostHasIsNamed) {
    // The only name that needs no name server to be wrong.
    const auto failure = failure_to_connect(std::string(63, 'x') + "." + std::string(63, 'x') + ".invalid:7000", 2.0);
    EXPECT_THAT(failure.message, HasSubstr("xxx.invalid'"));
}

TEST_F(EndpointPortsTest, SilenceEndsAtTheDeadline) {
    const auto silent = os::listen_at_port("127.0.0.1", 0).value();
    const auto failure = failure_to_connect(fmt::format("127.0.0.1:{}", os::port_of(silent).value()), 0.2);
    EXPECT_EQ(failure.code, ErrorCode::timeout);
    EXPECT_THAT(failure.message,
                AllOf(HasSubstr(fmt::format("127.0.0.1:{} did not answer within 0.2 s", os::port_of(silent).value())),
                      HasSubstr("firewall")));
}

TEST_F(EndpointPortsTest, WhatAnswersOtherwiseIsNoStaithe) {
    const auto other = os::listen_at_port("127.0.0.1", 0).value();
    std::thread answering([&] {
        os::poll({{other.get()}}, patiently());
        const auto socket = os::accept_from(other).value();
        const std::string_view text = "SSH-2.0-OpenSSH_9.2p1 Debian\r\n";
        static_cast<void>(os::send_some(socket, std::as_bytes(std::span(text)), {}));
        os::poll({{socket.get()}}, patiently());
    });
    const auto failure = failure_to_connect(fmt::format("127.0.0.1:{}", os::port_of(other).value()));
    answering.join();
    EXPECT_EQ(failure.code, ErrorCode::protocol);
    EXPECT_THAT(failure.message, HasSubstr("is no process of this version of Staithe"));
}

TEST_F(EndpointPortsTest, FirstAddressThatIsItsOwnWins) {
    const auto self = listening_endpoint();
    const auto silent = os::listen_at_port("127.0.0.1", 0).value();
    const std::vector<Address::HostPort> addresses{
        {"127.0.0.1", os::port_of(silent).value()}, {"127.0.0.1", 1}, {"localhost", port_of(*self).port}};
    const auto link = self->connect(os::this_process(), addresses, patiently());
    ASSERT_TRUE(link) << link.error().message;
    EXPECT_TRUE((*link)->call({{"service", "s"}}, {}, patiently()));
    os::ProcessIdentity other = os::this_process();
    ++other.pid;
    const auto failed = self->connect(other, {port_of(*self)}, patiently());
    ASSERT_FALSE(failed);
    EXPECT_THAT(failed.error().message, HasSubstr("another process answers there"));
}

TEST_F(EndpointPortsTest, IdleLinksHearFromEachOther) {
    const auto self = listening_endpoint();
    const auto approached = approach_with(key(), *self).value();
    RawSocket caller(approached.socket.duplicate().value());
    caller.decoder().expect_seals(approached.visitor.session()->seal_of(Role::listener));
    for (int i = 0; i < 2; ++i) {
        const auto heard = caller.hear();
        ASSERT_TRUE(heard);
        EXPECT_NE(find(*heard, heartbeat_field), nullptr);
    }
}

TEST_F(EndpointPortsTest, PeerOfAnotherProtocolVersionIsRefused) {
    const auto self = listening_endpoint();
    const auto approached = approach_with(key(), *self).value();
    RawSocket caller(approached.socket.duplicate().value());
    caller.decoder().expect_seals(approached.visitor.session()->seal_of(Role::listener));
    auto frame =
        encode_frame({{"id", 1}, {"protocol", 0}, {"program", "old"}, {"host", "elsewhere"}, {"pid", 7}}, 0).value();
    const auto seal = approached.visitor.session()->seal_of(Role::caller).of(frame);
    frame.insert(frame.end(), seal.begin(), seal.end());
    EXPECT_EQ(os::send_some(caller.socket(), frame, {}), frame.size());
    const auto answer = caller.hear();
    ASSERT_TRUE(answer);
    EXPECT_THAT(text_of(*answer, "message"), AllOf(HasSubstr("old (pid 7 on elsewhere)"), HasSubstr("one version")));
}

/// Of the only interface of a network namespace.
void set_loopback(bool up) {
    const os::FileDescriptor socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    std::strcpy(request.ifr_name, "lo");
    request.ifr_flags = static_cast<short>(up ? IFF_UP | IFF_RUNNING : 0);
    ASSERT_EQ(::ioctl(socket.get(), SIOCSIFFLAGS, &request), 0);
}

TEST_F(EndpointPortsTest, HostThatIsCutOffIsLostInFiveSeconds) {
    if (::geteuid() != 0) {
        GTEST_SKIP() << "a network of its own takes root";
    }
    testing::ChildProcess child([&] {
        if (::unshare(CLONE_NEWNET) != 0) {
            return 77;
        }
        set_loopback(true);
        const auto self = listening_endpoint();
        const auto link = self->connect(Address(port_of(*self)), patiently()).value();
        std::this_thread::sleep_for(std::chrono::milliseconds(1500));
        EXPECT_TRUE(link->is_open());
        const auto cut = base::Clock::now();
        set_loopback(false);  // nothing is said by either end, and nothing arrives
        const auto answer = link->call({{"service", "s"}}, {}, patiently());
        EXPECT_FALSE(answer);
        EXPECT_EQ(answer.error().code, ErrorCode::peer_lost);
        EXPECT_THAT(answer.error().message, HasSubstr("host has not answered for 5 s"));
        EXPECT_GT(base::Clock::now() - cut, std::chrono::seconds(3));
        return 0;
    });
    const int status = child.wait();
    if (status == 77) {
        GTEST_SKIP() << "no network namespaces here";
    }
    EXPECT_EQ(status, 0);
}

TEST_F(EndpointPortsTest, StoppedProcessIsReportedAndGoesOn) {
    testing::ChildProcess child([&] {
        const auto self = listening_endpoint();
        EXPECT_TRUE(Directory(directory()).publish(own_entry(Kind::server, "child", self->addresses(), self->self())));
        ::pause();
        return 0;
    });
    std::optional<Entry> entry;
    while (!entry) {
        entry = Directory(directory()).find(Kind::server, "child").value();
    }
    const auto self = endpoint();
    const auto link = self->connect(entry->addresses.at(1), patiently()).value();
    ::testing::internal::CaptureStderr();
    child.signal(SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(6500));
    EXPECT_TRUE(link->is_open());
    child.signal(SIGCONT);
    EXPECT_TRUE(link->call({{"service", "s"}}, {}, patiently()));
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    const std::string log = ::testing::internal::GetCapturedStderr();
    EXPECT_THAT(log, AllOf(HasSubstr(fmt::format("(pid {} on ", child.pid())), HasSubstr("said nothing for 5 s"),
                           HasSubstr("goes on")));
}

}  // namespace
}  // namespace staithe::transport
