#include "stream/reading/live/intake.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace staithe::stream::live {
namespace {

std::vector<transport::Message> announcements(const std::vector<int>& ranks, std::int64_t step) {
    std::vector<transport::Message> messages;
    for (const int rank : ranks) {
        messages.push_back(hot_message(Hot::announce, step, rank));
    }
    return messages;
}

TEST(Announcements, OfAllRanksAreSortedByRank) {
    const auto messages = announcements({2, 0, 1}, 7);
    std::vector<const transport::Message*> by_rank(3);
    ASSERT_TRUE(sort_by_rank(messages, by_rank));
    EXPECT_EQ(by_rank, (std::vector<const transport::Message*>{&messages[1], &messages[2], &messages[0]}));
}

TEST(Announcements, OfOneRankTwiceAreRefused) {
    std::vector<const transport::Message*> by_rank(3);
    EXPECT_EQ(sort_by_rank(announcements({0, 0, 1}, 7), by_rank).error().code, ErrorCode::protocol);
    EXPECT_EQ(sort_by_rank(announcements({0, 1, 3}, 7), by_rank).error().code, ErrorCode::protocol);
}

TEST(Announcements, OfTwoStepsAreRefused) {
    auto messages = announcements({0, 1}, 7);
    messages[1].step = 8;
    std::vector<const transport::Message*> by_rank(2);
    EXPECT_EQ(sort_by_rank(messages, by_rank).error().code, ErrorCode::protocol);
}

}  // namespace
}  // namespace staithe::stream::live
