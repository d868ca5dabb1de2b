#include "stream/directing/leased_memory.hpp"

#include <gtest/gtest.h>

#include <cstring>

#include <staithe/limits.hpp>

#include "memory/sources.hpp"
#include "os/shared_memory.hpp"

namespace staithe::stream {
namespace {

constexpr std::int64_t page_bytes = 4096;

class LeasedMemoryTest : public ::testing::Test {
  protected:
    /// The pages that still have memory, of eight.
    std::string pages() {
        std::string text;
        for (std::int64_t page = 0; page < 8; ++page) {
            text += os::has_pages(lease_->file(), page * page_bytes, page_bytes) ? 'x' : '.';
        }
        return text;
    }
    void fill() {
        ASSERT_TRUE(lease(8 * page_bytes));
        ASSERT_TRUE(os::allocate_range(lease_->file(), 0, 8 * page_bytes));
        const auto mapped =
            os::Mapping::map(lease_->file(), 0, 8 * page_bytes, os::Access::read_write, os::Populate::no);
        ASSERT_TRUE(mapped);
        std::memset(mapped->data(), 1, mapped->size());
        ASSERT_EQ(pages(), "xxxxxxxx");
    }
    static store::BlockRef block(std::int64_t offset, std::int64_t bytes) {
        store::BlockRef ref;
        ref.offset = offset;
        ref.bytes = bytes;
        return ref;
    }
    base::Result<> lease(std::int64_t bytes, std::int64_t for_others = 0) {
        return lease_->lease(bytes, [&] { return for_others; });
    }
    std::unique_ptr<LeasedMemory> lease_ = LeasedMemory::make("test").value();
};

TEST_F(LeasedMemoryTest, CountsInTheBudgetOfThisProcess) {
    const std::int64_t before = base::used(base::Resource::memory);
    ASSERT_TRUE(lease(1000));
    ASSERT_TRUE(lease(500));
    EXPECT_EQ(base::used(base::Resource::memory), before + 1500);
    lease_->end_lease(300);
    EXPECT_EQ(lease_->bytes(), 1200);
    lease_->end_lease(1 << 20);  // more than there is: a rank may say anything
    EXPECT_EQ(base::used(base::Resource::memory), before);
    EXPECT_EQ(lease(std::int64_t{1} << 60).error().code, ErrorCode::limit_reached);
    EXPECT_EQ(lease_->bytes(), 0);
}

TEST_F(LeasedMemoryTest, LeavesRoomForOthers) {
    constexpr std::int64_t bytes = 8 << 20;
    set_limits({.memory = base::used(base::Resource::memory) + bytes});
    EXPECT_EQ(lease(bytes / 2, bytes / 2 + 1).error().code, ErrorCode::limit_reached);
    EXPECT_EQ(lease(1, INT64_MAX).error().code, ErrorCode::limit_reached);
    EXPECT_EQ(lease_->bytes(), 0);
    EXPECT_TRUE(lease(bytes / 2, bytes / 2));
    EXPECT_EQ(lease_->bytes(), bytes / 2) << "they have it still to take";
    EXPECT_TRUE(lease(bytes / 2));
    set_limits({});
}

TEST_F(LeasedMemoryTest, KeepsThePagesOfBlocksAlone) {
    fill();
    lease_->keep_only({block(5 * page_bytes, 1), block(page_bytes + 10, 2 * page_bytes)});
    EXPECT_EQ(pages(), ".xxx.x..");
    EXPECT_EQ(lease_->bytes(), 4 * page_bytes);
    lease_->keep_only({});
    EXPECT_EQ(pages(), "........");
    EXPECT_EQ(lease_->bytes(), 0);
}

TEST_F(LeasedMemoryTest, BlocksThatShareAPageCountOnce) {
    fill();
    lease_->keep_only({block(100, 10), block(0, 50), block(page_bytes - 1, 2), block(200, 0)});
    EXPECT_EQ(pages(), "xx......");
    EXPECT_EQ(lease_->bytes(), 2 * page_bytes);
}

TEST_F(LeasedMemoryTest, BlocksThatAreNotThereChangeNothing) {
    fill();
    lease_->keep_only({block(-page_bytes, page_bytes), block(INT64_MAX, 1), block(0, INT64_MAX), block(10, -20),
                       block(7 * page_bytes, page_bytes)});
    EXPECT_EQ(pages(), ".......x");
}

TEST_F(LeasedMemoryTest, WhatPoolsKeepForReuseIsLeased) {
    constexpr std::int64_t bytes = 8 << 20;
    const auto pool = memory::open_pool("spaces").value();
    set_limits({.memory = bytes + (2 << 20)});
    const auto block = pool->allocate(bytes);
    ASSERT_TRUE(block);
    EXPECT_FALSE(lease(bytes));
    pool->free(*block);
    EXPECT_FALSE(lease_->lease(bytes, [&] { return bytes + (2 << 20) - pool->capacity(); })) << "others need it again";
    EXPECT_TRUE(lease(bytes));
    set_limits({});
}

}  // namespace
}  // namespace staithe::stream
