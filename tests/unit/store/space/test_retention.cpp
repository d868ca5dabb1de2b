#include "store/space/retention.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace staithe::store::space {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ClockTime = base::Clock::time_point;

constexpr ClockTime first_complete{seconds(1000)};
constexpr std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();

/// Of 10 bytes each, and one a second.
std::vector<Retained> versions_until(std::int64_t newest) {
    std::vector<Retained> versions;
    for (std::int64_t number = 0; number <= newest; ++number) {
        versions.push_back(
            {.number = number, .bytes = 10, .complete = true, .completed = first_complete + seconds(number)});
    }
    return versions;
}

TEST(Retention, WithoutRulesAllStay) {
    EXPECT_THAT(find_expendable(versions_until(5), {}, first_complete + seconds(1000)).versions, IsEmpty());
    EXPECT_THAT(find_expendable({}, {.keep = 1}, first_complete).versions, IsEmpty());
}

TEST(Retention, TheNewestCompleteOnesStay) {
    auto versions = versions_until(5);
    EXPECT_THAT(find_expendable(versions, {.keep = 2}, first_complete).versions, ElementsAre(0, 1, 2, 3));
    versions[5].complete = false;
    EXPECT_THAT(find_expendable(versions, {.keep = 2}, first_complete).versions, ElementsAre(0, 1, 2));
}

TEST(Retention, TheNewestThatFitStay) {
    auto versions = versions_until(5);
    EXPECT_THAT(find_expendable(versions, {.keep_bytes = 30}, first_complete).versions, ElementsAre(0, 1, 2));
    EXPECT_THAT(find_expendable(versions, {.keep_bytes = 29}, first_complete).versions, ElementsAre(0, 1, 2, 3));
    versions[4].bytes = 100;  // older ones do not stay in its place
    EXPECT_THAT(find_expendable(versions, {.keep_bytes = 50}, first_complete).versions, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(find_expendable(versions, {.keep_bytes = 0}, first_complete).versions, ElementsAre(0, 1, 2, 3, 4));
    versions[5].bytes = most_bytes;
    versions[4].bytes = most_bytes;
    EXPECT_THAT(find_expendable(versions, {.keep_bytes = most_bytes}, first_complete).versions,
                ElementsAre(0, 1, 2, 3, 4));
}

TEST(Retention, OldOnesGoAndItIsSaidWhen) {
    const auto versions = versions_until(3);
    const auto first = find_expendable(versions, {.keep_for = seconds(10)}, first_complete + seconds(11));
    EXPECT_THAT(first.versions, ElementsAre(0, 1));
    EXPECT_EQ(first.look_again, first_complete + seconds(12));
    const auto last = find_expendable(versions, {.keep_for = seconds(10)}, first_complete + seconds(1000));
    EXPECT_THAT(last.versions, ElementsAre(0, 1, 2));
    EXPECT_EQ(last.look_again, std::nullopt);
}

TEST(Retention, WhatIsPinnedOrAwaitedStaysAndCounts) {
    auto versions = versions_until(5);
    versions[0].pinned = true;
    versions[1].awaited = true;
    EXPECT_THAT(find_expendable(versions, {.keep = 1}, first_complete).versions, ElementsAre(2, 3, 4));
    EXPECT_THAT(find_expendable(versions, {.keep_bytes = 40}, first_complete).versions, ElementsAre(2, 3));
    EXPECT_THAT(find_expendable(versions, {.keep_for = seconds(0)}, first_complete + seconds(9)).versions,
                ElementsAre(2, 3, 4));
}

TEST(Retention, IncompleteOnesGoOnceNewerOnesDo) {
    auto versions = versions_until(5);
    for (const std::size_t place : {0U, 2U, 3U}) {
        versions[place].complete = false;
    }
    EXPECT_THAT(find_expendable(versions, {}, first_complete).versions, IsEmpty());
    EXPECT_THAT(find_expendable(versions, {.keep = 3}, first_complete).versions, ElementsAre(0));
    EXPECT_THAT(find_expendable(versions, {.keep = 2}, first_complete).versions, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(find_expendable(versions, {.keep_bytes = 10}, first_complete).versions, ElementsAre(0, 1, 2, 3, 4));
    EXPECT_THAT(find_expendable(versions, {.keep_for = seconds(2)}, first_complete + seconds(3)).versions,
                ElementsAre(0, 1));
    versions[2].awaited = true;
    EXPECT_THAT(find_expendable(versions, {.keep = 2}, first_complete).versions, ElementsAre(0, 1, 3));
}

TEST(Retention, RulesThatMeanNothing) {
    const auto message = [](const RetentionRules& rules) {
        const auto checked = check(rules, "T");
        return checked ? "" : std::string(name_of(checked.error().code)) + ": " + checked.error().message;
    };
    EXPECT_EQ(message({}), "");
    EXPECT_EQ(message({.keep = 1, .keep_bytes = 0, .keep_for = seconds(0)}), "");
    EXPECT_EQ(message({.keep = 0}),
              "invalid_argument: variable 'T' is to keep 0 versions: the newest one always stays, so keep 1 or more");
    EXPECT_EQ(message({.keep_bytes = -1}),
              "invalid_argument: variable 'T' is to keep -1 bytes: 0 keeps the newest version alone, and less means "
              "nothing");
    EXPECT_EQ(
        message({.keep_for = seconds(-1)}),
        "invalid_argument: variable 'T' is to keep versions for -1.0 s: 0 keeps the newest version alone, a year is "
        "the most; without this rule they may grow as old as they like");
    EXPECT_NE(message({.keep_for = base::Clock::duration::max()}), "");
}

/// By the definition, for one version alone.
bool may_go(const std::vector<Retained>& versions, const Retained& version, const RetentionRules& rules,
            ClockTime now) {
    if (version.pinned || version.awaited) {
        return false;
    }
    std::vector<Retained> newer;
    std::copy_if(versions.begin(), versions.end(), std::back_inserter(newer),
                 [&](const auto& other) { return other.complete && other.number > version.number; });
    if (newer.empty()) {
        return false;
    }
    if (!version.complete) {
        return (rules.keep && static_cast<std::int64_t>(newer.size()) >= *rules.keep) ||
               std::any_of(newer.begin(), newer.end(),
                           [&](const auto& other) { return may_go(versions, other, rules, now); });
    }
    if (rules.keep && static_cast<std::int64_t>(newer.size()) >= *rules.keep) {
        return true;
    }
    if (rules.keep_for && now >= version.completed + *rules.keep_for) {
        return true;
    }
    if (!rules.keep_bytes) {
        return false;
    }
    std::int64_t bytes = version.bytes;
    for (const auto& other : versions) {
        const bool stays = other.pinned || other.awaited || other.number == newer.back().number;
        const bool counts = stays || (other.number > version.number && !may_go(versions, other, rules, now));
        bytes += other.complete && counts ? other.bytes : 0;
    }
    const bool fits = version.bytes == 0 || bytes <= *rules.keep_bytes;
    // Nor do those stay that are older than one that does not fit.
    return !fits || std::any_of(newer.begin(), newer.end(), [&](const auto& other) {
        const bool is_old = rules.keep_for && now >= other.completed + *rules.keep_for;
        return !is_old && may_go(versions, other, rules, now);
    });
}

TEST(Retention, AgreesWithTheDefinition) {
    std::mt19937_64 random(5);
    const auto draw = [&](std::uint64_t below) { return static_cast<std::int64_t>(random() % below); };
    std::size_t gone = 0;
    for (int round = 0; round < 5000; ++round) {
        std::vector<Retained> versions;
        std::int64_t number = draw(2) == 0 ? 0 : std::int64_t{1} << 62;
        for (auto left = draw(9); left > 0; --left) {
            number += 1 + draw(3);
            const bool complete = draw(5) > 0;
            versions.push_back({.number = number,
                                .bytes = draw(20),
                                .complete = complete,
                                .pinned = draw(8) == 0,
                                .awaited = draw(8) == 0,
                                .completed = first_complete + seconds(draw(20))});
        }
        RetentionRules rules;
        if (draw(2) == 0) {
            rules.keep = 1 + draw(6);
        }
        if (draw(2) == 0) {
            rules.keep_bytes = draw(100);
        }
        if (draw(2) == 0) {
            rules.keep_for = seconds(draw(20));
        }
        const ClockTime now = first_complete + seconds(draw(40));
        std::vector<std::int64_t> expected;
        for (const auto& version : versions) {
            if (may_go(versions, version, rules, now)) {
                expected.push_back(version.number);
            }
        }
        const auto found = find_expendable(versions, rules, now);
        ASSERT_EQ(found.versions, expected) << "round " << round;
        gone += expected.size();

        std::erase_if(versions, [&](const auto& version) {
            return std::find(expected.begin(), expected.end(), version.number) != expected.end();
        });
        ASSERT_THAT(find_expendable(versions, rules, now).versions, IsEmpty()) << "all go at once";
        if (found.look_again) {
            const auto before = find_expendable(versions, rules, *found.look_again - base::Clock::duration(1));
            ASSERT_THAT(before.versions, IsEmpty());
        }
        const auto then = found.look_again.value_or(now + seconds(1000));
        ASSERT_EQ(find_expendable(versions, rules, then).versions.empty(), !found.look_again);
    }
    EXPECT_GT(gone, 1000U);
}

}  // namespace
}  // namespace staithe::store::space
