// What a server that leads tells another one, and what waits until that one has it.
#include "server/followers.hpp"

#include <gtest/gtest.h>

#include "unit/server/replica_pair.hpp"

namespace staithe::server {
namespace {

using store::space::BlockPlace;
using store::space::Put;

class FollowersTest : public ::testing::Test {
  protected:
    /// A block of so many bytes from `offset` on, of 10; and large ones of 10 × 80,000.
    static Put block(std::int64_t offset, std::int64_t count, std::optional<std::int64_t> version,
                     bool is_large = false) {
        Put put;
        put.block = {.variable = is_large ? "large" : "small",
                     .dtype = Dtype::u8,
                     .shape = is_large ? Extents{10, 80000} : Extents{10},
                     .box = is_large ? Box{{offset, 0}, {count, 80000}} : Box{{offset}, {count}},
                     .unit = {},
                     .attributes = {}};
        put.version = version;
        put.by = {.name = "lmp (pid 7 on a)"};
        return put;
    }
    base::Result<std::int64_t> put(std::int64_t offset, std::int64_t count, std::optional<std::int64_t> version,
                                   bool is_large = false) {
        const std::vector<std::byte> bytes(static_cast<std::size_t>(is_large ? 0 : count), std::byte(++value_));
        return pair_.put("campaign", block(offset, count, version, is_large), bytes, ReplicaPair::Lies::here,
                         [this](const base::Result<>& done) { safe_ += done ? 1 : 0; });
    }

    ReplicaPair pair_;
    int safe_ = 0;  // puts of which that was said

  private:
    int value_ = 0;
};

TEST_F(FollowersTest, NothingWaitsAsLongAsNobodyFollows) {
    ASSERT_TRUE(put(0, 10, 0));
    EXPECT_EQ(safe_, 1);
    EXPECT_FALSE(pair_.followers().has_all());
    EXPECT_EQ(pair_.followers().rank(), std::nullopt);
}

TEST_F(FollowersTest, NorUntilItHasAllThatThereWas) {
    ASSERT_TRUE(put(0, 10, 0));
    pair_.begin_following();
    ASSERT_TRUE(put(0, 10, 1));
    EXPECT_EQ(safe_, 2);
    EXPECT_FALSE(pair_.followers().has_all());
    pair_.deliver();
    EXPECT_TRUE(pair_.followers().has_all());
    EXPECT_TRUE(pair_.following().has_all());
    EXPECT_EQ(pair_.following().homes(), (std::set{0, 2}));
    pair_.expect_same();
}

TEST_F(FollowersTest, APutIsSafeOnceTheFollowerHasIt) {
    pair_.begin_following();
    pair_.deliver();
    ASSERT_TRUE(put(0, 10, 0));
    ASSERT_TRUE(put(0, 10, 1));
    EXPECT_TRUE(pair_.followers().is_behind());
    EXPECT_EQ(safe_, 0);
    pair_.deliver(1);
    EXPECT_EQ(safe_, 1);
    pair_.deliver();
    EXPECT_EQ(safe_, 2);
    EXPECT_FALSE(pair_.followers().is_behind());
    pair_.expect_same();
}

TEST_F(FollowersTest, WhatWaitsGoesOnWhenTheFollowerIsGone) {
    pair_.begin_following();
    pair_.deliver();
    ASSERT_TRUE(put(0, 10, 0));
    pair_.end_following();
    EXPECT_EQ(safe_, 1);
    EXPECT_FALSE(pair_.followers().has_all());
    ASSERT_TRUE(put(0, 10, 1));
    EXPECT_EQ(safe_, 2);
    pair_.begin_following();  // another one
    pair_.deliver();
    pair_.expect_same();
}

TEST_F(FollowersTest, WordOfWhatWasToldBeforeItBeganAnewCountsForNothing) {
    pair_.begin_following();
    pair_.deliver();
    ASSERT_TRUE(put(0, 10, 0));
    ASSERT_TRUE(put(0, 10, 1));
    pair_.begin_again();
    EXPECT_EQ(safe_, 2);
    pair_.deliver(2);  // what came over the link before
    EXPECT_FALSE(pair_.followers().has_all());
    ASSERT_TRUE(put(0, 10, 2));
    EXPECT_EQ(safe_, 3);
    pair_.deliver();
    EXPECT_TRUE(pair_.followers().has_all());
    pair_.expect_same();
}

TEST_F(FollowersTest, ChangesOverTakeWhatThereIsToBeTold) {
    for (std::int64_t version = 0; version < 1500; ++version) {  // more than are under way at once
        ASSERT_TRUE(put(0, 5, version));
    }
    ASSERT_TRUE(put(0, 5, 0, true));
    pair_.begin_following();
    ASSERT_TRUE(put(5, 5, 1400));  // which completes a version that it has not heard of
    ASSERT_TRUE(put(5, 5, 0, true));
    ASSERT_TRUE(pair_.remove("campaign", {.variable = "small", .version = 1450}));
    ASSERT_TRUE(put(0, 3, 1450));
    ASSERT_TRUE(pair_.remove("campaign", {.variable = "small", .version = 1460}));
    pair_.deliver(700);
    ASSERT_TRUE(put(5, 5, 3));     // of which it has
    ASSERT_TRUE(put(5, 2, 1499));  // and one that it has not
    pair_.deliver();
    pair_.expect_same();
    EXPECT_EQ(pair_.follower_memory().count(), pair_.leader_memory().count() - 2) << "but for the large ones";
}

TEST_F(FollowersTest, OfLargeBlocksItIsToldWhereTheyLie) {
    using Lies = ReplicaPair::Lies;
    ASSERT_TRUE(pair_.put("campaign", block(0, 5, 0, true), {}, Lies::with_both));
    pair_.begin_following();
    ASSERT_TRUE(pair_.put("campaign", block(5, 5, 0, true), {}, Lies::with_both));
    ASSERT_TRUE(pair_.put("campaign", block(0, 10, 1, true), {}, Lies::there));
    pair_.deliver();
    pair_.expect_same();
    EXPECT_EQ(pair_.follower_memory().count(), 0U);
    pair_.add_twin("campaign", "large", 1, pair_.led("campaign").at("large", 1)->ref(0));
    pair_.deliver();
    pair_.expect_same();
    const auto version = pair_.following().spaces().at("campaign")->at("large", 1);
    EXPECT_TRUE(version->has_twin(0));
}

TEST_F(FollowersTest, ARemovalIsOneChange) {
    for (const int version : {0, 1, 2}) {
        ASSERT_TRUE(put(0, 10, version));
    }
    pair_.begin_following();
    pair_.deliver();
    ASSERT_TRUE(pair_.remove("campaign", {.variable = "small"}, {"p", 7, 7}));
    EXPECT_EQ(pair_.followers().drops(), 3U);
    EXPECT_EQ(pair_.deliver(), 1);
    EXPECT_TRUE(pair_.following().answers().find({"p", 7, 7})) << "who asks again is told that it was done";
    EXPECT_EQ(pair_.follower_memory().count(), 0U);
    ASSERT_FALSE(pair_.remove("campaign", {.variable = "small"}, {"p", 8, 8}));
    pair_.deliver();
    EXPECT_FALSE(pair_.following().answers().find({"p", 8, 8})) << "it was not done";
}

}  // namespace
}  // namespace staithe::server
