#include "memory/extents/budgeted.hpp"

#include <staithe/limits.hpp>

#include <gtest/gtest.h>

#include "memory/extents/own_memory.hpp"
#include "support/file_size_limit.hpp"

namespace staithe::memory {
namespace {

class BudgetedTest : public ::testing::Test {
  public:
    ~BudgetedTest() override { set_limits({}); }

  protected:
    const std::int64_t before_ = usage().memory;
    std::unique_ptr<ExtentSource> source_ = budgeted(own_memory("test").value(), "grid");
};

TEST_F(BudgetedTest, ClaimsEndWithExtentsAndWithTheSource) {
    const auto extent = source_->make(1 << 20).value();
    EXPECT_TRUE(source_->make(1 << 16));
    EXPECT_EQ(usage().memory, before_ + (1 << 20) + (1 << 16));
    source_->give_back(extent);
    EXPECT_EQ(usage().memory, before_ + (1 << 16));
    source_.reset();
    EXPECT_EQ(usage().memory, before_);
}

TEST_F(BudgetedTest, WhatCannotBeMadeIsNotClaimed) {
    const testing::FileSizeLimit limit(1 << 20);
    EXPECT_FALSE(source_->make(2 << 20));
    EXPECT_EQ(usage().memory, before_);
}

TEST_F(BudgetedTest, AtTheLimitTheErrorNamesThePool) {
    set_limits({.memory = before_ + (1 << 20)});
    const auto refused = source_->make(2 << 20);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::limit_reached);
    EXPECT_NE(refused.error().message.find("enlarge the pool 'grid'"), std::string::npos) << refused.error().message;
    EXPECT_TRUE(source_->make(1 << 20));
}

}  // namespace
}  // namespace staithe::memory
