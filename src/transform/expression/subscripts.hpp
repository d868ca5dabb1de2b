// What stands between the brackets behind a variable: NumPy's basic indexing, forwards.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace staithe::transform::expression {

struct Token;

struct Subscript {
    enum class Kind : std::uint8_t { index, slice, ellipsis, new_dimension };
    Kind kind = Kind::index;
    std::optional<std::int64_t> start{};  // of a slice; the index itself
    std::optional<std::int64_t> stop{};   // of a slice; negative: counted from the end, as the start is
    std::int64_t step = 1;                // of a slice; positive

    friend bool operator==(const Subscript&, const Subscript&) = default;
};

/// Those of a pair of brackets in an expression's text. `invalid_argument` for what is none, and says where.
base::Result<std::vector<Subscript>> parse_subscripts(std::string_view text, const Token& bracketed);

}  // namespace staithe::transform::expression
