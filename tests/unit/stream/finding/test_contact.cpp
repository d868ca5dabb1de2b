#include "stream/finding/contact.hpp"

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "os/files.hpp"
#include "os/process.hpp"
#include "os/socket.hpp"
#include "support/child_process.hpp"
#include "support/temporary_directory.hpp"
#include "support/watchdog.hpp"

namespace staithe::stream {
namespace {

using testing::ChildProcess;

class ContactTest : public ::testing::Test {
  protected:
    [[nodiscard]] const std::string& directory() const { return directory_.path(); }
    [[nodiscard]] std::string path() const { return directory_ / "melt.contact"; }

    void leave(const std::string& content) const { std::ofstream(path()) << content; }
    [[nodiscard]] bool is_there() const { return std::ifstream(path()).good(); }

    /// A contact of a process that has ended.
    [[nodiscard]] static Contact of_dead_process() {
        ChildProcess child([] { return 0; });
        const int pid = child.pid();
        static_cast<void>(child.wait());
        return {"melt", "dead.socket", {"dead", "host", pid}, 12345};
    }
    [[nodiscard]] static Contact of_this_process() {
        return {"melt", "here.socket", {"here", "host", os::process_id()}, os::start_time_of(os::process_id()).value()};
    }

  private:
    testing::Watchdog watchdog_;
    testing::TemporaryDirectory directory_;
};

TEST_F(ContactTest, PublishedContactIsFound) {
    const Contact contact = of_this_process();
    ASSERT_TRUE(publish_contact(directory(), contact));
    const auto found = find_contact(directory(), "melt");
    ASSERT_TRUE(found && *found);
    EXPECT_EQ((*found)->stream, "melt");
    EXPECT_EQ((*found)->socket, "here.socket");
    EXPECT_EQ((*found)->writer.program, "here");
    EXPECT_EQ((*found)->writer.host, "host");
    EXPECT_EQ((*found)->writer.pid, os::process_id());
    EXPECT_EQ((*found)->start_time, contact.start_time);
    EXPECT_EQ(streams_with_contact(directory()), std::vector<std::string>{"melt"});
    withdraw_contact(directory(), "melt");
    EXPECT_FALSE(find_contact(directory(), "melt").value());
    EXPECT_TRUE(streams_with_contact(directory()).empty());
}

TEST_F(ContactTest, NothingIsFoundWhereNothingIs) {
    EXPECT_FALSE(find_contact(directory(), "melt").value());
    EXPECT_FALSE(find_contact("/nowhere/at/all", "melt").value());
    EXPECT_TRUE(streams_with_contact("/nowhere/at/all").empty());
}

TEST_F(ContactTest, NameOfALiveWriterIsTaken) {
    ASSERT_TRUE(publish_contact(directory(), of_this_process()));
    EXPECT_EQ(publish_contact(directory(), of_this_process()).error().code, ErrorCode::already_exists);
}

TEST_F(ContactTest, WhatADeadProcessLeftIsRemoved) {
    ASSERT_TRUE(publish_contact(directory(), of_dead_process()));
    ASSERT_TRUE(is_there());
    EXPECT_FALSE(find_contact(directory(), "melt").value());
    EXPECT_FALSE(is_there());
    ASSERT_TRUE(publish_contact(directory(), of_dead_process()));
    EXPECT_TRUE(publish_contact(directory(), of_this_process()));
    EXPECT_EQ(find_contact(directory(), "melt").value()->socket, "here.socket");
}

TEST_F(ContactTest, DeadProcessIsDeadWhateverStartTimeTheFileClaims) {
    Contact contact = of_dead_process();
    contact.start_time = 0;
    ASSERT_TRUE(publish_contact(directory(), contact));
    const auto found = find_contact(directory(), "melt");
    EXPECT_FALSE(found && *found);
}

TEST_F(ContactTest, ReusedPidIsAnotherProcess) {
    Contact contact = of_this_process();
    --contact.start_time;
    ASSERT_TRUE(publish_contact(directory(), contact));
    EXPECT_FALSE(find_contact(directory(), "melt").value());
    EXPECT_FALSE(is_there());
}

TEST_F(ContactTest, ProcessThatListensNoMoreHasBecomeAnotherProgram) {
    ChildProcess sleeper([] { return ::pause(); });
    const Contact theirs{
        "melt", "theirs.socket", {"p", "host", sleeper.pid()}, os::start_time_of(sleeper.pid()).value()};
    ASSERT_TRUE(publish_contact(directory(), theirs));
    {
        const auto socket = os::listen_at(directory(), "theirs.socket");
        EXPECT_EQ(publish_contact(directory(), of_this_process()).error().code, ErrorCode::already_exists);
    }
    EXPECT_TRUE(publish_contact(directory(), of_this_process()));
}

TEST_F(ContactTest, FilesOfDeadProcessesAreSweptByWhoeverLooks) {
    const int dead = of_dead_process().writer.pid;
    const int alive = os::process_id();
    const auto start_time = os::start_time_of(alive).value();
    const auto names = [&](int pid) {
        return std::vector{fmt::format("{}.{}.socket", pid, start_time), fmt::format("melt.contact.{}.3.new", pid),
                           fmt::format("melt.{}.0.waiting", pid)};
    };
    const std::vector<std::string> others{"x.socket",   ".socket",   "3.socket",           "3.x.socket", "x.3.3.socket",
                                          "0.3.socket", "3.new",     "melt.3.new",         "4.5.new",    "x.4.waiting",
                                          "x.4.y.new",  "notes.txt", "9999999999.3.socket"};
    const std::string of_same_pid = fmt::format("{}.{}.socket", alive, start_time - 1);  // used again
    for (const auto& files : {names(dead), names(alive), others, {of_same_pid}}) {
        for (const std::string& name : files) {
            std::ofstream(directory() + "/" + name) << "x";
        }
    }
    std::vector<std::string> expected = names(alive);
    expected.insert(expected.end(), others.begin(), others.end());
    EXPECT_TRUE(streams_with_contact(directory()).empty());
    EXPECT_THAT(os::list_directory(directory()), ::testing::UnorderedElementsAreArray(expected));
    std::ofstream(directory() + "/" + names(dead)[0]) << "x";
    ASSERT_TRUE(publish_contact(directory(), of_this_process()));
    EXPECT_THAT(os::list_directory(directory()), ::testing::Not(::testing::Contains(names(dead)[0])));
}

TEST_F(ContactTest, GarbageIsReportedAndLeftAlone) {
    for (const char* content :
         {"", "{", "[]", "42", "{\"format\": 1}", "\xff\xfe", "{\"format\": \"1\"}",
          "{\"format\": 1, \"stream\": \"melt\", \"socket\": 1, \"program\": \"p\", \"host\": \"h\", "
          "\"pid\": 1, \"start_time\": 1}",
          "{\"format\": 1, \"stream\": \"melt\", \"socket\": \"../x\", \"program\": \"p\", "
          "\"host\": \"h\", \"pid\": 1, \"start_time\": 1}",
          // The socket of a dead process is removed: no other file may be named as one.
          "{\"format\": 1, \"stream\": \"melt\", \"socket\": \"other.contact\", \"program\": \"p\", "
          "\"host\": \"h\", \"pid\": 1, \"start_time\": 1}",
          "{\"format\": 1, \"stream\": \"melt\", \"socket\": \"other.contact\\u0000.socket\", \"program\": \"p\", "
          "\"host\": \"h\", \"pid\": 1, \"start_time\": 1}",
          // Another stream's file, copied.
          "{\"format\": 1, \"stream\": \"other\", \"socket\": \"1.socket\", \"program\": \"p\", "
          "\"host\": \"h\", \"pid\": 1, \"start_time\": 1}",
          "{\"format\": 1, \"stream\": \"melt\", \"socket\": \"x.socket\", \"program\": \"p\", "
          "\"host\": \"h\", \"pid\": -1, \"start_time\": 1}"}) {
        leave(content);
        const auto found = find_contact(directory(), "melt");
        ASSERT_FALSE(found) << content;
        EXPECT_EQ(found.error().code, ErrorCode::protocol);
        EXPECT_EQ(publish_contact(directory(), of_this_process()).error().code, ErrorCode::protocol);
        EXPECT_TRUE(is_there());
    }
}

TEST_F(ContactTest, FileThatIsFarTooLargeIsGarbage) {
    leave(std::string(2 << 20, ' '));
    EXPECT_EQ(find_contact(directory(), "melt").error().code, ErrorCode::protocol);
}

TEST_F(ContactTest, OtherVersionsFormatIsNamedAsSuch) {
    leave("{\"format\": 2, \"stream\": \"melt\", \"new\": [1, 2]}");
    const auto found = find_contact(directory(), "melt");
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, ErrorCode::protocol);
    EXPECT_NE(found.error().message.find("version"), std::string::npos);
}

TEST_F(ContactTest, OneOfManyGetsTheName) {
    const Contact stale = of_dead_process();
    const Contact mine = of_this_process();
    for (int round = 0; round < 100; ++round) {
        if (round % 2 == 0) {
            ASSERT_TRUE(publish_contact(directory(), stale));
        }
        std::atomic<int> waiting{4};
        std::atomic<int> winners{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([&] {
                --waiting;
                while (waiting > 0) {
                }
                winners += publish_contact(directory(), mine) ? 1 : 0;
            });
        }
        for (std::thread& thread : threads) {
            thread.join();
        }
        ASSERT_EQ(winners, 1) << "in round " << round;
        ASSERT_TRUE(find_contact(directory(), "melt").value());
        withdraw_contact(directory(), "melt");
    }
}

}  // namespace
}  // namespace staithe::stream
