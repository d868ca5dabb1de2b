#include "memory/extents/leased.hpp"

#include <gtest/gtest.h>

#include "memory/sources.hpp"
#include "os/shared_memory.hpp"

namespace staithe::memory {
namespace {

/// Who lends `most` bytes.
class LeasedTest : public ::testing::Test {
  protected:
    static constexpr std::int64_t most = 10 << 20;

    std::int64_t lent_ = 0;
    std::shared_ptr<Pool> pool_ =
        open_leased_pool("test", os::create_memory_file("test").value(),
                         {.lease = [this](std::int64_t bytes) -> base::Result<> {
                              if (lent_ + bytes > most) {
                                  return base::fail(ErrorCode::limit_reached, "there is no more");
                              }
                              lent_ += bytes;
                              return {};
                          },
                          .end_lease = [this](std::int64_t bytes) { lent_ -= bytes; }})
            .value();
};

TEST_F(LeasedTest, ThereIsNoMoreThanIsLent) {
    ASSERT_TRUE(pool_->allocate(most / 2));
    const auto refused = pool_->allocate(most);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
    EXPECT_EQ(lent_, pool_->capacity());
}

TEST_F(LeasedTest, WhatIsFreeGoesBackForWhatDoesNotFitThere) {
    const Allocation used = pool_->allocate(1 << 20).value();
    const Allocation one = pool_->allocate(2 << 20).value();
    const Allocation other = pool_->allocate(3 << 20).value();
    EXPECT_FALSE(pool_->allocate(5 << 20));
    pool_->free(one);
    pool_->free(other);
    EXPECT_TRUE(pool_->allocate(6 << 20)) << "together they have less than that";
    EXPECT_EQ(lent_, pool_->capacity());
    EXPECT_GE(lent_, used.bytes + (6 << 20));
}

}  // namespace
}  // namespace staithe::memory
