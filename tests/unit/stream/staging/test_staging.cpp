#include "stream/staging/staging.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>

#include "unit/stream/staging/staging_test.hpp"

namespace staithe::stream {
namespace {

TEST_F(StagingTest, WhatARankSaysCountsOnceItHasCome) {
    ToldDepot& depot = add("beta");
    staging_.expect(0, on("alpha"));
    EXPECT_TRUE(staging_.has(0));
    EXPECT_FALSE(staging_.has(1));
    EXPECT_TRUE(staging_.advance(5));
    ASSERT_TRUE(staging_.say(0, record(5, {100, 64, 0})));
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{});
    EXPECT_EQ(staging_.waiting(0), 1);
    ASSERT_EQ(depot.waiting.size(), 1);
    EXPECT_EQ(depot.waiting.front().first.contact, transport::to_json(on("alpha")));
    depot.fetch();
    note_all();
    const auto said = staging_.take_next(0).value();
    EXPECT_EQ(said.step, 5);
    ASSERT_EQ(said.blocks.size(), 3);
    const std::int64_t place = depot.places.begin()->first;
    EXPECT_EQ(said.blocks[0], (store::BlockRef{.store = first_store, .offset = place, .bytes = 100}));
    EXPECT_EQ(said.blocks[1], (store::BlockRef{.store = first_store, .offset = place + 128, .bytes = 64}));
    EXPECT_EQ(said.blocks[2], (store::BlockRef{.store = first_store, .offset = place + 192, .bytes = 0}));
    staging_.forget(5);
    EXPECT_EQ(depot.used, 0);
}

TEST_F(StagingTest, ItCountsInTheOrderInWhichItWasSaid) {
    ToldDepot& one = add("beta");
    ToldDepot& other = add("gamma");
    staging_.expect(0, on("alpha"));
    ASSERT_TRUE(staging_.say(0, record(0, {100})));
    ASSERT_TRUE(staging_.say(0, record(1, {100})));
    ASSERT_TRUE(staging_.say(0, Said{.kind = Said::Kind::finished}));
    ASSERT_EQ(one.waiting.size(), 1);
    ASSERT_EQ(other.waiting.size(), 1);
    other.fetch();
    note_all();
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{});
    one.fetch();
    note_all();
    EXPECT_EQ(staging_.take_next(0)->step, 0);
    EXPECT_FALSE(staging_.take_next(0)) << "the step before it is not complete";
    EXPECT_TRUE(staging_.advance(1));
    EXPECT_FALSE(staging_.advance(1)) << "that is known";
    EXPECT_EQ(staging_.take_next(0)->blocks.front().store, first_store + 1);
    EXPECT_EQ(staging_.take_next(0)->kind, Said::Kind::finished);
    EXPECT_FALSE(staging_.take_next(0));
}

TEST_F(StagingTest, WhatIsOnItsWayWeighsAsMuchAsWhatCameBefore) {
    ToldDepot& one = add("beta");
    ToldDepot& other = add("gamma");
    staging_.expect(0, on("alpha"));
    staging_.expect(1, on("alpha"));
    one.saves = 16;
    ASSERT_TRUE(staging_.say(0, record(0, {16'384})));  // to the first one: 1024 bytes there
    fetch_all();
    ASSERT_TRUE(staging_.say(1, record(0, {3'072})));  // to the other
    fetch_all();
    EXPECT_EQ(counting(0).size() + counting(1).size(), 2);
    EXPECT_TRUE(staging_.advance(1));
    ASSERT_TRUE(staging_.say(0, record(1, {16'384})));
    ASSERT_EQ(one.waiting.size(), 1);
    ASSERT_TRUE(staging_.say(1, record(1, {3'072})));
    EXPECT_EQ(one.waiting.size(), 2) << "2048 bytes are less than 3072";
    EXPECT_EQ(other.waiting.size(), 0);
    EXPECT_EQ(staging_.bytes_here(), 2 * 1024 + 3'072);
    fetch_all();
    EXPECT_EQ(staging_.bytes_here(), 2 * 1024 + 3'072 / 16);
}

TEST_F(StagingTest, ABlocklessStepCountsAtOnce) {
    add("beta");
    staging_.expect(0, on("alpha"));
    ASSERT_TRUE(staging_.say(0, record(0, {})));
    ASSERT_TRUE(staging_.say(0, record(1, {0, 0})));
    EXPECT_EQ(counting(0), (std::vector<std::int64_t>{0, 1}));
}

TEST_F(StagingTest, WhatCannotBeFetchedIsNotSaid) {
    add("beta").is_broken = true;
    staging_.expect(0, on("alpha"));
    EXPECT_EQ(staging_.say(0, record(0, {100})).error().code, ErrorCode::peer_lost);
    EXPECT_EQ(staging_.say(0, record(0, {-100})).error().code, ErrorCode::protocol);
    EXPECT_EQ(staging_.waiting(0), 0);
}

TEST_F(StagingTest, WhatIsNotAsItIsDescribedIsRefused) {
    ToldDepot& depot = add("beta");
    staging_.expect(0, on("alpha"));
    Said unknown = record(0, {100});
    unknown.schema_bytes.clear();
    EXPECT_EQ(staging_.say(0, unknown).error().code, ErrorCode::protocol) << "no schema has come yet, not even 0";
    Said more = record(0, {100, 200});
    more.schema_bytes = record(0, {100}).schema_bytes;
    EXPECT_EQ(staging_.say(0, more).error().code, ErrorCode::protocol);
    Said larger = record(0, {200});
    larger.schema_bytes = record(0, {100}).schema_bytes;
    EXPECT_EQ(staging_.say(0, larger).error().code, ErrorCode::protocol);
    Said empty = record(0, {0, 0});
    empty.schema_bytes = record(0, {0}).schema_bytes;
    EXPECT_EQ(staging_.say(0, empty).error().code, ErrorCode::protocol);
    EXPECT_EQ(staging_.waiting(0), 0);
    EXPECT_TRUE(depot.waiting.empty());

    ASSERT_TRUE(staging_.say(0, record(0, {100})));
    unknown.step = 1;
    EXPECT_TRUE(staging_.say(0, unknown)) << "the same as before";
    more.step = 2;
    more.schema_bytes.clear();
    EXPECT_EQ(staging_.say(0, more).error().code, ErrorCode::protocol);
}

TEST_F(StagingTest, WhatCameOfALostRankIsGivenBack) {
    ToldDepot& depot = add("beta");
    staging_.expect(0, on("alpha"));
    ASSERT_TRUE(staging_.say(0, record(0, {100})));
    staging_.lose(0);
    fetch_all();
    EXPECT_EQ(depot.used, 0);
    EXPECT_EQ(counting(0), std::vector<std::int64_t>{});
    ASSERT_TRUE(staging_.say(0, record(1, {100})));
    staging_.advance(1);
    fetch_all();
    EXPECT_EQ(depot.used, 128) << "it has come";
    staging_.lose(0);
    EXPECT_EQ(depot.used, 0);
    staging_.lose(7);  // of which nothing is fetched
    staging_.shrink();
    staging_.stop();
    EXPECT_TRUE(depot.shrinks);
    EXPECT_TRUE(depot.stopped);
}

TEST_F(StagingTest, ARankIsWithTheServersOfItsHost) {
    for (const char* host : {"beta", "gamma", "gamma"}) {
        add(host);
    }
    staging_.expect(0, on("gamma"));
    staging_.expect(1, on("beta"));
    for (std::int64_t step = 0; step < 10; ++step) {
        ASSERT_TRUE(staging_.say(0, record(step, {6400})));
        ASSERT_TRUE(staging_.say(1, record(step, {64})));
        staging_.advance(step);
    }
    fetch_all();
    EXPECT_EQ(used(), (std::vector<std::int64_t>{640, 32'000, 32'000}));
}

/// Two ranks, one of which has lent memory of the first server, write steps of which some stay.
TEST_F(StagingTest, ALatecomerHasItsShareOfWhatIsWrittenFromThenOn) {
    constexpr std::int64_t kept = 8, steps = 32;
    add("beta");
    staging_.expect(0, on("alpha"));
    staging_.expect(1, on("alpha"));
    std::int64_t lent_from_then_on = 0;
    for (std::int64_t step = 0; step < steps; ++step) {
        if (step == steps / 2) {
            add("gamma");
            EXPECT_EQ(used(), (std::vector<std::int64_t>{(kept - 1) * 960, 0}));
        }
        ASSERT_TRUE(staging_.say(0, record(step, {640})));
        ASSERT_TRUE(staging_.say(1, record(step, {320})));
        staging_.lend(2, step, 64);
        lent_from_then_on += step >= steps / 2 ? 64 : 0;
        staging_.advance(step);
        fetch_all();
        EXPECT_EQ(counting(0), std::vector{step});
        EXPECT_EQ(counting(1), std::vector{step});
        if (step >= steps / 2) {
            const std::int64_t since = step - steps / 2 + 1;
            const std::int64_t of_first = std::max<std::int64_t>(0, kept - since) * 960;  // from before
            const auto there = used();
            if (since <= kept) {
                EXPECT_NEAR(static_cast<double>(there[0] - of_first + lent_from_then_on), static_cast<double>(there[1]),
                            640.0)
                    << step;
            }
        }
        if (step >= kept - 1) {
            staging_.forget(step - kept + 1);
        }
    }
    const auto there = used();
    EXPECT_NEAR(static_cast<double>(there[0] + (kept - 1) * 64), static_cast<double>(there[1]), 640.0);
}

TEST_F(StagingTest, ALatecomerTakesWhatFoundNoRoom) {
    add("beta").room = 100;
    staging_.expect(0, on("alpha"));
    ASSERT_TRUE(staging_.say(0, record(0, {640})));
    fetch_all();
    EXPECT_TRUE(staging_.lacks_room(0));
    add("gamma");
    ASSERT_TRUE(staging_.try_again());
    fetch_all();
    EXPECT_FALSE(staging_.lacks_room(0));
    EXPECT_EQ(staging_.take_next(0)->blocks.front().store, first_store + 1);
}

/// Steps of so many bytes of ranks on hosts, where some may be ahead of others; the last `kept` steps stay.
struct Mix {
    std::vector<std::string> hosts;  // of ranks; servers are on beta, gamma, delta
    std::vector<std::int64_t> bytes;
    std::size_t servers = 2;
    std::vector<std::int64_t> ahead{};  // steps, of each rank
};

class BalanceTest : public StagingTest, public ::testing::WithParamInterface<Mix> {};

TEST_P(BalanceTest, IsKeptWhateverRanksLieWhere) {
    constexpr std::int64_t steps = 120, kept = 32;
    const Mix& mix = GetParam();
    const std::vector<std::string> servers{"beta", "gamma", "delta"};
    for (std::size_t i = 0; i < mix.servers; ++i) {
        add(servers[i]);
    }
    std::map<std::int64_t, std::int64_t> lent;
    std::vector<std::int64_t> said(mix.hosts.size());
    std::map<int, std::vector<std::int64_t>> counted;
    for (std::size_t rank = 0; rank < mix.hosts.size(); ++rank) {
        if (mix.hosts[rank] != "beta") {
            staging_.expect(static_cast<int>(rank), on(mix.hosts[rank]));
        }
    }
    for (std::int64_t now = 0; now < steps + 8; ++now) {
        for (std::size_t i = 0; i < mix.hosts.size(); ++i) {
            const int rank = static_cast<int>(i);
            const std::int64_t step = now - 8 + (mix.ahead.empty() ? 8 : mix.ahead[i]);
            if (step < 0 || step >= steps) {
                continue;
            }
            if (staging_.has(rank)) {
                ASSERT_TRUE(staging_.say(rank, record(step, {mix.bytes[i]})));
            } else {
                staging_.lend(rank, step, mix.bytes[i]);
                lent[step] += mix.bytes[i];
            }
            said[i] = step + 1;
            staging_.advance(std::ranges::min(said));
            fetch_all();
            for (std::size_t each = 0; each < said.size(); ++each) {
                if (staging_.has(static_cast<int>(each))) {
                    std::ranges::copy(counting(static_cast<int>(each)),
                                      std::back_inserter(counted[static_cast<int>(each)]));
                }
            }
        }
        if (now >= kept + 8) {
            staging_.forget(now - kept - 8);
            lent.erase(now - kept - 8);
        }
    }
    for (std::int64_t step = 0; step < steps - kept; ++step) {
        staging_.forget(step);
        lent.erase(step);
    }
    std::vector<std::int64_t> all_steps(static_cast<std::size_t>(steps));
    std::iota(all_steps.begin(), all_steps.end(), 0);
    for (const auto& [rank, counted_steps] : counted) {
        EXPECT_EQ(counted_steps, all_steps) << rank;
    }
    std::vector<std::int64_t> there = used();
    for (const auto& [step, bytes] : lent) {
        there.front() += bytes;
    }
    double all = 0;
    for (const std::int64_t bytes : there) {
        all += static_cast<double>(bytes);
    }
    EXPECT_LE(static_cast<double>(std::ranges::max(there)), 1.1 * all / static_cast<double>(there.size()))
        << ::testing::PrintToString(there);
}
INSTANTIATE_TEST_SUITE_P(
    Mixes, BalanceTest,
    ::testing::Values(Mix{{"alpha"}, {6400}}, Mix{{"alpha", "alpha", "alpha"}, {6400, 64, 640}},
                      Mix{{"beta", "alpha"}, {6400, 6400}}, Mix{{"alpha", "beta"}, {6400, 6400}, 2, {8, 2}},
                      Mix{{"alpha", "beta"}, {6400, 6400}, 2, {2, 8}},
                      Mix{{"alpha", "beta", "gamma", "alpha"}, {6400, 6400, 6400, 6400}},
                      Mix{{"alpha", "beta", "gamma", "alpha"}, {6400, 640, 3200, 6400}, 2, {8, 4, 2, 6}},
                      Mix{{"beta", "alpha", "epsilon"}, {6400, 6400, 3200}, 2, {3, 8, 6}},
                      Mix{{"beta", "alpha", "alpha", "epsilon"}, {6400, 6400, 3200, 9600}, 3, {3, 8, 6, 5}},
                      Mix{{"gamma", "alpha", "alpha", "epsilon"}, {6400, 6400, 3200, 9600}, 3, {1, 8, 6, 5}}));

}  // namespace
}  // namespace staithe::stream
