#include "store/reducing/recipe.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "store/space/kernels.hpp"

namespace staithe::store::reducing {
namespace {

constexpr std::array<std::pair<std::string_view, Kind>, 7> kinds{{{"sum", Kind::sum},
                                                                  {"mean", Kind::mean},
                                                                  {"min", Kind::min},
                                                                  {"max", Kind::max},
                                                                  {"var", Kind::var},
                                                                  {"std", Kind::std},
                                                                  {"histogram", Kind::histogram}}};

std::string_view name_of(Kind kind) { return kinds[static_cast<std::size_t>(kind)].first; }

bool has_order(Kind kind) { return kind == Kind::min || kind == Kind::max; }
bool has_moments(Kind kind) { return kind == Kind::var || kind == Kind::std; }

bool is_complex(Dtype dtype) { return dtype == Dtype::c64 || dtype == Dtype::c128 || dtype == Dtype::c256; }
bool is_large_integer(Dtype dtype) { return dtype == Dtype::i64 || dtype == Dtype::u64; }

/// Takes a number and what ends it off the text.
template <class T>
std::optional<T> take_number(std::string_view& text, char end) {
    const std::size_t at = text.find(end);
    std::string_view number = base::trimmed(text.substr(0, at));
    if (number.starts_with('+')) {
        number.remove_prefix(1);
    }
    T value{};
    const auto [rest, failed] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (at == std::string_view::npos || failed != std::errc() || rest != number.data() + number.size()) {
        return std::nullopt;
    }
    text.remove_prefix(at + 1);
    return value;
}

base::Result<Recipe> parse_histogram(std::string_view text) {
    std::string_view rest = text.substr(std::min(text.size(), text.find('(')));
    rest.remove_prefix(std::min<std::size_t>(rest.size(), 1));
    const auto bins = take_number<std::int64_t>(rest, ',');
    const auto least = bins ? take_number<double>(rest, ',') : std::nullopt;
    const auto greatest = least ? take_number<double>(rest, ')') : std::nullopt;
    if (!greatest || !rest.empty()) {
        return base::fail(ErrorCode::invalid_argument,
                          "'{}' is no histogram: say how many bins between which values, as in \"histogram(10, 0, 1)\"",
                          base::printable(std::string(text.substr(0, longest_recipe))));
    }
    if (*bins < 1 || *bins > most_bins) {
        return base::fail(ErrorCode::invalid_argument, "a histogram has 1 to {} bins, not {}", most_bins, *bins);
    }
    const double width = (*greatest - *least) / static_cast<double>(*bins);
    if (!(*least < *greatest) || !std::isfinite(width) || !std::isfinite(1 / width)) {
        return base::fail(ErrorCode::invalid_argument,
                          "a histogram has bins between two finite values, the smaller one first, not {} and {}",
                          *least, *greatest);
    }
    const double largest = std::max(std::abs(*least), std::abs(*greatest));
    if (width < largest - std::nextafter(largest, 0.0)) {
        return base::fail(ErrorCode::invalid_argument,
                          "doubles cannot tell {} bins between {} and {} apart: take fewer", *bins, *least, *greatest);
    }
    return Recipe{Kind::histogram, *bins, *least, *greatest};
}

}  // namespace

base::Result<Recipe> parse_recipe(std::string_view text) {
    const std::string_view name = base::trimmed(text.substr(0, text.find('(')));
    const auto* const named = std::ranges::find(kinds, name, &std::pair<std::string_view, Kind>::first);
    if (named != kinds.end() && named->second == Kind::histogram) {
        return parse_histogram(base::trimmed(text));
    }
    if (named == kinds.end() || name != text) {
        std::vector<std::string> names;
        std::ranges::transform(kinds, std::back_inserter(names),
                               [](const auto& each) { return std::string(each.first); });
        const std::string said(text.substr(0, longest_recipe));
        return base::fail(ErrorCode::invalid_argument, "there is no reduction '{}': there is {}", base::printable(said),
                          base::closest(said, names));
    }
    return Recipe{.kind = named->second};
}

std::string to_string(const Recipe& recipe) {
    return recipe.kind == Kind::histogram
               ? fmt::format("histogram({}, {}, {})", recipe.bins, recipe.least, recipe.greatest)
               : std::string(name_of(recipe.kind));
}

bool has_result_of_nothing(Kind kind) { return kind == Kind::sum || kind == Kind::histogram; }

base::Result<> check(const Recipe& recipe, Dtype elements) {
    if ((has_order(recipe.kind) || recipe.kind == Kind::histogram) && is_complex(elements)) {
        return base::fail(ErrorCode::invalid_argument, "complex numbers have no order: there is no {} of them",
                          name_of(recipe.kind));
    }
    return {};
}

Dtype taken_as(Kind kind, Dtype elements) {
    if (has_order(kind)) {
        return space::compared_as(elements);
    }
    switch (elements) {
        case Dtype::boolean:
        case Dtype::i8:
        case Dtype::i16:
        case Dtype::i32: return kind == Kind::sum ? Dtype::i64 : Dtype::f64;
        case Dtype::u8:
        case Dtype::u16:
        case Dtype::u32: return kind == Kind::sum ? Dtype::u64 : Dtype::f64;
        case Dtype::i64:
        case Dtype::u64: return kind == Kind::sum ? elements : Dtype::f128;
        case Dtype::f16:
        case Dtype::f32:
        case Dtype::f64: return Dtype::f64;
        case Dtype::c64:
        case Dtype::c128: return Dtype::c128;
        case Dtype::f128:
        case Dtype::c256: return elements;
    }
    return elements;
}

Dtype dtype_of_states(Kind kind, Dtype elements) {
    const Dtype taken = taken_as(kind, elements);
    if (kind == Kind::histogram) {
        return Dtype::i64;
    }
    return !has_moments(kind) || !is_complex(taken) ? taken : taken == Dtype::c128 ? Dtype::f64 : Dtype::f128;
}

std::int64_t numbers_of_state(const Recipe& recipe, Dtype elements) {
    if (recipe.kind == Kind::histogram) {
        return recipe.bins;
    }
    // How many, the sum of the squares of what they are off their mean, and the mean.
    return !has_moments(recipe.kind) ? 1 : is_complex(elements) ? 4 : 3;
}

std::int64_t bytes_of_state(const Recipe& recipe, Dtype elements) {
    return numbers_of_state(recipe, elements) * size_of(dtype_of_states(recipe.kind, elements));
}

Dtype dtype_of_result(Kind kind, Dtype elements) {
    if (has_order(kind) && elements == Dtype::boolean) {
        return Dtype::boolean;
    }
    const Dtype states = dtype_of_states(kind, elements);
    return is_large_integer(elements) && states == Dtype::f128 ? Dtype::f64 : states;
}

}  // namespace staithe::store::reducing
