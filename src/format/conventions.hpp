// What recordings of all formats have in common, so that each can become one of another: names, and which attributes
// other programs know by which name.
//
// The first step says which variables there are, of which shapes: they are arrays along the dimension "step", and so
// are those of all steps that are alike. A step that is not has a group of its own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/value.hpp>

#include "base/result.hpp"
#include "format/recording.hpp"

namespace staithe::format {

/// The dimension along which steps lie.
inline constexpr const char* step_dimension = "step";
/// The arrays that say of each step which number it has, and which attributes, as JSON. No variable can be called so.
inline constexpr const char* numbers_name = "step";
inline constexpr const char* attributes_name = "step_attributes";

/// Attributes that other programs know by names of their own.
inline constexpr const char* units_attribute = "units";  // CF conventions
inline constexpr const char* dims_attribute = "dims";    // docs/formats/labels.md
/// Of an array that was rounded: how far.
inline constexpr const char* error_attribute = "error";

/// A list of names, or a text of them with blanks between.
[[nodiscard]] List names_of_dimensions(const Attributes& attributes);

/// Groups in groups that a variable may lie in, that of a step not counted.
inline constexpr int most_groups = 64;

/// The group of a step that is unlike the others, and the step of a group.
[[nodiscard]] std::string group_of(std::int64_t step);
[[nodiscard]] std::optional<std::int64_t> step_of(std::string_view group);
/// The path of an array of such a step.
[[nodiscard]] inline std::string path_of(std::int64_t step, const std::string& array) {
    return group_of(step) + "/" + array;
}

/// `invalid_argument` if no array can be called so: its name may lead anywhere.
[[nodiscard]] base::Result<> check_name(const std::string& name);
/// `protocol` if one that another program has written leads elsewhere: which names it keeps for itself is its business.
[[nodiscard]] base::Result<> check_name_of_others(const std::string& name);
/// `invalid_argument` if files have no such elements or no such name.
[[nodiscard]] base::Result<> check(const ArrayInfo& info);

/// What a file says of an array, in words: its attributes, the unit among them, and the names of its dimensions, for
/// which each format has a place.
struct Labels {
    Attributes attributes;
    List dimensions;
};
[[nodiscard]] Labels labels_of(const ArrayInfo& info, bool lies_along_steps);
/// Untrusted, the other way round: all goes where Staithe has it. Too few names or too many are none.
void take_labels(Labels labels, bool lies_along_steps, ArrayInfo& info);

/// JSON has no NaN and no infinities: as texts.
[[nodiscard]] Value without_special_numbers(const Value& value);
/// Attributes as JSON; untrusted, the other way round: `protocol` if they are something else.
[[nodiscard]] std::string text_of(const Attributes& attributes);
[[nodiscard]] base::Result<Attributes> attributes_in(std::string_view text);

/// `protocol` unless these numbers of steps ascend.
[[nodiscard]] base::Result<> check_numbers(std::span<const std::int64_t> numbers);

/// The numbers of all steps, ascending: of those that lie along others, and those that do not.
template <class StepApart>
std::vector<std::int64_t> all_steps(std::vector<std::int64_t> along, const std::map<std::int64_t, StepApart>& apart) {
    for (const auto& [number, step] : apart) {
        along.push_back(number);
    }
    std::ranges::sort(along);
    return along;
}
/// The last of them.
template <class StepApart>
std::optional<std::int64_t> newest_of(const std::vector<std::int64_t>& along,
                                      const std::map<std::int64_t, StepApart>& apart) {
    const auto newest_along = along.empty() ? std::nullopt : std::optional(along.back());
    return apart.empty() ? newest_along : std::max(newest_along, std::optional(apart.rbegin()->first));
}

/// Calls visit(path) for each group that the path of an array names.
template <class Visit>
void for_each_group(const std::string& path, const Visit& visit) {
    for (auto slash = path.find('/'); slash != std::string::npos; slash = path.find('/', slash + 1)) {
        visit(path.substr(0, slash));
    }
}

}  // namespace staithe::format
