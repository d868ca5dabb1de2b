#include "os/files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/temporary_directory.hpp"

namespace staithe::os {
namespace {

namespace fs = std::filesystem;

class FilesTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::string path(const std::string& name) const { return directory_ / name; }
    [[nodiscard]] std::vector<std::string> names() const { return list_directory(directory_.path()); }
    static unsigned mode_of(const std::string& path) {
        struct stat status{};
        EXPECT_EQ(::stat(path.c_str(), &status), 0);
        return status.st_mode & 0777;
    }

  private:
    testing::TemporaryDirectory directory_;
};

TEST_F(FilesTest, PrivateDirectoryIsMadeWithItsParents) {
    for (const std::string name : {"a", "b/c/d", "e/", "f/g//"}) {
        ASSERT_TRUE(make_run_directory(path(name))) << name;
        EXPECT_EQ(mode_of(path(name)), 0700U);
        EXPECT_TRUE(make_run_directory(path(name))) << "again";
    }
}

TEST_F(FilesTest, ChosenRunDirectoryIsThereOrCanBeMade) {
    std::ofstream(path("file")) << "x";
    EXPECT_TRUE(check_chosen_run_directory(path("new")));
    EXPECT_TRUE(check_chosen_run_directory(path("new//")));
    EXPECT_TRUE(check_chosen_run_directory(path("")));
    EXPECT_TRUE(check_chosen_run_directory("in-the-working-directory"));
    for (const std::string name : {"file", "file/below", "not/there", "not/there/"}) {
        const auto checked = check_chosen_run_directory(path(name));
        ASSERT_FALSE(checked) << name;
        EXPECT_EQ(checked.error().code, ErrorCode::invalid_argument);
        EXPECT_NE(checked.error().message.find("STAITHE_RUN_DIR is '" + path(name)), std::string::npos);
    }
}

TEST_F(FilesTest, DirectoryThatOthersCanEnterIsRefused) {
    for (const unsigned mode : {0755U, 0710U, 0707U}) {
        ASSERT_TRUE(make_run_directory(path("d")));
        ASSERT_EQ(::chmod(path("d").c_str(), mode), 0);
        const auto made = make_run_directory(path("d"));
        ASSERT_FALSE(made);
        EXPECT_NE(made.error().message.find("STAITHE_RUN_DIR"), std::string::npos);
        ASSERT_EQ(::chmod(path("d").c_str(), 0700), 0);
    }
}

TEST_F(FilesTest, WhatIsNoDirectoryOfOursIsRefused) {
    std::ofstream(path("file")) << "x";
    EXPECT_FALSE(make_run_directory(path("file")));
    EXPECT_FALSE(make_run_directory(path("file/below")));
    ASSERT_TRUE(make_run_directory(path("real")));
    fs::create_directory_symlink(path("real"), path("link"));
    EXPECT_FALSE(make_run_directory(path("link"))) << "a link may be turned to somewhere else";
    EXPECT_FALSE(make_run_directory("/proc/no/such"));
}

TEST_F(FilesTest, DirectoryOfAGroupIsTakenWhereItsUsersProveThemselves) {
    ASSERT_TRUE(make_run_directory(path("d"), Reach::group));
    EXPECT_EQ(mode_of(path("d")), 0700U) << "who may enter is for the user to say";
    for (const unsigned mode : {0770U, 0750U, 0710U}) {
        ASSERT_EQ(::chmod(path("d").c_str(), mode), 0);
        EXPECT_TRUE(make_run_directory(path("d"), Reach::group));
        EXPECT_FALSE(make_run_directory(path("d"), Reach::user));
    }
    ASSERT_EQ(::chmod(path("d").c_str(), 0771), 0);
    const auto made = make_run_directory(path("d"), Reach::group);
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().message.find("chmod 2770"), std::string::npos) << made.error().message;
    fs::create_directory_symlink(path("d"), path("link"));
    EXPECT_FALSE(make_run_directory(path("link"), Reach::group));
}

TEST_F(FilesTest, FilesAreForThoseWhoTheirDirectoryIsFor) {
    ASSERT_TRUE(make_run_directory(path("d")));
    ASSERT_TRUE(write_atomically(path("d/f"), "x"));
    EXPECT_EQ(mode_of(path("d/f")), 0600U);
    ASSERT_EQ(::chmod(path("d").c_str(), 0770), 0);
    ASSERT_TRUE(write_atomically(path("d/f"), "x"));
    EXPECT_EQ(mode_of(path("d/f")), 0640U);
    ASSERT_EQ(::chmod(path("d").c_str(), 0775), 0);
    ASSERT_TRUE(write_atomically(path("d/f"), "x"));
    EXPECT_EQ(mode_of(path("d/f")), 0600U);
}

TEST_F(FilesTest, SecretsAreReadFromFilesThatNobodyElseCanRead) {
    std::ofstream(path("key")) << "secret";
    for (const unsigned mode : {0644U, 0640U, 0604U, 0660U}) {
        ASSERT_EQ(::chmod(path("key").c_str(), mode), 0);
        const auto read = read_secret(path("key"), 100);
        ASSERT_FALSE(read);
        EXPECT_NE(read.error().message.find("chmod 600"), std::string::npos);
    }
    ASSERT_EQ(::chmod(path("key").c_str(), 0600), 0);
    EXPECT_EQ(read_secret(path("key"), 100).value(), "secret");
    EXPECT_FALSE(read_secret(path("key"), 5));
    EXPECT_FALSE(read_secret(path("none"), 100));
    EXPECT_FALSE(read_secret(path(""), 100)) << "a directory";
}

TEST_F(FilesTest, WritingReplacesTheContent) {
    ASSERT_TRUE(write_atomically(path("f"), "one"));
    ASSERT_TRUE(write_atomically(path("f"), "two"));
    EXPECT_EQ(read_file(path("f")).value(), "two");
    EXPECT_EQ(names(), std::vector<std::string>{"f"}) << "no drafts are left";
    EXPECT_FALSE(write_atomically(path("none/f"), "x"));
}

TEST_F(FilesTest, ReadersNeverSeeAPart) {
    const std::string a(10000, 'a');
    const std::string b(20000, 'b');
    ASSERT_TRUE(write_atomically(path("f"), a));
    std::atomic<bool> done{false};
    std::thread writing([&] {
        for (int i = 0; i < 200; ++i) {
            EXPECT_TRUE(write_atomically(path("f"), i % 2 == 0 ? b : a));
        }
        done = true;
    });
    while (!done) {
        const auto content = read_file(path("f"));
        EXPECT_TRUE(content && (*content == a || *content == b));
    }
    writing.join();
}

TEST_F(FilesTest, ReadingTellsMissingFromTooLarge) {
    EXPECT_EQ(read_file(path("none")).error().code, ErrorCode::not_found);
    ASSERT_TRUE(write_atomically(path("f"), std::string(100, 'x')));
    EXPECT_EQ(read_file(path("f"), 100).value().size(), 100U);
    EXPECT_EQ(read_file(path("f"), 99).error().code, ErrorCode::protocol);
    ASSERT_TRUE(write_atomically(path("empty"), ""));
    EXPECT_EQ(read_file(path("empty")).value(), "");
}

TEST_F(FilesTest, OpensFilesAndNothingElseForReading) {
    const std::string file = path("data");
    EXPECT_FALSE(open_for_reading(file));
    ASSERT_TRUE(write_atomically(file, "abc"));
    std::array<std::byte, 8> bytes{};
    EXPECT_EQ(read_at(open_for_reading(file).value(), 1, bytes).value(), 2U);
    ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
    for (const std::string& other : {path("pipe"), path(".")}) {
        const auto opened = open_for_reading(other);
        const auto read = read_file(other);
        for (const auto& refused : {opened ? "" : opened.error().message, read ? "" : read.error().message}) {
            EXPECT_NE(refused.find("it is no file"), std::string::npos) << refused;
        }
    }
}

TEST_F(FilesTest, ListsNamesInOrder) {
    for (const char* name : {"b", "a", "c"}) {
        ASSERT_TRUE(write_atomically(path(name), ""));
    }
    EXPECT_EQ(names(), (std::vector<std::string>{"a", "b", "c"}));
    EXPECT_TRUE(list_directory(path("none")).empty());
}

TEST_F(FilesTest, RemovingWhatIsGoneIsNoError) {
    ASSERT_TRUE(write_atomically(path("f"), ""));
    remove_file(path("f"));
    remove_file(path("f"));
    EXPECT_TRUE(names().empty());
}

TEST_F(FilesTest, LockedDirectoryKeepsOthersOutUntilTheLockGoes) {
    const std::string directory = path("");
    {
        const auto lock = lock_directory(directory, base::Deadline(base::Seconds(5)));
        ASSERT_TRUE(lock);
        EXPECT_EQ(lock_directory(directory, base::Deadline(base::Seconds(0.02))).error().code, ErrorCode::timeout);
    }
    EXPECT_TRUE(lock_directory(directory, base::Deadline(base::Seconds(0.02))));
}

TEST_F(FilesTest, OneThreadAtATimeHoldsTheLock) {
    std::atomic<int> holders{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            for (int round = 0; round < 20; ++round) {
                const auto lock = lock_directory(path(""), base::Deadline(base::Seconds(30)));
                ASSERT_TRUE(lock);
                EXPECT_EQ(++holders, 1);
                --holders;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

TEST_F(FilesTest, AppendsToAFileOfItsOwn) {
    auto file = create_file(path("log"));
    ASSERT_TRUE(file);
    EXPECT_EQ(mode_of(path("log")), 0600U);
    EXPECT_TRUE(append(*file, "one "));
    EXPECT_TRUE(append(*file, ""));
    EXPECT_TRUE(append(*file, "two"));
    EXPECT_EQ(*read_file(path("log")), "one two");
    ASSERT_TRUE(create_file(path("log")));
    EXPECT_EQ(*read_file(path("log")), "") << "emptied";
    EXPECT_FALSE(create_file(path("nowhere/log")));
}

TEST_F(FilesTest, AppendingToAFullDiskFails) {
    const auto full = create_file("/dev/full");
    ASSERT_TRUE(full);
    const auto appended = append(*full, "text");
    ASSERT_FALSE(appended);
    EXPECT_NE(appended.error().message.find("No space left"), std::string::npos);
}

}  // namespace
}  // namespace staithe::os
