#include "stream/directing/progress.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace staithe::stream {
namespace {

class ProgressTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::unique_ptr<Progress> open(bool resume) {
        return Progress::open(directory_.path(), "melt", resume).value();
    }
    [[nodiscard]] std::string path() const { return directory_.path() + "/melt.progress"; }

  private:
    testing::TemporaryDirectory directory_;
};

TEST_F(ProgressTest, BeginsAtZero) {
    EXPECT_EQ(open(false)->next_step(), 0);
    EXPECT_EQ(open(true)->next_step(), 0);
}

TEST_F(ProgressTest, OutlivesItsWriterForThoseWhoResume) {
    open(false)->set_next_step(42);
    EXPECT_EQ(open(true)->next_step(), 42);
    EXPECT_EQ(open(false)->next_step(), 0);
    EXPECT_EQ(open(true)->next_step(), 0);
}

TEST_F(ProgressTest, IsGoneOnceRemoved) {
    const auto progress = open(false);
    progress->set_next_step(42);
    progress->remove();
    EXPECT_FALSE(std::filesystem::exists(path()));
    EXPECT_EQ(open(true)->next_step(), 0);
}

TEST_F(ProgressTest, GarbageIsNoProgress) {
    for (const std::string& content : {std::string("short"), std::string(64, '\xff'), std::string(16, '\0')}) {
        std::ofstream(path(), std::ios::binary | std::ios::trunc) << content;
        EXPECT_EQ(open(true)->next_step(), 0);
    }
}

TEST_F(ProgressTest, DirectoryThatIsNotThereIsAnError) {
    EXPECT_EQ(Progress::open("/nonexistent", "melt", true).error().code, ErrorCode::system);
}

}  // namespace
}  // namespace staithe::stream
