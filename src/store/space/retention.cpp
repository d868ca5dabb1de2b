#include "store/space/retention.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

namespace staithe::store::space {
namespace {

bool is_needed(const Retained& version) { return version.pinned || version.awaited; }

}  // namespace

std::optional<base::Clock::duration> duration_of(double seconds) {
    const bool is_one = std::abs(seconds) <= base::Seconds(RetentionRules::longest_time).count();  // NaN is not
    return is_one ? std::optional(std::chrono::duration_cast<base::Clock::duration>(base::Seconds(seconds)))
                  : std::nullopt;
}

base::Result<> check(const RetentionRules& rules, const std::string& variable) {
    if (rules.keep && *rules.keep < 1) {
        return base::fail(ErrorCode::invalid_argument,
                          "variable '{}' is to keep {} versions: the newest one always stays, so keep 1 or more",
                          variable, *rules.keep);
    }
    if (rules.keep_bytes && *rules.keep_bytes < 0) {
        return base::fail(ErrorCode::invalid_argument,
                          "variable '{}' is to keep {} bytes: 0 keeps the newest version alone, and less means nothing",
                          variable, *rules.keep_bytes);
    }
    if (rules.keep_for &&
        (*rules.keep_for < base::Clock::duration::zero() || *rules.keep_for > RetentionRules::longest_time)) {
        return base::fail(
            ErrorCode::invalid_argument,
            "variable '{}' is to keep versions for {:.1f} s: 0 keeps the newest version alone, a year is the "
            "most; without this rule they may grow as old as they like",
            variable, base::Seconds(*rules.keep_for).count());
    }
    return {};
}

Expendable find_expendable(std::span<const Retained> versions, const RetentionRules& rules,
                           base::Clock::time_point now) {
    constexpr auto any_number = std::numeric_limits<std::int64_t>::max();
    std::int64_t numbers_left = rules.keep.value_or(any_number);
    std::int64_t bytes_left = rules.keep_bytes.value_or(any_number);
    const auto newest_first = std::views::reverse(versions);
    const auto newest = std::ranges::find_if(newest_first, &Retained::complete);
    for (const Retained& version : versions) {
        if (version.complete && (is_needed(version) || version.number == newest->number)) {
            bytes_left -= std::min(bytes_left, version.bytes);
        }
    }
    Expendable result;
    bool full = false;
    bool newer_goes = false;
    for (const Retained& version : newest_first) {
        if (!version.complete) {
            if ((newer_goes || numbers_left == 0) && !is_needed(version)) {
                result.versions.push_back(version.number);
            }
            continue;
        }
        full = full || numbers_left == 0;
        numbers_left -= full ? 0 : 1;
        if (is_needed(version) || version.number == newest->number) {
            continue;
        }
        const bool is_old = rules.keep_for && now - version.completed >= *rules.keep_for;
        full = full || (!is_old && version.bytes > bytes_left);
        if (full || is_old) {
            newer_goes = true;
            result.versions.push_back(version.number);
            continue;
        }
        bytes_left -= version.bytes;
        if (rules.keep_for) {
            const auto then = version.completed + *rules.keep_for;
            result.look_again = std::min(result.look_again.value_or(then), then);
        }
    }
    std::ranges::reverse(result.versions);
    return result;
}

}  // namespace staithe::store::space
