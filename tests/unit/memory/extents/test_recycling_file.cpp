#include "memory/extents/recycling_file.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/resource_limit.hpp"

namespace staithe::memory {
namespace {

class RecyclingFileTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::int64_t size() const { return os::size_of_file(file_.file()).value(); }

    RecyclingFile file_{os::create_disk_file("/dev/shm").value()};
};

TEST_F(RecyclingFileTest, UsesRangesAgainAndMergesThem) {
    const auto first = file_.make(1 << 20).value();
    const auto second = file_.make(1 << 20).value();
    const auto third = file_.make(1 << 16).value();
    std::fill(first.memory.begin(), first.memory.end(), std::byte{1});
    file_.give_back(first);
    file_.give_back(second);
    const auto both = file_.make(2 << 20).value();
    EXPECT_EQ(both.offset, 0);
    EXPECT_EQ(both.memory[0], std::byte{0}) << "the pages went back";
    EXPECT_EQ(file_.make(1 << 16)->offset, third.offset + (1 << 16));
    EXPECT_EQ(size(), (2 << 20) + 2 * (1 << 16));
}

TEST_F(RecyclingFileTest, FailedAttemptsTakeNoRanges) {
    const testing::ResourceLimit limit(RLIMIT_FSIZE, 1 << 20);
    for (int i = 0; i < 3; ++i) {
        EXPECT_FALSE(file_.make(2 << 20));
    }
    EXPECT_EQ(file_.make(1 << 16)->offset, 0);
    EXPECT_EQ(file_.make(std::int64_t{1} << 61).error().code, ErrorCode::limit_reached);
}

}  // namespace
}  // namespace staithe::memory
