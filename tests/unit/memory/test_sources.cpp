#include "memory/sources.hpp"

#include <gtest/gtest.h>

#include "os/shared_memory.hpp"
#include "support/environment_variable.hpp"
#include "support/temporary_directory.hpp"

namespace staithe::memory {
namespace {

TEST(Sources, MemoryIsClaimedAndADiskIsNot) {
    const testing::TemporaryDirectory directory;
    const std::int64_t before = usage().memory;
    const auto disk = open_pool("spilled", on_disk, directory.path()).value();
    EXPECT_TRUE(disk->allocate(1 << 20));
    EXPECT_EQ(usage().memory, before);
    const auto memory = open_pool("blocks").value();
    EXPECT_TRUE(memory->allocate(1 << 20));
    EXPECT_EQ(usage().memory, before + memory->capacity());
}

TEST(Sources, OfAFileSystemInMemoryAreClaimed) {
    const std::int64_t before = usage().memory;
    const auto pool = open_pool("blocks", on_tmpfs, "/dev/shm").value();
    EXPECT_TRUE(pool->allocate(1 << 20));
    EXPECT_EQ(usage().memory, before + pool->capacity());
}

TEST(Sources, WhatOthersMustMapIsSealedWhereverBlocksAre) {
    const testing::EnvironmentVariable elsewhere("STAITHE_TEST_EXTENTS", "tmpfs");
    EXPECT_TRUE(os::check_shared_memory(open_pool("segment", in_sealed_memory).value()->file()));
    EXPECT_FALSE(os::check_shared_memory(open_pool("blocks").value()->file()));
}

TEST(Sources, SayWhichWaysThereAre) {
    const auto refused = open_pool("blocks", "tape");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_argument);
    EXPECT_NE(refused.error().message.find("'memory'"), std::string::npos) << refused.error().message;
    EXPECT_NE(refused.error().message.find("'disk'"), std::string::npos) << refused.error().message;
}

TEST(Sources, AnErrorNamesTheDirectory) {
    const auto refused = open_pool("blocks", on_disk, "/nowhere/at/all");
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("/nowhere/at/all"), std::string::npos) << refused.error().message;
}

}  // namespace
}  // namespace staithe::memory
