// What a traced process leaves, whether it ends or is killed.
#include "stream/observing/trace_file.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "support/child_process.hpp"
#include "support/sanitizers.hpp"
#include "support/stream_test.hpp"

#include "base/value_codec.hpp"
#include "os/files.hpp"

namespace staithe::stream {
namespace {

using namespace staithe::testing;
using namespace std::chrono_literals;

class TraceFileTest : public StreamTest {
  protected:
    /// Of the processes that left a trace.
    std::vector<int> pids() {
        std::vector<int> found;
        for (const std::string& name : os::list_directory(traces_.path())) {
            const std::string stem = name.substr(0, name.rfind(".json"));
            found.push_back(std::stoi(stem.substr(stem.rfind('.') + 1)));
        }
        return found;
    }

    /// The spans' names, and how often they are there; a file that nobody closed is closed first. None of a file that
    /// is being written: who looks at a living process may see its last line half there, or the file still empty.
    std::map<std::string, int> spans_of(int pid) {
        const auto names = os::list_directory(traces_.path());
        const auto name = std::find_if(names.begin(), names.end(),
                                       [&](const auto& n) { return n.ends_with(fmt::format(".{}.json", pid)); });
        if (name == names.end()) {
            return {};
        }
        auto text = os::read_file(traces_ / *name).value();
        closed_ = text.ends_with("]\n");
        const auto events = base::from_json(closed_ ? text : text + "]");
        std::map<std::string, int> spans;
        if (!events) {
            return spans;
        }
        for (const Value& event : *events->as_list()) {
            if (*find(*event.as_map(), "ph")->as_string() == "X") {
                ++spans[*find(*event.as_map(), "name")->as_string()];
            }
        }
        return spans;
    }
    bool closed_ = false;

  private:
    TemporaryDirectory traces_;
    EnvironmentVariable trace_{"STAITHE_TRACE", traces_.path().c_str()};
};

void write_and_read(int steps) {
    Writer out("melt");
    Reader in("melt");
    for (int i = 0; i < steps; ++i) {
        write_step(out);
        expect_intact(in.next().value());
    }
}

TEST_F(TraceFileTest, HoldsEverySpanOfAProcessThatEnds) {
    if (!testing::forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    ChildProcess child([]() -> int {
        write_and_read(5);
        exit_forked_child(0);
    });
    const int pid = child.pid();
    ASSERT_EQ(child.wait(), 0);
    auto spans = spans_of(pid);
    EXPECT_TRUE(closed_);
    for (const char* name : {"begin_step", "put", "end", "announce", "next", "release"}) {
        EXPECT_EQ(spans[name], 5) << name;
    }
}

TEST_F(TraceFileTest, IsThereWhenTheProcessIsKilled) {
    if (!testing::forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    ChildProcess child([]() -> int {
        write_and_read(5);
        std::this_thread::sleep_for(50s);
        return 0;
    });
    const int pid = child.pid();
    while (spans_of(pid)["release"] < 5) {
        std::this_thread::sleep_for(10ms);
    }
    child.kill();
    EXPECT_EQ(spans_of(pid)["put"], 5);
    EXPECT_FALSE(closed_);
}

TEST_F(TraceFileTest, OfAForkedChildIsItsOwn) {
    if (!testing::forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    ChildProcess parent([]() -> int {
        write_and_read(2);
        ChildProcess child([]() -> int {
            write_and_read(3);
            exit_forked_child(0);
        });
        exit_forked_child(child.wait());
    });
    const int pid = parent.pid();
    ASSERT_EQ(parent.wait(), 0);
    EXPECT_EQ(spans_of(pid)["put"], 2);
    const std::vector<int> both = pids();
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(spans_of(both[0] == pid ? both[1] : both[0])["put"], 3);
}

TEST_F(TraceFileTest, ThatCannotBeWrittenHarmsNobody) {
    if (!testing::forked_children_may_start_threads) {
        GTEST_SKIP() << "ThreadSanitizer lets no forked child start threads";
    }
    const EnvironmentVariable nowhere("STAITHE_TRACE", "/dev/null/nowhere");
    ChildProcess child([]() -> int {
        write_and_read(2);
        return 0;
    });
    EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace staithe::stream
