// What an expression computes of elements, as a text that goes to other processes: whatever the arrays are called, and
// whichever parts of them it takes.
#pragma once

#include <optional>
#include <string>

#include "transform/expression/expression.hpp"

namespace staithe::transform::expression {

/// An expression of as many variables, in the same order, that takes parts of none, and compiles to the same. Nothing
/// where it would be nested too deep, or merges.
[[nodiscard]] std::optional<std::string> plain_text(const Expression& expression);

}  // namespace staithe::transform::expression
