// Looking for what other processes have: asking where they listen, and listening to those that tell.
#include "transport/directory/search.hpp"

#include <atomic>
#include <thread>

#include <gmock/gmock.h>

#include "os/socket.hpp"
#include "os/tcp.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"
#include "transport/directory/announcement.hpp"
#include "transport/directory/directory.hpp"
#include "transport/directory/inquiry.hpp"

namespace staithe::transport {
namespace {

using ::testing::HasSubstr;

base::Deadline within(double seconds) { return base::Deadline(base::Seconds(seconds)); }

/// This process and a child of it, which have the same key and each a run directory of its own.
class SearchTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::shared_ptr<Endpoint> endpoint() const { return Endpoint::shared(here_.path()).value(); }
    [[nodiscard]] Search search(const std::string& addresses, const std::string& name = "melt") const {
        return {here_.path(), endpoint(), Kind::stream, name, {parse_places(addresses).value(), true}};
    }
    [[nodiscard]] std::string elsewhere() const { return elsewhere_.path(); }
    [[nodiscard]] static std::string free_port() {
        return fmt::format("127.0.0.1:{}", os::port_of(os::listen_at_port("127.0.0.1", 0).value()).value());
    }
    template <class Condition>
    static bool soon(const Condition& condition) {
        const auto deadline = within(10);
        while (!condition()) {
            if (deadline.passed()) {
                return false;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return true;
    }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory here_, elsewhere_;
    const std::shared_ptr<const Key> key_ = Key::of_run_directory(here_.path(), Key::IfMissing::make).value();
    const std::string file_ = here_ / "key";
    const testing::EnvironmentVariable shared_{"STAITHE_KEY_FILE", file_.c_str()};
};

/// In the child: has a stream, and listens.
int offer_and_sleep(const std::string& run_directory, const std::string& place) {
    const auto self = Endpoint::shared(run_directory).value();
    const auto answer = [](const auto& link, const Packet& packet) {
        static_cast<void>(link->reply(packet.id(), Attributes{{"said", "it is me"}}));
    };
    if (!self->offer("melt", answer, place) ||
        !Directory(run_directory).publish(own_entry(Kind::stream, "melt", self->addresses(), self->self()))) {
        return 1;
    }
    return ::pause();
}

TEST_F(SearchTest, ProcessAtAnAddressTellsWhatItHas) {
    const std::string place = free_port();
    testing::ChildProcess child([&] { return offer_and_sleep(elsewhere(), place); });
    auto melt = search(place);
    std::optional<Entry> found;
    ASSERT_TRUE(soon([&] {
        found = melt.look(within(5)).value();
        return found.has_value();
    }));
    EXPECT_EQ(melt.trouble(), "");
    EXPECT_EQ(found->peer.pid, child.pid());
    EXPECT_THAT(found->told_by, HasSubstr(fmt::format("pid {}", child.pid())));
    const auto link = reach(*endpoint(), *found, within(5)).value();
    EXPECT_EQ(text_of(link->call({{"service", "melt"}}, {}, within(5)).value().body, "said"), "it is me");
    EXPECT_EQ(search(place, "another").look(within(5)).value(), std::nullopt);
    EXPECT_EQ(search(place).list(within(5)).value().size(), 1U);
    auto nobody = search("127.0.0.1:1");
    EXPECT_EQ(nobody.look(within(5)).value(), std::nullopt);
    EXPECT_THAT(nobody.trouble(), HasSubstr("nobody listens at 127.0.0.1:1"));
}

TEST_F(SearchTest, LookForWhichNoTimeWasLeftHidesNoTrouble) {
    auto nobody = search("localhost:1");
    ASSERT_EQ(nobody.look(within(5)).value(), std::nullopt);
    const std::string trouble = nobody.trouble();
    EXPECT_THAT(trouble, HasSubstr("nobody listens"));
    std::this_thread::sleep_for(std::chrono::milliseconds(250));  // else it does not try again
    ASSERT_EQ(nobody.look(within(0)).value(), std::nullopt);
    EXPECT_EQ(nobody.trouble(), trouble);
}

TEST_F(SearchTest, WhatIsSaidOfThingsIsNotTrusted) {
    const auto self = endpoint();
    ASSERT_TRUE(self->offer("s", nullptr, "127.0.0.1:0"));
    const auto link = self->connect(self->addresses().at(1), within(5)).value();
    const auto failure_of = [&](Attributes body) {
        body["service"] = inquiry_service;
        const auto answer = link->call(std::move(body), {}, within(5));
        return answer ? base::Failure{} : answer.error();
    };
    EXPECT_EQ(failure_of({}).code, ErrorCode::protocol);
    EXPECT_EQ(failure_of({{"type", "find"}, {"kind", "fish"}}).code, ErrorCode::protocol);
    EXPECT_EQ(failure_of({{"type", "find"}, {"kind", "stream"}, {"name", "../key"}}).code, ErrorCode::invalid_argument);
    EXPECT_EQ(failure_of({{"type", "offer"}, {"kind", "stream"}, {"name", "melt"}, {"entry", "{}"}}).code,
              ErrorCode::protocol);
    Entry anothers = own_entry(Kind::stream, "melt", {self->address()}, self->self());
    anothers.process.start_time += 1;
    const auto failure =
        failure_of({{"type", "offer"}, {"kind", "stream"}, {"name", "melt"}, {"entry", to_json(anothers)}});
    EXPECT_EQ(failure.code, ErrorCode::protocol);
    EXPECT_THAT(failure.message, HasSubstr("in the name of another process"));
    EXPECT_EQ(self->heard().find(Kind::stream, "melt"), std::nullopt);
}

/// In the child: cannot be connected to, and tells who listens there that it has a stream.
int announce_and_sleep(const std::string& run_directory, const std::string& place) {
    const auto self = Endpoint::shared(run_directory).value();
    std::shared_ptr<void> taking;
    const auto answer = [&](const auto& link, const Packet& packet) {
        taking = self->take_connections(*link, "bytes",
                                        [](os::FileDescriptor socket) {
                                            const std::array<std::byte, 3> bytes{};
                                            static_cast<void>(os::send_some(socket, bytes, {}));
                                        })
                     .value();
        static_cast<void>(link->reply(packet.id(), Attributes{{"said", "it is me"}}));
    };
    if (!self->offer("melt", answer, "off")) {
        return 1;
    }
    const auto announcement = Announcement::start(
        self, own_entry(Kind::stream, "melt", self->addresses(), self->self()), parse_places(place).value());
    return announcement ? ::pause() : 1;
}

TEST_F(SearchTest, WhoCannotBeConnectedToConnectsAndTells) {
    const std::string place = free_port();
    testing::ChildProcess child([&] { return announce_and_sleep(elsewhere(), place); });
    std::this_thread::sleep_for(std::chrono::milliseconds(200));  // it tries more than once
    const auto self = endpoint();
    const auto listening = self->keep_listening(place).value();
    ASSERT_TRUE(soon([&] { return self->heard().find(Kind::stream, "melt").has_value(); }));
    auto melt = search("127.0.0.1:1");
    const auto found = melt.look(within(5)).value();
    ASSERT_TRUE(found);
    EXPECT_TRUE(found->ports().empty());
    const auto link = reach(*self, *found, within(5)).value();
    EXPECT_FALSE(link->has_called());
    EXPECT_EQ(self->connect_further(*link, "bytes", within(5)).error().code, ErrorCode::not_found) << "awaits none yet";
    EXPECT_EQ(text_of(link->call({{"service", "melt"}}, {}, within(5)).value().body, "said"), "it is me");
    const auto further = self->connect_further(*link, "bytes", within(5)).value();
    std::array<std::byte, 8> bytes{};
    std::size_t came = 0;
    ASSERT_TRUE(soon([&] {
        came += os::receive_some(further, bytes).value().bytes;
        return came == 3;
    }));
    child.kill();
    EXPECT_TRUE(soon([&] { return !self->heard().find(Kind::stream, "melt"); }));
}

}  // namespace
}  // namespace staithe::transport
