#include "format/steps_of_others.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>

#include "format/conventions.hpp"

namespace staithe::format {
namespace {

/// More than programs write: a number in a file may be anything.
constexpr std::int64_t most_steps_of_others = std::int64_t{1} << 24;

bool begins_with(const SeenArray& array, std::string_view dimension) {
    return !array.dimensions.empty() && array.dimensions.front().as_string() != nullptr &&
           *array.dimensions.front().as_string() == dimension;
}

bool has_times(const SeenArray& array) {
    return array.dimensions.size() == 1 && begins_with(array, array.name) &&
           array.unit.find(" since ") != std::string::npos;
}

}  // namespace

std::optional<std::string> dimension_of_steps(std::span<const SeenArray> arrays) {
    using Is = bool (*)(const SeenArray&);
    constexpr std::array<Is, 4> ways{[](const SeenArray& each) { return begins_with(each, step_dimension); },
                                     [](const SeenArray& each) { return each.grows; },
                                     [](const SeenArray& each) { return begins_with(each, "time"); }, has_times};
    for (const Is& is_along : ways) {
        const auto found = std::ranges::find_if(arrays, is_along);
        if (found == arrays.end() || found->dimensions.empty() || found->dimensions.front().as_string() == nullptr) {
            continue;
        }
        const std::string& name = *found->dimensions.front().as_string();
        const bool are_alike = std::ranges::all_of(
            arrays, [&](const SeenArray& each) { return !begins_with(each, name) || each.length == found->length; });
        return are_alike && found->length <= most_steps_of_others ? std::optional(name) : std::nullopt;
    }
    return std::nullopt;
}

bool lies_along(const List& dimensions, const std::optional<std::string>& steps) {
    return steps && !dimensions.empty() && dimensions.front() == Value(*steps);
}

std::vector<std::int64_t> numbered_from_zero(std::int64_t steps) {
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(steps));
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    return numbers;
}

}  // namespace staithe::format
