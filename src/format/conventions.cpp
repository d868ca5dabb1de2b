#include "format/conventions.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <iterator>
#include <set>
#include <sstream>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "base/value_codec.hpp"

namespace staithe::format {
namespace {

using base::fail;

/// What Zarr has there: no name of a variable in any format.
constexpr const char* zarr_metadata = "zarr.json";

/// Of a dimension that has no name.
std::string default_dimension(const std::string& array, std::size_t axis) {
    return fmt::format("{}_dim_{}", array, axis);
}

/// What the attribute says of them, if it says what files can.
std::optional<List> named_dimensions(const ArrayInfo& info) {
    List names = names_of_dimensions(info.attributes);
    std::set<std::string> known{step_dimension};
    const auto is_new = [&](const Value& name) {
        return name.as_string() != nullptr && known.insert(*name.as_string()).second;
    };
    return names.size() == info.shape.size() && std::ranges::all_of(names, is_new) ? std::optional(std::move(names))
                                                                                   : std::nullopt;
}

/// Names go where Staithe has them, unless they are those of arrays whose dimensions have none.
void take_dimensions(List names, ArrayInfo& info) {
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i].as_string() == nullptr) {
            return;
        }
        if (*names[i].as_string() != default_dimension(info.name, i)) {
            info.attributes[dims_attribute] = std::move(names);
            return;
        }
    }
}

/// Between slashes.
template <class Predicate>
bool are_all_parts(std::string_view path, const Predicate& predicate) {
    for (;;) {
        const auto end = path.find('/');
        if (!predicate(path.substr(0, end))) {
            return false;
        }
        if (end == std::string_view::npos) {
            return true;
        }
        path.remove_prefix(end + 1);
    }
}

bool leads_nowhere_else(std::string_view part) {
    return part.find_first_not_of('.') != std::string_view::npos && part.find('\0') == std::string_view::npos &&
           part.size() <= 200;
}

}  // namespace

List names_of_dimensions(const Attributes& attributes) {
    if (const List* const list = base::list_field(attributes, dims_attribute)) {
        return *list;
    }
    List names;
    std::istringstream text(base::text_field(attributes, dims_attribute).value_or(""));
    for (std::string name; text >> name;) {
        names.emplace_back(name);
    }
    return names;
}

std::string group_of(std::int64_t step) { return fmt::format("step_{}", step); }

std::optional<std::int64_t> step_of(std::string_view group) {
    constexpr std::string_view before = "step_";
    std::int64_t step = 0;
    const char* const end = group.data() + group.size();
    if (!group.starts_with(before)) {
        return std::nullopt;
    }
    const auto [stop, error] = std::from_chars(group.data() + before.size(), end, step);
    return error == std::errc() && stop == end && step >= 0 ? std::optional(step) : std::nullopt;
}

base::Result<> check_name(const std::string& name) {
    if (std::ranges::count(name, '/') > most_groups) {
        return fail(ErrorCode::invalid_argument, "a file has no variable '{}': it lies in more than {} groups",
                    base::printable(name), most_groups);
    }
    const auto is_free = [](std::string_view part) {
        return leads_nowhere_else(part) && !part.starts_with("__") && part != zarr_metadata;
    };
    return base::is_utf8(name) && are_all_parts(name, is_free)
               ? base::Result<>()
               : fail(ErrorCode::invalid_argument,
                      "a file has no variable '{}': between slashes there are 1 to 200 bytes of UTF-8, which are not "
                      "all dots, do not begin with '__', and are not '{}'",
                      base::printable(name), zarr_metadata);
}

base::Result<> check_name_of_others(const std::string& name) {
    return base::is_utf8(name) && std::ranges::count(name, '/') <= most_groups &&
                   are_all_parts(name, leads_nowhere_else)
               ? base::Result<>()
               : fail(ErrorCode::protocol,
                      "the name '{}' cannot be: between slashes, of which there are at most {}, there are 1 to 200 "
                      "bytes of UTF-8, which are not all dots",
                      base::printable(name), most_groups);
}

base::Result<> check(const ArrayInfo& info) {
    if (auto checked = check_name(info.name); !checked) {
        return checked;
    }
    const std::string first = info.name.substr(0, info.name.find('/'));
    if (info.name == numbers_name || info.name == attributes_name || step_of(first)) {
        return fail(ErrorCode::invalid_argument,
                    "a variable cannot be called '{}' in a file, where '{}' is an array of all steps, or the group of "
                    "one: give it another name",
                    info.name, first);
    }
    if (info.dtype == Dtype::f128 || info.dtype == Dtype::c256) {
        return fail(ErrorCode::invalid_argument,
                    "'{}' is {}, which files do not have: convert it, as to f8 or c16, before it is recorded",
                    info.name, name_of(info.dtype));
    }
    return {};
}

Labels labels_of(const ArrayInfo& info, bool lies_along_steps) {
    Labels labels{info.attributes, lies_along_steps ? List{step_dimension} : List{}};
    if (const auto named = named_dimensions(info)) {
        labels.dimensions.insert(labels.dimensions.end(), named->begin(), named->end());
        labels.attributes.erase(dims_attribute);
    } else {
        for (std::size_t axis = 0; axis < info.shape.size(); ++axis) {
            labels.dimensions.emplace_back(default_dimension(info.name, axis));
        }
    }
    if (!info.unit.empty()) {
        labels.attributes[units_attribute] = info.unit;
    }
    return labels;
}

void take_labels(Labels labels, bool lies_along_steps, ArrayInfo& info) {
    info.attributes = std::move(labels.attributes);
    if (const auto unit = base::text_field(info.attributes, units_attribute)) {
        info.unit = *unit;
        info.attributes.erase(units_attribute);
    }
    const std::size_t first = lies_along_steps ? 1 : 0;
    const List& names = labels.dimensions;
    if (names.size() == info.shape.size() + first) {
        take_dimensions({names.begin() + static_cast<std::ptrdiff_t>(first), names.end()}, info);
    }
}

base::Result<> check_numbers(std::span<const std::int64_t> numbers) {
    return std::ranges::adjacent_find(numbers, std::greater_equal()) == numbers.end()
               ? base::Result<>()
               : fail(ErrorCode::protocol, "the numbers of its steps do not ascend");
}

Value without_special_numbers(const Value& value) {
    if (const List* const list = value.as_list()) {
        List result;
        std::ranges::transform(*list, std::back_inserter(result), without_special_numbers);
        return result;
    }
    if (const Attributes* const map = value.as_map()) {
        Attributes result;
        for (const auto& [key, element] : *map) {
            result.emplace(key, without_special_numbers(element));
        }
        return result;
    }
    const auto number = value.as_double();
    if (!number || std::isfinite(*number)) {
        return value;
    }
    return std::isnan(*number) ? "NaN" : *number > 0 ? "Infinity" : "-Infinity";
}

std::string text_of(const Attributes& attributes) { return base::to_json(without_special_numbers(attributes)); }

base::Result<Attributes> attributes_in(std::string_view text) {
    const auto value = base::from_json(text);
    const Attributes* const attributes = value ? value->as_map() : nullptr;
    return attributes != nullptr ? base::Result<Attributes>(*attributes)
                                 : fail(ErrorCode::protocol, "what should be attributes is something else");
}

}  // namespace staithe::format
