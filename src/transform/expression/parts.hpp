// Which elements of its variables an expression is computed from, once their shapes are known.
//
// Shapes go together as NumPy broadcasts them. Subscripts behind anything but a variable select from each variable in
// it what they select of the whole, so nothing else is ever looked at.
#pragma once

#include <span>
#include <vector>

#include <staithe/box.hpp>

#include "base/result.hpp"
#include "transform/expression/expression.hpp"
#include "transform/expression/part.hpp"

namespace staithe::transform::expression {

struct Parts {
    std::vector<Part> of;  // each of the expression's variables
    Extents shape;         // of what it makes
};

/// The variables have these shapes. `invalid_argument` for what does not go together, and for subscripts that one does
/// not have.
base::Result<Parts> parts_of(const Expression& expression, std::span<const Extents> shapes);

}  // namespace staithe::transform::expression
