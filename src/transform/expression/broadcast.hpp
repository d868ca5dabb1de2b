// Shapes that go together, as NumPy broadcasts arrays.
#pragma once

#include <optional>

#include <staithe/box.hpp>

namespace staithe::transform::expression {

/// Nothing where a dimension has two lengths, neither of which is 1.
[[nodiscard]] std::optional<Extents> broadcast(const Extents& a, const Extents& b);

}  // namespace staithe::transform::expression
