#include "format/plan.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>
#include <utility>

#include "base/fields.hpp"
#include "base/text.hpp"
#include "format/conventions.hpp"

namespace staithe::format {
namespace {

using base::fail;

base::Result<> check_parts(const ArrayToStore& array) {
    const ArrayInfo& info = array.info;
    std::int64_t elements = 0;
    for (const ArrayPart& part : array.parts) {
        elements += volume(part.box.count).value_or(0);
    }
    const std::int64_t all = volume(info.shape).value_or(0);
    return elements == all ? base::Result<>()
                           : fail(ErrorCode::invalid_argument,
                                  "nobody has put {} of the {} elements of '{}', and a file has no way to say so: put "
                                  "all of it",
                                  all - elements, all, base::printable(info.name));
}

/// No format has arrays in arrays.
base::Result<> check_nesting(std::span<const ArrayNode> arrays) {
    std::set<std::string> names{numbers_name, attributes_name};
    for (const ArrayNode& array : arrays) {
        names.insert(array.info.name);
    }
    base::Result<> checked;
    for (const ArrayNode& array : arrays) {
        for_each_group(array.info.name, [&](const std::string& group) {
            if (names.contains(group)) {
                checked = fail(ErrorCode::invalid_argument,
                               "'{}' lies in '{}', which is a variable or an array of all steps: a file can have only "
                               "one of them",
                               base::printable(array.info.name), base::printable(group));
            }
        });
    }
    return checked;
}

ArrayNode node_of(const ArrayToStore& array, bool lies_along_steps) {
    const ArrayInfo& info = array.info;
    const bool is_packed = array.packing != Packing::none;
    if (const auto packed = is_packed ? packed_grid_for(info.shape, info.dtype) : std::nullopt) {
        ArrayNode node{.info = info, .grid = *packed, .packing = array.packing};
        if (array.error != codecs::Bound::exact()) {
            node.info.attributes[error_attribute] = codecs::to_string(array.error);
        }
        node.codec = array.coding.codec;
        node.error = array.error;
        return node;
    }
    return {.info = info, .grid = grid_for(info.shape, info.dtype, lies_along_steps)};
}

/// As they are kept, by name.
base::Result<std::vector<ArrayNode>> nodes_of(const StepToStore& step) {
    std::vector<ArrayNode> arrays;
    for (const ArrayToStore& array : step.arrays) {
        auto checked = check(array.info);
        checked = checked ? check_parts(array) : std::move(checked);
        if (!checked) {
            return fail(std::move(checked));
        }
        arrays.push_back(node_of(array, true));
    }
    if (auto checked = check_nesting(arrays); !checked) {
        return fail(std::move(checked));
    }
    std::ranges::sort(arrays, {}, [](const ArrayNode& node) -> const std::string& { return node.info.name; });
    return arrays;
}

bool are_alike(const ArrayNode& a, const ArrayNode& b) {
    return a.info.name == b.info.name && a.info.dtype == b.info.dtype && a.info.shape == b.info.shape;
}

std::string error_of(const ArrayNode& array) {
    return base::text_field(array.info.attributes, error_attribute).value_or("exact");
}

std::string_view in_words(Packing packing) {
    constexpr std::array<std::string_view, 5> words{"not compressed", "compressed by blosc",
                                                    "encoded by codecs of Staithe", "encoded by another program",
                                                    "not there"};
    return words.at(static_cast<std::size_t>(packing));
}

/// Cut as they were, whoever has cut them. Of other errors than before, what the array says of its elements would be
/// true of some alone.
base::Result<> go_on(std::span<const ArrayNode> before, std::vector<ArrayNode>& now) {
    for (std::size_t i = 0; i < now.size(); ++i) {
        const std::string there = error_of(before[i]), here = error_of(now[i]);
        const bool is_packed = before[i].packing != Packing::none || now[i].packing != Packing::none;
        if (is_packed && there != here) {
            return fail(ErrorCode::invalid_argument,
                        "'{}' has an error of {} there, and {} now: go on with that of before, or in another file",
                        base::printable(now[i].info.name), base::printable(there), base::printable(here));
        }
        if (before[i].packing != now[i].packing) {
            return fail(ErrorCode::invalid_argument,
                        "'{}' is {} there, and {} now: go on with the codec of before, or in another file",
                        base::printable(now[i].info.name), in_words(before[i].packing), in_words(now[i].packing));
        }
        now[i].grid = before[i].grid;
    }
    return {};
}

std::string are(std::int64_t first, std::int64_t last) {
    return first == last ? fmt::format("step {} is", first) : fmt::format("steps {} to {} are", first, last);
}

}  // namespace

base::Result<Plan> plan(const StepToStore& step, const Before& before) {
    if (before.newest && step.number <= *before.newest) {
        return fail(ErrorCode::invalid_argument, "'{}' has step {} already: step {} cannot follow it",
                    base::printable(before.path), *before.newest, step.number);
    }
    auto arrays = nodes_of(step);
    if (!arrays) {
        return fail(std::move(arrays));
    }
    Plan result{.arrays = *std::move(arrays)};
    result.lies_along = !before.newest || std::ranges::equal(result.arrays, before.arrays, are_alike);
    if (!result.lies_along) {
        for (ArrayNode& node : result.arrays) {
            node = node_of(array_of(step, node.info.name), false);
        }
    } else if (before.has_steps) {
        if (auto checked = go_on(before.arrays, result.arrays); !checked) {
            return fail(std::move(checked));
        }
    }
    return result;
}

tl::unexpected<base::Failure> not_stored(const std::string& path, std::int64_t first, std::int64_t last,
                                         const base::Failure& why) {
    return fail(why.code, "{} not in '{}': {}", are(first, last), base::printable(path), why.message);
}

tl::unexpected<base::Failure> maybe_stored(const std::string& path, std::int64_t first, std::int64_t last,
                                           const base::Failure& why) {
    return fail(why.code, "it is not known whether {} in '{}': {}", are(first, last), base::printable(path),
                why.message);
}

tl::unexpected<base::Failure> nothing_more_is_stored() {
    return fail(
        ErrorCode::system,
        "it is not known whether the disk has the step before: close the file, and go on with it anew (resume)");
}

const ArrayToStore& array_of(const StepToStore& step, const std::string& name) {
    return *std::ranges::find(step.arrays, name,
                              [](const ArrayToStore& each) -> const std::string& { return each.info.name; });
}

}  // namespace staithe::format
