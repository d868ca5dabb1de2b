#include "stream/waiting/wait_circles.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace staithe::stream {
namespace {

/// Process `pid` waits in `stream` for others, and does nothing in `held_up` meanwhile.
NotedWait waits(int pid, const std::string& stream, std::vector<int> on, std::vector<std::string> held_up) {
    NotedWait wait;
    wait.id = std::to_string(pid) + "." + stream;
    wait.who = {"program" + std::to_string(pid), "host", pid};
    wait.stream = stream;
    wait.role = "reader rank 0";
    wait.wants = "the next step of";
    wait.reason = "it is late";
    wait.on = std::move(on);
    wait.held_up = std::move(held_up);
    return wait;
}

std::vector<int> pids_of(const std::vector<const NotedWait*>& circle) {
    std::vector<int> pids;
    for (const NotedWait* wait : circle) {
        pids.push_back(wait->who.pid);
    }
    return pids;
}

using Pids = std::vector<int>;

/// Who is in the circle that the wait of that name is in.
Pids circle_of(const std::vector<NotedWait>& waits, const std::string& id) {
    WaitingNotes notes(waits);
    const auto own = std::find_if(waits.begin(), waits.end(), [&](const NotedWait& wait) { return wait.id == id; });
    return pids_of(find_circle(notes, *own));
}

TEST(FindCircle, OfTwoProcessesIsFoundByBoth) {
    const std::vector<NotedWait> notes{waits(1, "s", {2}, {"t"}), waits(2, "t", {1}, {"s"})};
    EXPECT_EQ(circle_of(notes, "1.s"), (Pids{1, 2}));
    EXPECT_EQ(circle_of(notes, "2.t"), (Pids{2, 1}));
}

TEST(FindCircle, OfOneProcess) {
    const std::vector<NotedWait> notes{waits(1, "s", {1}, {"s"})};
    EXPECT_EQ(circle_of(notes, "1.s"), (Pids{1}));
    EXPECT_NE(describe_circle({&notes.front()}).find("That is itself"), std::string::npos);
}

TEST(FindCircle, OfManyIsFoundByThoseInItAlone) {
    const std::vector<NotedWait> notes{waits(1, "a", {2}, {"c"}), waits(2, "b", {3}, {"a"}), waits(3, "c", {1}, {"b"}),
                                       waits(9, "a", {2}, {})};
    EXPECT_EQ(circle_of(notes, "2.b"), (Pids{2, 3, 1}));
    EXPECT_TRUE(circle_of(notes, "9.a").empty()) << "it waits for a circle, which will be broken";
}

TEST(FindCircle, NeedsEverybodyInItToBeStuck) {
    EXPECT_TRUE(circle_of({waits(1, "s", {2}, {"t"})}, "1.s").empty()) << "nobody knows what 2 does";
    EXPECT_TRUE(circle_of({waits(1, "s", {2}, {"t"}), waits(2, "t", {1}, {})}, "1.s").empty())
        << "another thread of 2 uses s, too";
    EXPECT_TRUE(circle_of({waits(1, "s", {2}, {"t"}), waits(2, "t", {3}, {"s"})}, "1.s").empty()) << "3 is busy";
}

TEST(FindCircle, ThatOneOfSeveralThreadsCanLeaveIsNone) {
    // Two threads of 2 use s. The second waits for 3, which is busy.
    std::vector<NotedWait> notes{waits(1, "s", {2}, {"t"}), waits(2, "t", {1}, {"s"}), waits(2, "u", {3}, {"s"})};
    EXPECT_TRUE(circle_of(notes, "1.s").empty());
    notes.back().on = {1};
    notes.front().held_up = {"t", "u"};
    EXPECT_EQ(circle_of(notes, "1.s"), (Pids{1, 2}));
}

TEST(FindCircle, OneOfThoseThatMustActIsEnough) {
    const std::vector<NotedWait> notes{waits(1, "s", {7, 2, 8}, {"t"}), waits(2, "t", {1}, {"s"})};
    EXPECT_EQ(circle_of(notes, "1.s"), (Pids{1, 2}));
}

TEST(FindCircle, GoesThroughStreamsThatAreStillToBeOpened) {
    // Each opens its reader before its writer.
    std::vector<NotedWait> notes{waits(1, "s", {}, {}), waits(2, "t", {}, {})};
    notes[0].absent = notes[1].absent = Awaited::Absent::writers;
    notes[0].to_write = {{"t", 1}};
    notes[1].to_write = {{"s", 1}};
    EXPECT_EQ(circle_of(notes, "1.s"), (Pids{1, 2}));
    notes[1].to_write = {{"s", 2}};
    EXPECT_TRUE(circle_of(notes, "1.s").empty()) << "another rank of its program may open s";
    notes[1].to_write = {};
    notes[1].to_read = {{"s", 1}};
    EXPECT_TRUE(circle_of(notes, "1.s").empty()) << "it is to read s: another program writes it";
}

TEST(FindCircle, EndsInAMazeToo) {
    // Everybody waits for everybody, but for one who is busy.
    std::vector<NotedWait> notes;
    Pids all(200);
    std::iota(all.begin(), all.end(), 1);
    for (const int pid : all) {
        notes.push_back(waits(pid, "s", pid == 1 ? Pids{1000} : all, {}));
    }
    EXPECT_TRUE(circle_of(notes, "5.s").empty());
    for (NotedWait& wait : notes) {
        wait.held_up = {"s"};
    }
    EXPECT_EQ(circle_of(notes, "5.s").front(), 5);
}

TEST(DescribeCircle, SaysWhoWaitsForWhat) {
    const std::vector<NotedWait> notes{waits(1, "s", {2}, {"t"}), waits(2, "t", {1}, {"s"})};
    const std::string text = describe_circle({&notes.front(), &notes.back()});
    EXPECT_NE(
        text.find("program1 (pid 1 on host), reader rank 0, waits for the next step of 's': it is late; program2"),
        std::string::npos)
        << text;
    EXPECT_EQ(text.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace staithe::stream
