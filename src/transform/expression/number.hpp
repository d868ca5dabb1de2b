// Numbers that are written in an expression, as kernels take them and as they make them.
#pragma once

#include <cstddef>

#include <staithe/dtype.hpp>

#include "transform/expression/tree.hpp"

namespace staithe::transform::expression {

/// One element of any kind.
struct Element {
    alignas(16) std::byte bytes[32] = {};
    bool operator==(const Element&) const = default;
};

/// What it is computed in with others of its like.
[[nodiscard]] Dtype kind_of(const Number& number);
/// As an element of that kind, of the number's category or a later one.
[[nodiscard]] Element element_of(const Number& number, Dtype kind);
/// Of a kind that is not extended.
[[nodiscard]] Number number_in(const Element& element, Dtype kind);

}  // namespace staithe::transform::expression
