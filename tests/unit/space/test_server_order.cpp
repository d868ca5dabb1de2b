#include "space/spread/server_order.hpp"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::space {
namespace {

store::space::Put put_by(int rank, int ranks, std::int64_t version = 0) {
    return {
        .block =
            {.variable = "T", .dtype = Dtype::f64, .shape = {8}, .box = Box::whole({8}), .unit = {}, .attributes = {}},
        .version = version,
        .by = {.name = {}, .rank = rank, .ranks = ranks}};
}

TEST(ServerOrder, NamesEachServerOnce) {
    std::vector<int> order = server_order(std::vector<KnownServer>(5), put_by(3, 7), 0);
    std::ranges::sort(order);
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST(ServerOrder, NearOnesComeBeforeThoseThatHoldLess) {
    const std::vector<KnownServer> servers{{false, 0}, {true, 7000}, {false, 0}, {true, 5000}};
    EXPECT_EQ(server_order(servers, put_by(0, 1), 0), (std::vector{3, 1, 0, 2}));
}

TEST(ServerOrder, ProgramsOfNoGroupBeginWhereTheyLikeAmongEquals) {
    EXPECT_EQ(server_order(std::vector<KnownServer>(3), put_by(0, 1), 8), (std::vector{2, 0, 1}));
}

TEST(ServerOrder, RanksOfAGroupHaveTurns) {
    std::vector<int> first(4);
    for (int rank = 0; rank < 8; ++rank) {
        ++first[static_cast<std::size_t>(server_order(std::vector<KnownServer>(4), put_by(rank, 8), 0).front())];
    }
    EXPECT_EQ(first, (std::vector{2, 2, 2, 2}));
}

TEST(ServerOrder, OneRankTooManySharesAServerWithAnotherEachVersion) {
    std::vector<int> first(2);
    for (std::int64_t version = 0; version < 2; ++version) {
        for (int rank = 0; rank < 3; ++rank) {
            ++first[static_cast<std::size_t>(
                server_order(std::vector<KnownServer>(2), put_by(rank, 3, version), 0).front())];
        }
    }
    EXPECT_EQ(first, (std::vector{3, 3}));
}

TEST(ServerOrder, RanksOfAGroupLeaveTheirTurnForAVersionMore) {
    const std::int64_t version = 8 * 8;  // bytes
    std::vector<KnownServer> servers{{true, version}, {true, 0}};
    EXPECT_EQ(server_order(servers, put_by(0, 2), 0), (std::vector{0, 1}));
    ++servers[0].bytes;
    EXPECT_EQ(server_order(servers, put_by(0, 2), 0), (std::vector{1, 0}));
}

TEST(ServerOrder, RanksOfAGroupLeaveTheirTurnForATenthWhereThereIsMuch) {
    const std::int64_t version = 8 * 8, share = version / 2;
    const auto first = [](std::int64_t turn, std::int64_t other) {
        const std::vector<KnownServer> servers{{true, turn}, {true, other}};
        return server_order(servers, put_by(0, 2), 0).front();
    };
    EXPECT_EQ(first(4 * share + version, 4 * share), 0) << "a version more, of few";
    EXPECT_EQ(first(6 * share + share, 6 * share), 0) << "its share of a version more";
    EXPECT_EQ(first(6 * share + share + 1, 6 * share), 1);
    EXPECT_EQ(first(16 * share + share * 8 / 5, 16 * share), 0) << "a tenth more";
    EXPECT_EQ(first(16 * share + share * 8 / 5 + 1, 16 * share), 1);
    EXPECT_EQ(first(100 * share + version + 1, 100 * share), 1) << "a version more, of very many";
}

}  // namespace
}  // namespace staithe::space
