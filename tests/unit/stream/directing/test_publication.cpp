#include "stream/directing/publication.hpp"

#include <gtest/gtest.h>

#include "stream/finding/ended_note.hpp"
#include "support/temporary_directory.hpp"
#include "transport/directory/directory.hpp"

namespace staithe::stream {
namespace {

class PublicationTest : public ::testing::Test {
  protected:
    [[nodiscard]] bool is_found() const {
        const auto entry = transport::Directory(directory_.path()).find(transport::Kind::stream, "s");
        return entry && *entry;
    }

    testing::TemporaryDirectory directory_;
    std::shared_ptr<transport::Endpoint> endpoint_ = transport::Endpoint::shared(directory_.path()).value();
    Publication publication_{endpoint_, "s"};
    const DirectorSettings resuming_ = [] {
        DirectorSettings settings;
        settings.resume = true;
        return settings;
    }();
};

TEST_F(PublicationTest, IsFoundUntilItIsClosed) {
    ASSERT_TRUE(publication_.open([](const auto&, auto) {}, {}));
    EXPECT_TRUE(is_found());
    EXPECT_EQ(publication_.progress().next_step(), 0);
    publication_.close({});
    EXPECT_FALSE(is_found());
    EXPECT_FALSE(find_ended_note(directory_.path(), "s"));
}

TEST_F(PublicationTest, TellsThoseWhoComeTooLate) {
    ASSERT_TRUE(publication_.open([](const auto&, auto) {}, {}));
    publication_.close({.was_read = false, .unread = 3, .failure = "the disk is full"});
    const auto note = find_ended_note(directory_.path(), "s");
    ASSERT_TRUE(note);
    EXPECT_EQ(note->unread, 3);
    EXPECT_EQ(note->failure, "the disk is full");
}

TEST_F(PublicationTest, ProgressStaysForAWriterThatResumes) {
    ASSERT_TRUE(publication_.open([](const auto&, auto) {}, {}));
    publication_.progress().set_next_step(7);
    publication_.close({});
    Publication again(endpoint_, "s");
    ASSERT_TRUE(again.open([](const auto&, auto) {}, resuming_));
    EXPECT_EQ(again.progress().next_step(), 7);
    again.close({.is_whole = true, .was_read = true, .unread = 0, .failure = ""});
    Publication anew(endpoint_, "s");
    ASSERT_TRUE(anew.open([](const auto&, auto) {}, resuming_));
    EXPECT_EQ(anew.progress().next_step(), 0) << "there was nothing to continue";
}

TEST_F(PublicationTest, NameThatIsTakenStaysTheOthers) {
    ASSERT_TRUE(publication_.open([](const auto&, auto) {}, {}));
    {
        Publication second(endpoint_, "s");
        EXPECT_EQ(second.open([](const auto&, auto) {}, {}).error().code, ErrorCode::already_exists);
    }
    EXPECT_TRUE(is_found());
}

}  // namespace
}  // namespace staithe::stream
