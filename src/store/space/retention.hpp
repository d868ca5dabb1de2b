// Which versions of a variable may go. Pure functions.
//
// - The newest complete version stays, whatever the rules say, so that "latest" always means something.
// - Versions that are pinned or awaited stay. Those that are complete count all the same.
// - Of the other complete ones the newest stay, as long as no rule lets them go: without rules, all.
// - An incomplete one goes once newer complete ones do, or are as many as may stay: whoever was to complete it has
// died, or
//   is so late that nobody would see it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/deadline.hpp"
#include "base/result.hpp"

namespace staithe::store::space {

struct RetentionRules {
    std::optional<std::int64_t> keep{};               // complete versions, at least 1
    std::optional<std::int64_t> keep_bytes{};         // of complete versions: those that stay anyway are counted first
    std::optional<base::Clock::duration> keep_for{};  // since they were complete, at most a year

    static constexpr base::Clock::duration longest_time = std::chrono::hours(365 * 24);

    /// How many stay, if nothing else is said.
    [[nodiscard]] std::optional<std::int64_t> number_alone() const {
        return keep_bytes || keep_for ? std::nullopt : keep;
    }
};

/// Nothing if it is no number, or longer than any rule may be.
[[nodiscard]] std::optional<base::Clock::duration> duration_of(double seconds);

/// What the rules need to know of a version.
struct Retained {
    std::int64_t number = 0;
    std::int64_t bytes = 0;
    bool complete = false;
    bool pinned = false;                  // somebody holds it
    bool awaited = false;                 // somebody waits for it
    base::Clock::time_point completed{};  // if it is
};

struct Expendable {
    std::vector<std::int64_t> versions;                   // in the order of their numbers
    std::optional<base::Clock::time_point> look_again{};  // when age lets go the next one, if nothing else happens
};

/// Whether the rules mean something for that variable.
[[nodiscard]] base::Result<> check(const RetentionRules& rules, const std::string& variable);

/// Of versions in the order of their numbers, by rules that were checked.
[[nodiscard]] Expendable find_expendable(std::span<const Retained> versions, const RetentionRules& rules,
                                         base::Clock::time_point now);

}  // namespace staithe::store::space
