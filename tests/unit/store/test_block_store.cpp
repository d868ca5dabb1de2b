#include "store/block_store.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "base/budget.hpp"
#include "memory/sources.hpp"

namespace staithe::store {
namespace {

std::shared_ptr<const Descriptions> two_halves() {
    BlockDescription low;
    low.variable = "T";
    low.dtype = Dtype::f64;
    low.shape = {8};
    low.box = {{0}, {4}};
    BlockDescription high = low;
    high.box = {{4}, {4}};
    return std::make_shared<const Descriptions>(Descriptions{low, high});
}

class BlockStoreTest : public ::testing::Test {
  protected:
    void keep(std::int64_t version, Tier tier = Tier::memory) {
        std::vector<BlockMemory> blocks{store_.allocate(tier, 32).value(), store_.allocate(tier, 32).value()};
        store_.keep(version, tier, two_halves(), blocks);
        EXPECT_TRUE(blocks.empty());
    }
    [[nodiscard]] bool has(std::int64_t version) const { return store_.find("T", version, {{0}, {1}}).has_value(); }

    BlockStore store_{memory::open_pool("memory").value(),
                      memory::open_pool("disk", memory::on_disk, "/var/tmp").value()};
};

TEST_F(BlockStoreTest, BlocksOfADroppedVersionAreThoseOfTheNextInTheirOrder) {
    keep(1);
    const auto low = store_.find("T", 1, {{0}, {4}})->where.memory.offset;
    const auto high = store_.find("T", 1, {{4}, {4}})->where.memory.offset;
    EXPECT_TRUE(store_.unpin(1));
    keep(2);
    EXPECT_EQ(store_.find("T", 2, {{0}, {4}})->where.memory.offset, low);
    EXPECT_EQ(store_.find("T", 2, {{4}, {4}})->where.memory.offset, high);
}

TEST_F(BlockStoreTest, BlocksOfAnotherSizeGoBackToThePool) {
    keep(1);
    const auto low = store_.find("T", 1, {{0}, {4}})->where.memory;
    EXPECT_TRUE(store_.unpin(1));
    const auto larger = store_.allocate(Tier::memory, 4096).value();
    const auto again = store_.pool_of(Tier::memory)->allocate(low.bytes).value();
    EXPECT_EQ(again.offset, low.offset) << "the pool hands out first what came back last";
    EXPECT_NE(larger.memory.offset, low.offset);
}

TEST_F(BlockStoreTest, FindsTheBlockThatHoldsABox) {
    keep(5);
    const auto low = store_.find("T", 5, {{1}, {2}});
    const auto high = store_.find("T", 5, {{4}, {4}});
    ASSERT_TRUE(low && high);
    EXPECT_EQ(low->description->box.offset, Extents{0});
    EXPECT_EQ(high->description->box.offset, Extents{4});
    EXPECT_NE(low->where.memory.offset, high->where.memory.offset);
    EXPECT_FALSE(store_.find("T", 5, {{3}, {2}})) << "lies in no block";
    EXPECT_FALSE(store_.find("U", 5, {{1}, {2}}));
    EXPECT_FALSE(store_.find("T", 6, {{1}, {2}}));
}

TEST_F(BlockStoreTest, CountsWhatEachTierHolds) {
    keep(0);
    keep(1, Tier::disk);
    keep(2);
    EXPECT_EQ(store_.held(Tier::memory).versions, 2);
    EXPECT_EQ(store_.held(Tier::memory).bytes, 128);
    EXPECT_EQ(store_.held(Tier::disk).bytes, 64);
    EXPECT_EQ(base::used(base::Resource::bytes_in_flight), 128);
    EXPECT_TRUE(store_.unpin(0));
    EXPECT_EQ(store_.held(Tier::memory).versions, 1);
    EXPECT_EQ(base::used(base::Resource::bytes_in_flight), 64);
    EXPECT_FALSE(store_.unpin(0)) << "it is gone";
}

TEST_F(BlockStoreTest, TheLastPinKeepsTheBlocks) {
    keep(0);
    store_.pin(0);
    EXPECT_TRUE(store_.unpin(0));
    EXPECT_TRUE(has(0));
    EXPECT_TRUE(store_.unpin(0));
    EXPECT_FALSE(has(0));
}

TEST_F(BlockStoreTest, NewestVersionsStayWithoutAPinIfTheyAreRetained) {
    store_.retain(2);
    for (std::int64_t version = 0; version < 4; ++version) {
        keep(version);
        EXPECT_TRUE(store_.unpin(version));
    }
    EXPECT_FALSE(has(1));
    EXPECT_TRUE(has(2));
    EXPECT_TRUE(has(3));
    store_.retain(0);
    EXPECT_FALSE(has(3));
    EXPECT_EQ(store_.held(Tier::memory).bytes, 0);
}

TEST_F(BlockStoreTest, MemoryIsUsedAgain) {
    for (std::int64_t version = 0; version < 10'000; ++version) {
        keep(version);
        EXPECT_TRUE(store_.unpin(version));
    }
    EXPECT_LE(store_.pool_of(Tier::memory)->capacity(), 1 << 20);
}

}  // namespace
}  // namespace staithe::store
