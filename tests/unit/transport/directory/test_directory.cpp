#include "transport/directory/directory.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "support/child_process.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"
#include "transport/endpoint.hpp"

namespace staithe::transport {
namespace {

using testing::ChildProcess;

Address socket_file(const std::string& name) { return Address(Address::SocketFile{name}); }

class DirectoryTest : public ::testing::Test {
  protected:
    [[nodiscard]] const std::string& path() const { return folder_.path(); }
    [[nodiscard]] std::string file() const { return folder_ / "melt.stream.contact"; }

    void leave(const std::string& content) const { std::ofstream(file()) << content; }
    [[nodiscard]] bool is_there() const { return std::ifstream(file()).good(); }
    [[nodiscard]] base::Result<std::optional<Entry>> find() const { return directory_.find(Kind::stream, "melt"); }

    [[nodiscard]] static Entry of_this_process(Kind kind = Kind::stream) {
        return own_entry(kind, "melt", {socket_file("here.socket")}, {"here", os::host_name(), os::process_id()});
    }
    [[nodiscard]] static Entry of(const os::ProcessIdentity& process, const std::string& host = os::host_name()) {
        Entry entry = of_this_process();
        entry.addresses = {socket_file(to_string(process) + ".socket")};
        entry.process = process;
        entry.peer = {"sim", host, process.pid};
        return entry;
    }
    [[nodiscard]] static Entry of_dead_process() {
        ChildProcess child([] { return ::pause(); });
        const os::ProcessIdentity process = os::identity_of(child.pid()).value();
        child.kill();
        return of(process);
    }
    /// Of a process whose pid nobody has here.
    [[nodiscard]] static Entry of_another_host() {
        Entry entry = of({"00000001", os::this_process().pid_namespace, 4'194'305, 99}, "faraway");
        entry.machine = "another";
        return entry;
    }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory folder_;

  protected:
    const Directory directory_{folder_.path()};
};

TEST_F(DirectoryTest, WhatIsPublishedIsFound) {
    Entry entry = of_this_process();
    entry.peer.version = "1.2";
    ASSERT_TRUE(directory_.publish(entry));
    const auto found = find();
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->title(), "stream 'melt'");
    EXPECT_EQ((*found)->addresses, entry.addresses);
    EXPECT_EQ((*found)->peer.program, "here");
    EXPECT_EQ((*found)->peer.host, os::host_name());
    EXPECT_EQ((*found)->peer.pid, os::process_id());
    EXPECT_EQ((*found)->peer.version, "1.2");
    EXPECT_EQ((*found)->process, os::this_process());
    EXPECT_EQ((*found)->machine, entry.machine);
    EXPECT_EQ((*found)->life, os::Life::alive);
    directory_.withdraw(Kind::stream, "melt");
    EXPECT_FALSE(find().value());
    EXPECT_TRUE(directory_.list(Kind::stream).empty());
}

TEST_F(DirectoryTest, NothingIsFoundWhereNothingIs) {
    EXPECT_FALSE(find().value());
    const Directory nowhere("/nowhere/at/all");
    EXPECT_FALSE(nowhere.find(Kind::stream, "melt").value());
    EXPECT_TRUE(nowhere.list(Kind::stream).empty());
}

TEST_F(DirectoryTest, EachKindHasNamesOfItsOwn) {
    for (const Kind kind : {Kind::stream, Kind::space, Kind::server, Kind::lease, Kind::device}) {
        ASSERT_TRUE(directory_.publish(of_this_process(kind)));
    }
    Entry other = of_this_process(Kind::space);
    other.name = "a.stream";
    ASSERT_TRUE(directory_.publish(other));
    EXPECT_THAT(os::list_directory(path()),
                ::testing::ElementsAre("a.stream.space.contact", "melt.device.contact", "melt.lease.contact",
                                       "melt.server.contact", "melt.space.contact", "melt.stream.contact"));
    ASSERT_EQ(directory_.list(Kind::space).size(), 2U);
    EXPECT_EQ(directory_.list(Kind::space)[0].name, "a.stream");
    EXPECT_EQ(directory_.list(Kind::stream).size(), 1U);
    directory_.withdraw(Kind::space, "melt");
    EXPECT_FALSE(directory_.find(Kind::space, "melt").value());
    EXPECT_TRUE(find().value());
    EXPECT_EQ(directory_.publish(of_this_process(Kind::server)).error().message.substr(0, 26),
              "server 'melt' is held by h");
}

TEST_F(DirectoryTest, NamesArePartsOfNamesOfFiles) {
    for (const std::string& name : {std::string("melt"), std::string("a.b_c-7"), std::string(128, 'x')}) {
        EXPECT_TRUE(check_name(Kind::stream, name)) << name;
    }
    for (const std::string& name :
         {std::string(), std::string("a/b"), std::string(".a"), std::string("a b"), std::string(129, 'x')}) {
        const auto checked = check_name(Kind::space, name);
        ASSERT_FALSE(checked) << name;
        EXPECT_EQ(checked.error().code, ErrorCode::invalid_argument);
        EXPECT_NE(checked.error().message.find("is no space name"), std::string::npos);
    }
}

TEST_F(DirectoryTest, NameOfALiveWriterIsTaken) {
    ASSERT_TRUE(directory_.publish(of_this_process()));
    EXPECT_EQ(directory_.publish(of_this_process()).error().code, ErrorCode::already_exists);
}

TEST_F(DirectoryTest, WhatADeadProcessLeftIsRemoved) {
    ASSERT_TRUE(directory_.publish(of_dead_process()));
    ASSERT_TRUE(is_there());
    EXPECT_FALSE(find().value());
    EXPECT_FALSE(is_there());
    ASSERT_TRUE(directory_.publish(of_dead_process()));
    EXPECT_TRUE(directory_.publish(of_this_process()));
    EXPECT_EQ(find().value()->socket(), "here.socket");
}

TEST_F(DirectoryTest, ReusedPidIsAnotherProcess) {
    os::ProcessIdentity earlier = os::this_process();
    --earlier.start_time;
    ASSERT_TRUE(directory_.publish(of(earlier)));
    EXPECT_FALSE(find().value());
    EXPECT_FALSE(is_there());
}

TEST_F(DirectoryTest, ProcessThatListensNoMoreHasBecomeAnotherProgram) {
    ChildProcess sleeper([] { return ::pause(); });
    const Entry theirs = of(os::identity_of(sleeper.pid()).value());
    ASSERT_TRUE(directory_.publish(theirs));
    {
        const auto socket = os::listen_at(path(), theirs.socket());
        EXPECT_EQ(directory_.publish(of_this_process()).error().code, ErrorCode::already_exists);
    }
    EXPECT_TRUE(directory_.publish(of_this_process()));
}

TEST_F(DirectoryTest, ProcessOfAnotherHostIsNeverTakenForDead) {
    ASSERT_TRUE(directory_.publish(of_another_host()));
    const auto found = find();
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->life, os::Life::unknown);
    EXPECT_EQ(directory_.list(Kind::stream).size(), 1U);
    const auto published = directory_.publish(of_this_process());
    ASSERT_FALSE(published);
    EXPECT_EQ(published.error().code, ErrorCode::already_exists);
    EXPECT_THAT(published.error().message, ::testing::HasSubstr("sim (pid 4194305 on faraway)"));
    EXPECT_THAT(published.error().message, ::testing::HasSubstr("remove " + file()));
    EXPECT_TRUE(is_there());
}

TEST_F(DirectoryTest, BootingAHostEndsItsProcesses) {
    Entry of_earlier_boot = of_another_host();
    of_earlier_boot.peer.host = os::host_name();
    ASSERT_TRUE(directory_.publish(of_earlier_boot));
    EXPECT_EQ(find().value()->life, os::Life::unknown) << "hosts may be called alike";
    os::remove_file(file());
    if (own_machine().empty()) {
        GTEST_SKIP() << "this host has no /etc/machine-id";
    }
    of_earlier_boot.machine = own_machine();
    const std::string socket = path() + "/" + of_earlier_boot.socket();
    std::ofstream(socket) << "x";
    ASSERT_TRUE(directory_.publish(of_earlier_boot));
    EXPECT_FALSE(find().value());
    EXPECT_TRUE(os::list_directory(path()).empty()) << "its socket went, too";
}

TEST_F(DirectoryTest, SocketsTellOfProcessesInOtherPidNamespaces) {
    os::ProcessIdentity process = os::this_process();
    process.pid_namespace = 7;
    const Entry theirs = of(process);
    const std::string& socket = theirs.socket();
    {
        const auto listener = os::listen_at(path(), socket);
        ASSERT_TRUE(directory_.publish(theirs));
        EXPECT_EQ(find().value()->life, os::Life::alive);
        EXPECT_EQ(directory_.publish(of_this_process()).error().code, ErrorCode::already_exists);
    }
    EXPECT_FALSE(find().value()) << "nobody listens any more";
    EXPECT_TRUE(os::list_directory(path()).empty()) << "its socket went, too";
}

TEST_F(DirectoryTest, ContactLeadsToNoSocketOfAnother) {
    Entry theirs = of_dead_process();
    theirs.addresses = {socket_file("another.socket")};
    std::ofstream(path() + "/another.socket") << "x";
    ASSERT_TRUE(directory_.publish(theirs));
    EXPECT_FALSE(find().value());
    EXPECT_EQ(os::list_directory(path()), std::vector<std::string>{"another.socket"});
}

TEST_F(DirectoryTest, FilesOfDeadProcessesAreSweptByWhoeverLooks) {
    const os::ProcessIdentity dead = of_dead_process().process;
    const os::ProcessIdentity alive = os::this_process();
    os::ProcessIdentity of_same_pid = alive;
    --of_same_pid.start_time;
    const auto names = [](const os::ProcessIdentity& process) {
        return std::vector{fmt::format("{}.socket", to_string(process)),
                           fmt::format("melt.stream.contact.3.{}.new", to_string(process)),
                           fmt::format("melt.0.{}.waiting", to_string(process))};
    };
    const std::vector<std::string> others{"x.socket", ".socket", "3.socket", "3.x.socket", "4.5.new", "notes.txt"};
    std::vector<std::string> expected = others;
    for (const os::ProcessIdentity& process : {alive, of_another_host().process}) {
        const auto theirs = names(process);
        expected.insert(expected.end(), theirs.begin(), theirs.end());
    }
    for (const auto& files : {expected, names(dead), names(of_same_pid)}) {
        for (const std::string& name : files) {
            std::ofstream(path() + "/" + name) << "x";
        }
    }
    EXPECT_TRUE(directory_.list(Kind::stream).empty());
    EXPECT_THAT(os::list_directory(path()), ::testing::UnorderedElementsAreArray(expected));
    std::ofstream(path() + "/" + names(dead)[0]) << "x";
    ASSERT_TRUE(directory_.publish(of_this_process()));
    EXPECT_THAT(os::list_directory(path()), ::testing::Not(::testing::Contains(names(dead)[0])));
}

TEST_F(DirectoryTest, GarbageIsReportedAndLeftAlone) {
    const auto with = [](const std::string& field, const Value& value) {
        Attributes fields = *base::from_json(to_json(of_this_process()))->as_map();
        fields[field] = value;
        return base::to_json(fields);
    };
    for (const std::string& content :
         {std::string(), std::string("{"), std::string("[]"), std::string("42"), std::string("{\"format\": 3}"),
          std::string("\xff\xfe"), with("format", "2"), with("addresses", 1), with("addresses", List{}),
          with("addresses", List{5}), with("addresses", List{"../x.socket"}), with("addresses", "x.socket"),
          // The socket comes first, and once.
          with("addresses", List{"node7:7000"}), with("addresses", List{"x.socket", "y.socket"}),
          with("addresses", List{"x.socket", "node7:0"}), with("addresses", List(100, "x.socket")),
          // The socket of a dead process is removed: no other file may be named as one.
          with("addresses", List{"other.contact"}), with("kind", "space"), with("kind", Value()), with("pid", -1),
          with("pid", std::int64_t{1} << 32), with("start_time", 0), with("pid_namespace", -1), with("boot", 5),
          with("host", Value()), with("program", 1),
          // Another stream's file, copied.
          with("name", "other")}) {
        leave(content);
        const auto found = find();
        ASSERT_FALSE(found) << content;
        EXPECT_EQ(found.error().code, ErrorCode::protocol);
        EXPECT_EQ(directory_.publish(of_this_process()).error().code, ErrorCode::protocol);
        EXPECT_TRUE(directory_.list(Kind::stream).empty());
        EXPECT_TRUE(is_there());
    }
}

TEST_F(DirectoryTest, FileThatIsFarTooLargeIsGarbage) {
    leave(std::string(2 << 20, ' '));
    EXPECT_EQ(find().error().code, ErrorCode::protocol);
}

TEST_F(DirectoryTest, OtherVersionsFormatIsNamedAsSuch) {
    leave("{\"format\": 2, \"name\": \"melt\", \"address\": \"x.socket\"}");
    const auto found = find();
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::protocol);
    EXPECT_NE(found.error().message.find("version"), std::string::npos);
}

TEST_F(DirectoryTest, OneOfManyGetsTheName) {
    const Entry stale = of_dead_process();
    const Entry mine = of_this_process();
    for (int round = 0; round < 100; ++round) {
        if (round % 2 == 0) {
            ASSERT_TRUE(directory_.publish(stale));
        }
        std::atomic<int> waiting{4};
        std::atomic<int> winners{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                --waiting;
                while (waiting > 0) {
                }
                winners += directory_.publish(mine) ? 1 : 0;
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        ASSERT_EQ(winners, 1) << "in round " << round;
        ASSERT_TRUE(find().value());
        directory_.withdraw(Kind::stream, "melt");
    }
}

class ReachTest : public DirectoryTest {
  protected:
    [[nodiscard]] base::Failure failure_to_reach(const Entry& entry) const {
        auto link = reach(*Endpoint::shared(path()).value(), entry, base::Deadline(base::Seconds(0.2)));
        EXPECT_FALSE(link);
        return link ? base::Failure{} : link.error();
    }
};

TEST_F(ReachTest, ProcessOfAnotherHostThatListensAtNoPortIsNamed) {
    const auto failure = failure_to_reach(of_another_host());
    EXPECT_EQ(failure.code, ErrorCode::system);
    EXPECT_THAT(failure.message, ::testing::HasSubstr("sim (pid 4194305 on faraway)"));
    EXPECT_THAT(failure.message, ::testing::HasSubstr("other hosts such as " + os::host_name()));
    EXPECT_THAT(failure.message, ::testing::HasSubstr("STAITHE_LISTEN"));
}

/// A server that listens at a port, told of as if it was on another host.
class ReachElsewhereTest : public ReachTest {
  protected:
    void SetUp() override {
        ASSERT_TRUE(endpoint_->offer("s", [](const auto& link, const Packet& packet) {
            static_cast<void>(link->reply(packet.id(), Attributes{}));
        }));
    }
    [[nodiscard]] Entry of_server() const {
        Entry entry = own_entry(Kind::stream, "melt", endpoint_->addresses(), {"sim", "faraway", 4711});
        entry.addresses.front() = socket_file("elsewhere.socket");
        // Where nothing answers, where another process does, and where this one does.
        entry.addresses.insert(entry.addresses.begin() + 1, Address::parse("127.0.0.1:1").value());
        entry.process.boot = "00000001";
        return entry;
    }
    void withdraw() const { endpoint_->withdraw("s"); }

  private:
    const testing::EnvironmentVariable chosen_{"STAITHE_RUN_DIR", path().c_str()};
    const testing::EnvironmentVariable listening_{"STAITHE_LISTEN", "127.0.0.1:0"};
    const std::shared_ptr<Endpoint> endpoint_ = Endpoint::shared(path()).value();
};

TEST_F(ReachElsewhereTest, AnotherProcessAtItsAddressIsNotTakenForIt) {
    ASSERT_TRUE(directory_.publish(of_server()));
    const auto failure = failure_to_reach(*find().value());
    EXPECT_EQ(failure.code, ErrorCode::not_found);
    EXPECT_THAT(failure.message,
                ::testing::HasSubstr(fmt::format("is being written by sim (pid {} on faraway): ", os::process_id())));
    EXPECT_THAT(failure.message, ::testing::HasSubstr("nobody listens at 127.0.0.1:1"));
    EXPECT_THAT(failure.message, ::testing::HasSubstr("another process answers there"));
    EXPECT_THAT(failure.message, ::testing::HasSubstr("remove " + file()));
}

TEST_F(ReachElsewhereTest, ProcessThatHasWithdrawnItMayBeFollowedByAnother) {
    const Entry entry = of_server();
    withdraw();
    EXPECT_EQ(failure_to_reach(entry).code, ErrorCode::not_found);
}

TEST_F(ReachTest, WhoTakesNobodyInIsNamedAtTheDeadline) {
    ChildProcess sleeper([] { return ::pause(); });
    const Entry theirs = of(os::identity_of(sleeper.pid()).value());
    const std::string& name = theirs.socket();
    const auto listener = os::listen_at(path(), name).value();
    while (os::connect_to(path(), name)) {  // they wait there, though they are gone again
    }
    ASSERT_EQ(os::connect_to(path(), name).error().code, ErrorCode::timeout);
    ASSERT_TRUE(directory_.publish(theirs));
    EXPECT_EQ(directory_.publish(of_this_process()).error().code, ErrorCode::already_exists);
    const auto failure = failure_to_reach(theirs);
    EXPECT_EQ(failure.code, ErrorCode::timeout);
    EXPECT_EQ(failure.message, fmt::format("stream 'melt': sim (pid {} on {}) does not answer within 0.2 s",
                                           sleeper.pid(), os::host_name()));
    sleeper.signal(SIGSTOP);
    while (!os::is_stopped(sleeper.pid())) {
    }
    EXPECT_THAT(failure_to_reach(theirs).message, ::testing::HasSubstr(fmt::format("kill -CONT {}", sleeper.pid())));
}

}  // namespace
}  // namespace staithe::transport
