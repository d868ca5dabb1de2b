#include "memory/extents/growing_file.hpp"

#include <sys/stat.h>

#include <gtest/gtest.h>

#include "support/resource_limit.hpp"

namespace staithe::memory {
namespace {

class GrowingFileTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::int64_t size() const { return os::size_of_file(file_.file()).value(); }
    [[nodiscard]] std::int64_t resident() const {
        struct stat status{};
        EXPECT_EQ(::fstat(file_.file().get(), &status), 0);
        return static_cast<std::int64_t>(status.st_blocks) * 512;
    }

    GrowingFile file_{os::create_memory_file("growing").value()};
};

TEST_F(GrowingFileTest, AppendsExtents) {
    EXPECT_EQ(file_.make(1 << 20)->offset, 0);
    EXPECT_EQ(file_.make(1 << 16)->offset, 1 << 20);
    EXPECT_EQ(size(), (1 << 20) + (1 << 16));
}

TEST_F(GrowingFileTest, WhatIsGivenBackLeavesAHole) {
    const auto first = file_.make(1 << 20).value();
    const auto second = file_.make(1 << 20).value();
    file_.give_back(first);
    EXPECT_EQ(resident(), 1 << 20);
    EXPECT_EQ(size(), 2 << 20) << "readers may have mapped it";
    EXPECT_EQ(file_.make(1 << 16)->offset, second.offset + (1 << 20)) << "offsets are not used again";
}

TEST_F(GrowingFileTest, FailedAttemptsTakeNoOffsets) {
    const testing::ResourceLimit limit(RLIMIT_FSIZE, 1 << 20);
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(file_.make(2 << 20));
    }
    EXPECT_EQ(file_.make(1 << 16)->offset, 0);
}

}  // namespace
}  // namespace staithe::memory
