// What is to be made of elements, as programs say it to each other, and of which numbers it consists on the way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <staithe/dtype.hpp>

#include "base/result.hpp"

namespace staithe::store::reducing {

enum class Kind : std::uint8_t { sum, mean, min, max, var, std, histogram };

struct Recipe {
    Kind kind = Kind::sum;
    // Of a histogram: so many bins of equal width, the last of which has its greatest value, too.
    std::int64_t bins = 0;
    double least = 0.0;
    double greatest = 0.0;

    bool operator==(const Recipe&) const = default;
};

constexpr std::int64_t most_bins = 1 << 16;
/// Of the text that says any recipe.
constexpr std::size_t longest_recipe = 96;

/// "sum", "mean", "min", "max", "var", "std", or "histogram(BINS, LEAST, GREATEST)". `invalid_argument` for all else.
base::Result<Recipe> parse_recipe(std::string_view text);
/// Which parses to the same.
[[nodiscard]] std::string to_string(const Recipe& recipe);

/// Whether something is made of no elements, too.
[[nodiscard]] bool has_result_of_nothing(Kind kind);
/// `invalid_argument` if there is none of such elements.
base::Result<> check(const Recipe& recipe, Dtype elements);

/// As which elements are taken: it has all values of theirs.
[[nodiscard]] Dtype taken_as(Kind kind, Dtype elements);
/// What is known of a place of the result while elements are added is a state: so many numbers of that dtype.
[[nodiscard]] Dtype dtype_of_states(Kind kind, Dtype elements);
[[nodiscard]] std::int64_t numbers_of_state(const Recipe& recipe, Dtype elements);
[[nodiscard]] std::int64_t bytes_of_state(const Recipe& recipe, Dtype elements);
/// Of what becomes of the states in the end.
[[nodiscard]] Dtype dtype_of_result(Kind kind, Dtype elements);

}  // namespace staithe::store::reducing
