// A depot of another server: that server is this process, too.
#include "stream/staging/far_depot.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

#include "stream/hosting/host.hpp"
#include "stream/hosting/hosting_request.hpp"
#include "support/child_process.hpp"
#include "transport/directory/directory.hpp"
#include "unit/stream/staging/blocks_of_a_rank.hpp"

namespace staithe::stream {
namespace {

class FarDepotTest : public ::testing::Test {
  protected:
    [[nodiscard]] base::Result<std::shared_ptr<FarDepot>> open(const std::string& service = "depot of melt") const {
        return FarDepot::open(*rank_.endpoint(), rank_.entry(transport::Kind::server, "harbour"), BlocksOfARank::stream,
                              service, 8, base::Deadline(base::Seconds(20)));
    }
    /// What the server has of the stream; nothing if it has no depot for it.
    [[nodiscard]] std::int64_t bytes_there() const {
        const Attributes description = host_->describe();
        const Attributes& streams = *description.at("streams").as_map();
        const auto melt = streams.find(BlocksOfARank::stream);
        return melt == streams.end() ? -1 : melt->second.as_map()->at("memory").as_int().value();
    }

    BlocksOfARank rank_;
    std::shared_ptr<Host> host_ = Host::start(rank_.endpoint(), "harbour", {}, false).value();
};

TEST_F(FarDepotTest, HasWhatTheOtherServerFetches) {
    rank_.offer();
    EXPECT_EQ(bytes_there(), -1);
    const auto depot = open().value();
    EXPECT_LT(bytes_there(), 1 << 20);
    const std::vector blocks{rank_.block(bytes_of(1 << 20, 1)), rank_.block(bytes_of(100, 2))};
    const std::int64_t first = taken(*depot, rank_.consignment(blocks)).value();
    const std::int64_t second = taken(*depot, rank_.consignment(blocks)).value();
    EXPECT_GE(std::abs(second - first), (1 << 20) + 128) << "both are kept";
    EXPECT_GE(bytes_there(), 2 << 20);
    depot->free(first);
    depot->free(second);
    depot->shrink();
    for (int i = 0; i < 1000 && bytes_there() > 1 << 20; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_LT(bytes_there(), 1 << 20);
}

TEST_F(FarDepotTest, TakesItsMemoryAlong) {
    auto depot = open().value();
    depot = nullptr;
    for (int i = 0; i < 1000 && bytes_there() != -1; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_EQ(bytes_there(), -1);
}

TEST_F(FarDepotTest, PassesOnWhyTheOtherServerHasNothing) {
    const auto depot = open().value();
    const std::vector blocks{rank_.block(bytes_of(100, 1))};
    EXPECT_EQ(taken(*depot, rank_.consignment(blocks)).error().code, ErrorCode::peer_lost);
    EXPECT_EQ(taken(*depot, {BlocksOfARank::rank, "no contact", blocks, bytes_of_each(blocks)}).error().code,
              ErrorCode::protocol);
    rank_.offer();
    EXPECT_TRUE(taken(*depot, rank_.consignment(blocks))) << "it goes on";
}

TEST_F(FarDepotTest, WhatIsNoDepotIsRefused) {
    EXPECT_EQ(open("whatever").error().code, ErrorCode::protocol);
    host_ = nullptr;
    EXPECT_FALSE(open()) << "that process is no server";
}

TEST_F(FarDepotTest, TellsNobodyOnceItIsStopped) {
    rank_.offer();
    std::atomic<bool> was_told{false};
    {
        const auto depot = open().value();
        depot->stop();
        ASSERT_TRUE(depot->take(rank_.consignment({rank_.block(bytes_of(100, 1))}),
                                [&](const base::Result<Stowed>&) { was_told = true; }));
    }
    EXPECT_FALSE(was_told);
}

TEST_F(FarDepotTest, GarbledRequestsAreAnswered) {
    const auto link = transport::reach(*rank_.endpoint(), rank_.entry(transport::Kind::server, "harbour"),
                                       base::Deadline(base::Seconds(20)))
                          .value();
    const auto ask = [&](const char* type, Attributes body) {
        body.insert({{"service", hosting_service}, {"type", type}});
        return link->call(std::move(body), {}, base::Deadline(base::Seconds(20)));
    };
    const Attributes depot{{"depot", "depot of melt"}};
    EXPECT_EQ(ask(hosting::found, depot).error().code, ErrorCode::protocol);
    EXPECT_FALSE(ask(hosting::found, {{"depot", "depot of melt"}, {"stream", "../melt"}, {"store", 1}}));
    ASSERT_TRUE(ask(hosting::found, {{"depot", "depot of melt"}, {"stream", "melt"}, {"store", 1}}));
    EXPECT_FALSE(ask(hosting::take, depot));
    Attributes take = encode(rank_.consignment({}));
    take["depot"] = "depot of none";
    EXPECT_FALSE(ask(hosting::take, take));
    take = encode(rank_.consignment({{.bytes = 1}}));
    take["depot"] = "depot of melt";
    for (const List& blocks : {List{1}, List{"a", 2}, List{0, -1}, List{INT64_MAX, INT64_MAX}}) {
        take["blocks"] = blocks;
        EXPECT_FALSE(ask(hosting::take, take));
    }
}

TEST(FarDepots, EndWithTheirServerThoughBothGoAtOnce) {
    constexpr int alone = 1 + testing::threads_of_sanitizer;
    for (int i = 0; i < 30; ++i) {
        const BlocksOfARank rank;
        const auto host = Host::start(rank.endpoint(), "harbour", {}, false).value();
        EXPECT_TRUE(FarDepot::open(*rank.endpoint(), rank.entry(transport::Kind::server, "harbour"),
                                   BlocksOfARank::stream, "depot of melt", 8, base::Deadline(base::Seconds(20))));
    }
    for (int i = 0; i < 2000 && testing::count_threads() > alone; ++i) {
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    EXPECT_LE(testing::count_threads(), alone) << "they wait for each other";
}

}  // namespace
}  // namespace staithe::stream
