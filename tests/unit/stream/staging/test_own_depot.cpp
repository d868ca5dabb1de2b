#include "stream/staging/own_depot.hpp"

#include <unistd.h>

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "unit/stream/staging/blocks_of_a_rank.hpp"

namespace staithe::stream {
namespace {

class OwnDepotTest : public ::testing::Test {
  protected:
    [[nodiscard]] std::vector<std::byte> lies_at(std::int64_t place, std::size_t size) const {
        std::vector<std::byte> bytes(size);
        EXPECT_EQ(::pread(depot_->file().get(), bytes.data(), size, place), static_cast<ssize_t>(size));
        return bytes;
    }

    BlocksOfARank rank_;
    const std::shared_ptr<OwnDepot> depot_ = OwnDepot::open(rank_.endpoint(), BlocksOfARank::stream).value();
};

TEST_F(OwnDepotTest, FetchesBlocksBehindEachOther) {
    rank_.offer();
    const auto one = bytes_of(100, 1), other = bytes_of(300'000, 2);
    const std::vector blocks{rank_.block(one), rank_.block({}), rank_.block(other)};
    const auto place = taken(*depot_, rank_.consignment(blocks));
    ASSERT_TRUE(place) << place.error().message;
    EXPECT_EQ(lies_at(*place, 100), one);
    EXPECT_EQ(lies_at(*place + 128, other.size()), other) << "an empty block takes no room";
    EXPECT_GT(depot_->bytes(), 300'000);
}

TEST_F(OwnDepotTest, UsesMemoryAgainThatIsFreed) {
    rank_.offer();
    const std::vector blocks{rank_.block(bytes_of(1 << 20, 1))};
    const std::int64_t first = taken(*depot_, rank_.consignment(blocks)).value();
    depot_->free(first);
    depot_->free(first);
    depot_->free(-7);
    const std::int64_t bytes = depot_->bytes();
    for (int i = 0; i < 20; ++i) {
        depot_->free(taken(*depot_, rank_.consignment(blocks)).value());
    }
    EXPECT_EQ(depot_->bytes(), bytes);
}

TEST_F(OwnDepotTest, TakesConsignmentsOfARankInTheirOrder) {
    rank_.offer();
    std::atomic<int> arrived{0};
    std::atomic<bool> in_order{true};
    for (int i = 0; i < 50; ++i) {
        ASSERT_TRUE(depot_->take(rank_.consignment({rank_.block(bytes_of(5000, static_cast<unsigned>(i)))}),
                                 [&, i](const base::Result<Stowed>& come) {
                                     in_order = in_order && come && arrived == i &&
                                                lies_at(come->place, 5000) == bytes_of(5000, static_cast<unsigned>(i));
                                     ++arrived;
                                     arrived.notify_all();
                                 }));
    }
    for (int now = arrived; now < 50; now = arrived) {
        arrived.wait(now);
    }
    EXPECT_TRUE(in_order);
}

TEST_F(OwnDepotTest, SaysWhyItHasNothing) {
    const std::vector blocks{rank_.block(bytes_of(100, 1))};
    rank_.offer();
    const Consignment consignment = rank_.consignment(blocks);
    rank_.withdraw();
    EXPECT_FALSE(taken(*depot_, consignment));
    rank_.offer();
    EXPECT_EQ(taken(*depot_, {BlocksOfARank::rank, "no contact", blocks, bytes_of_each(blocks)}).error().code,
              ErrorCode::protocol);
    EXPECT_EQ(taken(*depot_, rank_.consignment({{.bytes = -1}})).error().code, ErrorCode::protocol);
    auto nowhere = blocks;
    nowhere.front().offset = std::int64_t{1} << 40;
    EXPECT_EQ(taken(*depot_, rank_.consignment(nowhere)).error().code, ErrorCode::protocol);
    EXPECT_TRUE(taken(*depot_, rank_.consignment(blocks))) << "it goes on";
}

TEST_F(OwnDepotTest, TellsNobodyOnceItIsStopped) {
    rank_.offer();
    std::atomic<bool> was_told{false};
    depot_->stop();
    ASSERT_TRUE(depot_->take(rank_.consignment({rank_.block(bytes_of(100, 1))}),
                             [&](const base::Result<Stowed>&) { was_told = true; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_FALSE(was_told);
}

TEST_F(OwnDepotTest, GivesMemoryBackWhenNoRankWritesAnyMore) {
    rank_.offer();
    const std::vector blocks{rank_.block(bytes_of(4 << 20, 1))};
    const std::int64_t kept = taken(*depot_, rank_.consignment(blocks)).value();
    const std::int64_t freed = taken(*depot_, rank_.consignment(blocks)).value();
    const std::int64_t all = depot_->bytes();
    depot_->free(freed);
    EXPECT_EQ(depot_->bytes(), all) << "another step may need it";
    EXPECT_GE(depot_->give_back(), 4 << 20);
    EXPECT_LT(depot_->bytes(), all);
    EXPECT_EQ(depot_->give_back(), 0);
    depot_->shrink();
    EXPECT_EQ(lies_at(kept, 4 << 20), bytes_of(4 << 20, 1));
    depot_->free(kept);
    EXPECT_LT(depot_->bytes(), 4 << 20);
}

}  // namespace
}  // namespace staithe::stream
