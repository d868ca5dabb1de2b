#include "array/race.hpp"

#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::array {
namespace {

TEST(RaceRound, GivesEachWaySeveralTurnsForwardsAndBackwards) {
    RaceRound round(3);
    std::vector<int> turns;
    while (!round.over()) {
        turns.push_back(round.way());
        round.record(1.0);
    }
    EXPECT_EQ(turns, (std::vector{0, 1, 2, 2, 1, 0, 0, 1, 2}));
}

TEST(RaceRound, IsWonByTheLeastMedian) {
    RaceRound round(3);
    for (const double time : {5.0, 4.0, 1.0,   // 0, 1, 2
                              90.0, 4.2, 6.0,  // 2, 1, 0: one outlier decides nothing
                              5.5, 90.0, 3.0}) {
        round.record(time);
    }
    EXPECT_DOUBLE_EQ(round.median(0), 5.5);
    EXPECT_DOUBLE_EQ(round.median(1), 4.2);
    EXPECT_DOUBLE_EQ(round.median(2), 3.0);
    EXPECT_EQ(round.winner(), 2);
}

struct Piece {
    int way;
    std::int64_t first;
    std::int64_t count;
};

std::vector<Piece> pieces_of(Race& race, std::int64_t items, std::int64_t item_bytes) {
    std::vector<Piece> pieces;
    race.run(items, item_bytes,
             [&](int way, std::int64_t first, std::int64_t count) { pieces.push_back({way, first, count}); });
    return pieces;
}

void expect_all_done(const std::vector<Piece>& pieces, std::int64_t items) {
    std::int64_t next = 0;
    for (const Piece& piece : pieces) {
        EXPECT_EQ(piece.first, next);
        EXPECT_GT(piece.count, 0);
        next += piece.count;
    }
    EXPECT_EQ(next, items);
}

TEST(Race, DoesAllWorkOnceWhateverItsSize) {
    constexpr std::int64_t mib = std::int64_t{1} << 20;
    for (const std::int64_t items : {std::int64_t{1}, std::int64_t{7}, mib, 3 * mib + 5, 64 * mib, 64 * mib + 1}) {
        for (const std::int64_t item_bytes : {std::int64_t{1}, std::int64_t{4096}, 3 * mib}) {
            Race race(4);
            for (int call = 0; call < 40; ++call) {
                expect_all_done(pieces_of(race, items, item_bytes), items);
            }
        }
    }
}

TEST(Race, TriesAllWaysInOneLargePieceOfWork) {
    Race race(4);
    std::vector<int> turns(4);
    const auto pieces = pieces_of(race, std::int64_t{64} << 20, 1);
    for (const Piece& piece : pieces) {
        ++turns.at(static_cast<std::size_t>(piece.way));
    }
    for (const int count : turns) {
        EXPECT_GE(count, RaceRound::laps);
    }
    // The rest of it is the winner's, in one piece.
    EXPECT_EQ(pieces.size(), 4U * RaceRound::laps + 1);
    EXPECT_EQ(pieces.back().way, race.winner());
    EXPECT_EQ(pieces_of(race, std::int64_t{64} << 20, 1).size(), 1U);
}

TEST(Race, IsHeldAgainAndLessAndLessOften) {
    Race race(2);
    std::vector<int> calls_between_rounds;
    int calls = 0;
    while (calls_between_rounds.size() < 3) {
        ++calls;
        if (pieces_of(race, std::int64_t{8} << 20, 1).size() > 1) {
            calls_between_rounds.push_back(calls);
            calls = 0;
        }
    }
    EXPECT_EQ(calls_between_rounds[0], 1);
    EXPECT_GT(calls_between_rounds[1], 1);
    EXPECT_GT(calls_between_rounds[2], 2 * calls_between_rounds[1]);
}

TEST(Race, LetsWorkOfOtherThreadsBeDoneMeanwhile) {
    Race race(2);
    std::vector<Piece> inner;
    race.run(std::int64_t{8} << 20, 1, [&](int, std::int64_t, std::int64_t) {
        if (inner.empty()) {
            std::thread([&] { inner = pieces_of(race, std::int64_t{8} << 20, 1); }).join();
        }
    });
    EXPECT_EQ(inner.size(), 1U);
    expect_all_done(inner, std::int64_t{8} << 20);
}

}  // namespace
}  // namespace staithe::array
