#include "stream/waiting/waiting_note.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "os/process.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::stream {
namespace {

class WaitingNoteTest : public ::testing::Test {
  protected:
    [[nodiscard]] NotedWait example(const WaitingNote& note) const {
        NotedWait wait;
        wait.id = note.id();
        wait.stream = "s";
        wait.who = {"plot", "node1", os::process_id()};
        wait.role = "reader rank 0";
        wait.wants = "the next step of";
        wait.reason = "writer rank 0 has not ended it";
        wait.since = 1.5;
        wait.looked = 2.5;
        wait.absent = Awaited::Absent::readers;
        wait.on = {7, 8};
        wait.held_up = {"s", "t"};
        wait.to_write = {{"u", 2}};
        return wait;
    }

    testing::TemporaryDirectory directory_;
};

TEST_F(WaitingNoteTest, IsReadAsItWasWritten) {
    const WaitingNote note(directory_.path(), "s");
    const NotedWait wait = example(note);
    note.write(wait);
    WaitingNotes notes(directory_.path());
    const auto read = notes.of_process(os::process_id());
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read.front()->stream, "s");
    EXPECT_EQ(read.front()->who.program, "plot");
    EXPECT_EQ(read.front()->absent, Awaited::Absent::readers);
    EXPECT_EQ(read.front()->on, wait.on);
    EXPECT_EQ(read.front()->held_up, wait.held_up);
    EXPECT_EQ(read.front()->to_write, wait.to_write);
    EXPECT_TRUE(read.front()->to_read.empty());
    EXPECT_EQ(to_string(*read.front()), to_string(wait));
    EXPECT_EQ(notes.all(), read);
    EXPECT_TRUE(notes.of_process(1).empty());
}

TEST_F(WaitingNoteTest, GoesWithTheWait) {
    {
        const WaitingNote note(directory_.path(), "s");
        note.write(example(note));
        EXPECT_FALSE(std::filesystem::is_empty(directory_.path()));
    }
    EXPECT_TRUE(std::filesystem::is_empty(directory_.path()));
}

TEST_F(WaitingNoteTest, WhatIsNotWholeIsPassedOver) {
    const WaitingNote note(directory_.path(), "s");
    for (const char* content : {"", "{", "[]", "{\"format\": 3}", "\xff\xfe"}) {
        std::ofstream(directory_.path() + "/" + note.id()) << content;
        EXPECT_TRUE(WaitingNotes(directory_.path()).all().empty()) << content;
    }
}

}  // namespace
}  // namespace staithe::stream
