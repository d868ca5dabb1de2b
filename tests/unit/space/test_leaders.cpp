#include "space/spread/leaders.hpp"

#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "support/watchdog.hpp"

namespace staithe::space {
namespace {

using base::Deadline;
using base::Seconds;

class LeadersTest : public ::testing::Test {
  protected:
    /// Those that are not here are gone.
    std::map<int, std::set<int>> homes_;
    std::vector<int> asked_;
    Leaders leaders_{3};

    std::optional<int> look(int home, Seconds patience) {
        return leaders_.look(
            home,
            [this](int rank) -> base::Result<std::set<int>> {
                asked_.push_back(rank);
                const auto found = homes_.find(rank);
                return found == homes_.end() ? base::fail(ErrorCode::peer_lost, "it is gone")
                                             : base::Result<std::set<int>>(found->second);
            },
            Deadline(patience));
    }

  private:
    testing::Watchdog watchdog_;
};

TEST_F(LeadersTest, EachLeadsTheNamesOfItsHomeAtFirst) {
    for (const int home : {0, 1, 2}) {
        EXPECT_EQ(leaders_.of(home), home);
    }
}

TEST_F(LeadersTest, TheNextOneGoesOn) {
    homes_ = {{0, {0}}, {2, {2, 1}}};
    EXPECT_EQ(look(1, Seconds(20)), 2);
    EXPECT_EQ(asked_, (std::vector{1, 2}));
    EXPECT_EQ(leaders_.of(1), 2);
    EXPECT_EQ(leaders_.of(2), 2);
    EXPECT_EQ(leaders_.of(0), 0);
}

TEST_F(LeadersTest, WhoComesBackLeadsNothingOfItself) {
    homes_ = {{0, {0, 2}}, {1, {1}}, {2, {}}};
    EXPECT_EQ(look(2, Seconds(20)), 0);
    EXPECT_EQ(leaders_.of(2), 0);
}

TEST_F(LeadersTest, AsksUntilSomebodyLeads) {
    homes_ = {{0, {0}}};
    int rounds = 0;
    const auto leader = leaders_.look(
        1,
        [&](int rank) -> base::Result<std::set<int>> {
            rounds += rank == 0 ? 1 : 0;
            return rank == 0 && rounds == 3 ? std::set{0, 1} : std::set<int>();
        },
        Deadline(Seconds(20)));
    EXPECT_EQ(leader, 0);
    EXPECT_EQ(rounds, 3);
}

TEST_F(LeadersTest, WhereNobodyLeadsInTimeNothingIsForgotten) {
    homes_ = {{0, {0}}, {2, {2}}};
    EXPECT_EQ(look(1, Seconds(0)), std::nullopt);
    EXPECT_EQ(asked_, (std::vector{1, 2, 0})) << "once each";
    EXPECT_EQ(leaders_.of(1), 1);
}

}  // namespace
}  // namespace staithe::space
