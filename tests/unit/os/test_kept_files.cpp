#include "os/kept_files.hpp"

#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "os/files.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::os {
namespace {

class KeptFilesTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::string path(const std::string& name) const { return directory_ / name; }
    static std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

  private:
    testing::TemporaryDirectory directory_;
};

TEST_F(KeptFilesTest, AreWrittenAnywhereAndKeepTheRest) {
    {
        const auto file = open_kept_file(path("a"));
        ASSERT_TRUE(file);
        ASSERT_TRUE(write_at(*file, 3, bytes("def")));
        ASSERT_TRUE(write_at(*file, 0, bytes("abc")));
    }
    const auto again = open_kept_file(path("a"));
    ASSERT_TRUE(write_at(*again, 5, bytes("F")));
    EXPECT_EQ(read_file(path("a")).value(), "abcdeF");
    EXPECT_FALSE(open_kept_file(path("no/such/folder")));
}

TEST_F(KeptFilesTest, DirectoriesAreMadeWithTheirParents) {
    ASSERT_TRUE(make_kept_directory(path("a/b/c")));
    ASSERT_TRUE(make_kept_directory(path("a/b/c")));
    std::ofstream(path("file")) << "x";
    EXPECT_FALSE(make_kept_directory(path("file/b")));
}

TEST_F(KeptFilesTest, DirectoriesAreMadeAndOnDiskWithTheirParents) {
    for (const char* name : {"a/b/c", "a/b/c/", "a/d//", "a"}) {
        EXPECT_TRUE(make_durable_directory(path(name))) << name;
        EXPECT_TRUE(std::filesystem::is_directory(path(name))) << name;
    }
    std::ofstream(path("file")) << "x";
    EXPECT_FALSE(make_durable_directory(path("file/b")));
    EXPECT_FALSE(make_durable_directory(path("file")));
}

TEST_F(KeptFilesTest, AreReplacedWholeAlsoWhereADraftWasLeft) {
    std::ofstream(path(draft_of("a"))) << "of one that was killed, and longer";
    ASSERT_TRUE(replace_kept_file(path("a"), "one"));
    ASSERT_TRUE(replace_kept_file(path("a"), "two"));
    EXPECT_EQ(read_file(path("a")).value(), "two");
    EXPECT_FALSE(is_there(path(draft_of("a"))));
    EXPECT_FALSE(replace_kept_file(path("no/a"), "x"));
}

TEST_F(KeptFilesTest, HaveTheRightsOfTheUmask) {
    const mode_t old = ::umask(0027);
    const auto made = make_kept_directory(path("a"));
    const auto replaced = replace_kept_file(path("a/b"), "x");
    ::umask(old);
    ASSERT_TRUE(made && replaced);
    for (const auto& [name, mode] : {std::pair("a", 0750U), std::pair("a/b", 0640U)}) {
        struct stat status{};
        ASSERT_EQ(::stat(path(name).c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777, mode) << name;
    }
}

}  // namespace
}  // namespace staithe::os
