#include "memory/extents/budgeted.hpp"

#include <array>
#include <functional>

#include <staithe/limits.hpp>

#include <gtest/gtest.h>

#include "memory/extents/own_memory.hpp"
#include "support/resource_limit.hpp"

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
    const testing::ResourceLimit limit(RLIMIT_FSIZE, 1 << 20);
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

/// Gives the offset of an extent that comes back to the next one at once, before `give_back` returns.
class InHaste final : public ExtentSource {
  public:
    base::Result<Extent> make(std::int64_t length) override {
        return Extent{0, {memory_.data(), static_cast<std::size_t>(length)}};
    }
    void give_back(const Extent& /*extent*/) override { next(); }
    [[nodiscard]] const os::FileDescriptor& file() const override { return none_; }

    std::function<void()> next;

  private:
    std::array<std::byte, 4096> memory_{};
    const os::FileDescriptor none_;
};

TEST(Budgeted, AnExtentAtAnOffsetThatWasJustGivenBackIsClaimed) {
    const std::int64_t before = usage().memory;
    auto in_haste = std::make_unique<InHaste>();
    InHaste& below = *in_haste;
    const auto source = budgeted(std::move(in_haste), "grid");
    below.next = [&] { EXPECT_TRUE(source->make(4096)); };
    source->give_back(source->make(4096).value());
    EXPECT_EQ(usage().memory, before + 4096);
}

}  // namespace
}  // namespace staithe::memory
