#include "space/spread/lock_circle.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>

#include "store/space/lock_table.hpp"

namespace staithe::space {
namespace {

using store::space::LockMode;
using store::space::LockTable;
using ::testing::HasSubstr;

constexpr int servers = 3;

/// Lockers at several servers, each with a table that knows nothing of the others.
class LockCircleTest : public ::testing::Test {
  protected:
    LockTable& table(int rank) { return *tables_[static_cast<std::size_t>(rank)]; }
    /// The number of that holder at a server; its key is its name.
    std::int64_t holder(int rank, const std::string& name) {
        auto& known = holders_[{rank, name}];
        return known == 0 ? known = table(rank).join(name, name) : known;
    }
    /// The request.
    std::int64_t lock(int rank, const std::string& who, const std::string& variable, LockMode mode = LockMode::write) {
        const auto answer = table(rank).request(
            holder(rank, who), {.variable = variable, .mode = mode, .lease = std::chrono::hours(1)}, now_);
        EXPECT_TRUE(answer);
        return answer ? answer->request : 0;
    }
    LockCircle circle_of(const std::string& who) {
        return {who, servers, [this](int rank, const auto& holders, const auto& target) {
                    return silent_.contains(rank)
                               ? base::fail(ErrorCode::timeout, "it does not answer")
                               : base::Result<std::vector<store::space::WayOut>>(table(rank).ways_out(holders, target));
                }};
    }
    /// What it is told once it has looked this often.
    std::string look(const std::string& who, int times = 2) {
        LockCircle circle = circle_of(who);
        base::Result<> last;
        for (int i = 0; i < times; ++i) {
            last = circle.look();
        }
        EXPECT_TRUE(last || last.error().code == ErrorCode::deadlock);
        return last ? "" : last.error().message;
    }

    LockTable::Time now_{std::chrono::seconds(1000)};
    std::array<std::unique_ptr<LockTable>, servers> tables_{std::make_unique<LockTable>(LockTable::Settings{}),
                                                            std::make_unique<LockTable>(LockTable::Settings{}),
                                                            std::make_unique<LockTable>(LockTable::Settings{})};
    std::map<std::pair<int, std::string>, std::int64_t> holders_;
    std::set<int> silent_;
};

TEST_F(LockCircleTest, OfTwoTheOneWithTheGreaterKeyGivesUp) {
    lock(0, "ann", "x");
    lock(1, "bob", "y");
    lock(1, "ann", "y");
    lock(0, "bob", "x");
    EXPECT_EQ(look("ann", 5), "");
    EXPECT_EQ(look("bob", 1), "") << "what was seen once may be over";
    EXPECT_THAT(look("bob"), HasSubstr("in a circle: bob wants 'x' to write behind ann, who holds 'x' to write; "
                                       "ann wants 'y' to write behind bob, who holds 'y' to write. None of them"));
}

TEST_F(LockCircleTest, WhoWaitsForSomebodyWhoGoesOnIsInNone) {
    lock(0, "ann", "x");
    lock(1, "bob", "y");
    lock(0, "bob", "x");
    lock(1, "cat", "y");
    for (const char* who : {"ann", "bob", "cat"}) {
        EXPECT_EQ(look(who, 3), "") << who;
    }
}

TEST_F(LockCircleTest, OneThatWaitsForACircleIsNotInIt) {
    lock(0, "ann", "x");
    lock(1, "bob", "y");
    lock(1, "ann", "y");
    lock(0, "bob", "x");
    lock(0, "zoe", "x");
    EXPECT_EQ(look("zoe", 3), "");
    EXPECT_NE(look("bob"), "");
}

TEST_F(LockCircleTest, ThereMayBeOthersBetweenThemAtOneServer) {
    lock(0, "dan", "x", LockMode::read);
    lock(0, "cat", "x");                  // behind dan
    lock(0, "ann", "x", LockMode::read);  // behind cat
    lock(1, "ann", "y");
    lock(2, "bob", "z");
    lock(1, "bob", "y");  // behind ann
    lock(2, "dan", "z");  // behind bob
    EXPECT_EQ(look("ann") + look("bob") + look("cat"), "");
    const std::string told = look("dan");
    EXPECT_THAT(told, HasSubstr("dan wants 'z' to write behind bob, who holds 'z' to write; "
                                "bob wants 'y' to write behind ann, who holds 'y' to write; "
                                "ann wants 'x' to read behind cat, who asked before for 'x' to write; "
                                "cat wants 'x' to write behind dan, who holds 'x' to read. "));
}

TEST_F(LockCircleTest, OneThatCameAnewIsLookedAtAgain) {
    lock(0, "ann", "x");
    lock(1, "bob", "y");
    lock(1, "ann", "y");
    const auto first = lock(0, "bob", "x");
    LockCircle circle = circle_of("bob");
    EXPECT_TRUE(circle.look());
    EXPECT_TRUE(table(0).cancel(first, now_));
    lock(0, "bob", "x");
    EXPECT_TRUE(circle.look()) << "another wait";
    EXPECT_FALSE(circle.look());
}

TEST_F(LockCircleTest, WhileAServerDoesNotAnswerNothingIsCertain) {
    lock(0, "ann", "x");
    lock(1, "bob", "y");
    lock(1, "ann", "y");
    lock(0, "bob", "x");
    LockCircle circle = circle_of("bob");
    EXPECT_TRUE(circle.look());
    silent_ = {1};
    EXPECT_TRUE(circle.look());
    silent_ = {};
    EXPECT_TRUE(circle.look());
    EXPECT_FALSE(circle.look());
}

/// Holders take locks one after the other, in any order; those who are told to give up do.
TEST_F(LockCircleTest, WhereAllWhoAreToldGiveUpEverybodyComesToAnEnd) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 draw(seed);
        tables_ = {std::make_unique<LockTable>(LockTable::Settings{}),
                   std::make_unique<LockTable>(LockTable::Settings{}),
                   std::make_unique<LockTable>(LockTable::Settings{})};
        holders_.clear();
        struct Locker {
            std::vector<std::string> left;  // that it will lock, one after the other; the first character is the server
            std::vector<std::pair<int, std::int64_t>> requests;
        };
        std::map<std::string, Locker> lockers;
        std::map<std::string, LockCircle> circles;
        for (const char* name : {"ann", "bob", "cat", "dan", "eve"}) {
            std::vector<std::string> all{"0x", "0y", "1x", "1y", "2x", "2y"};
            std::ranges::shuffle(all, draw);
            all.resize(3);
            lockers[name].left = all;
            circles.emplace(name, circle_of(name));
        }
        const auto held = [&](const std::pair<int, std::int64_t>& request) {
            return table(request.first).locks().at(request.second).is_held();
        };
        const auto give_up = [&](Locker& locker) {
            for (const auto& [rank, request] : locker.requests) {
                table(rank).cancel(request, now_);
            }
            locker.requests.clear();
        };
        int rounds = 0;
        while (!lockers.empty()) {
            ASSERT_LT(++rounds, 200) << "seed " << seed;
            for (auto next = lockers.begin(); next != lockers.end();) {
                auto& [name, locker] = *next;
                const bool waits = !locker.requests.empty() && !held(locker.requests.back());
                if (waits) {
                    if (!circles.at(name).look()) {
                        give_up(locker);
                        next = lockers.erase(next);
                        continue;
                    }
                } else if (locker.left.empty()) {
                    give_up(locker);  // it is through
                    next = lockers.erase(next);
                    continue;
                } else {
                    const std::string where = locker.left.back();
                    const int rank = where[0] - '0';
                    const auto answer = table(rank).request(holder(rank, name),
                                                            {.variable = where,
                                                             .mode = draw() % 3 == 0 ? LockMode::read : LockMode::write,
                                                             .lease = std::chrono::hours(1)},
                                                            now_);
                    if (!answer) {  // a circle at one server
                        give_up(locker);
                        next = lockers.erase(next);
                        continue;
                    }
                    locker.requests.emplace_back(rank, answer->request);
                    locker.left.pop_back();
                }
                ++next;
            }
        }
    }
}

}  // namespace
}  // namespace staithe::space
