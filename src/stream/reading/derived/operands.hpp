// What an expression is computed from, and how that goes together: as NumPy broadcasts arrays.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include <staithe/box.hpp>

#include "base/result.hpp"
#include "stream/describing/layout.hpp"

namespace staithe::stream {

/// The variables of an expression, and the shape of what it makes. Of local arrays, several of which make no shape,
/// each block is computed by itself.
struct Operands {
    std::vector<const VariableLayout*> variables;
    /// The one whose blocks are those of the result; null: that is one block.
    const VariableLayout* leading = nullptr;
    bool by_block = false;
    Extents shape;  // unless by block

    /// `invalid_argument` where shapes or blocks do not go together; `text` is for messages.
    static base::Result<Operands> of(std::vector<const VariableLayout*> variables, std::string_view text);
};

[[nodiscard]] bool is_by_block(const VariableLayout& variable);

/// Of a selection of the result the elements of a variable of that shape, which has one where they are repeated.
[[nodiscard]] Selection operand_selection(const Selection& selection, const Extents& shape);
/// These elements as an array of the shape of the result's.
[[nodiscard]] ArrayView repeated(const ArrayView& elements, const Extents& shape);

}  // namespace staithe::stream
