#include "stream/finding/ended_note.hpp"

#include <gtest/gtest.h>

#include "base/value_codec.hpp"
#include "os/files.hpp"
#include "os/process.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::stream {
namespace {

class EndedNoteTest : public ::testing::Test {
  protected:
    [[nodiscard]] const std::string& directory() const { return directory_.path(); }
    [[nodiscard]] std::vector<std::string> files() const { return os::list_directory(directory()); }

    const EndedNote note_{{"melt", "node3", 7}, 3, "it was cold"};

  private:
    testing::TemporaryDirectory directory_;
};

TEST_F(EndedNoteTest, SaysWhatWasMissed) {
    leave_ended_note(directory(), "s", note_);
    const auto found = find_ended_note(directory(), "s");
    ASSERT_TRUE(found);
    EXPECT_EQ(to_string(*found),
              "was opened by melt (pid 7 on node3) and ended before this reader joined, with 3 steps that nobody has "
              "read, since it was cold");
    EXPECT_EQ(to_string(EndedNote{note_.writer, 1, ""}),
              "was opened by melt (pid 7 on node3) and ended before this reader joined, with 1 steps that nobody has "
              "read");
    EXPECT_FALSE(find_ended_note(directory(), "t"));
}

TEST_F(EndedNoteTest, GoesWhenTheStreamIsOpenedAgain) {
    leave_ended_note(directory(), "s", note_);
    leave_ended_note(directory(), "t", note_);
    clear_ended_notes(directory(), "s");
    EXPECT_EQ(files(), std::vector<std::string>{"t.ended"});
}

TEST_F(EndedNoteTest, GoesAfterAnHour) {
    const auto leave = [&](const std::string& file, double ended) {
        ASSERT_TRUE(os::write_atomically(directory() + "/" + file, base::to_json(Attributes{{"ended", ended}})));
    };
    leave("old.ended", os::wall_clock_seconds() - 3700.0);
    leave("new.ended", os::wall_clock_seconds() - 3500.0);
    leave("old.contact", 0.0);
    ASSERT_TRUE(os::write_atomically(directory() + "/garbled.ended", "{"));
    clear_ended_notes(directory(), "s");
    EXPECT_EQ(files(), (std::vector<std::string>{"new.ended", "old.contact"}));
}

TEST_F(EndedNoteTest, GarbageSaysNothing) {
    for (const char* content : {"", "{", "[]", R"({"program": "p", "host": "h", "pid": 0, "unread": 1, "failure": ""})",
                                R"({"program": "p", "host": "h", "pid": 1, "unread": -1, "failure": ""})",
                                R"({"program": "p", "host": "h", "pid": 1, "unread": 1})"}) {
        ASSERT_TRUE(os::write_atomically(directory() + "/s.ended", content));
        EXPECT_FALSE(find_ended_note(directory(), "s")) << content;
    }
}

}  // namespace
}  // namespace staithe::stream
