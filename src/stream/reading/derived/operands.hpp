// What an expression is computed from, and how that goes together: as NumPy broadcasts arrays.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <staithe/box.hpp>

#include "base/result.hpp"
#include "stream/describing/layout.hpp"
#include "transform/expression/expression.hpp"
#include "transform/expression/parts.hpp"

namespace staithe::stream {

/// The variables of an expression, and which of their elements make what. Of local arrays, several of which make no
/// shape, each block is computed by itself.
class Operands {
  public:
    /// Each a variable of the expression, in its order. `invalid_argument` where shapes, subscripts or blocks do not go
    /// together.
    static base::Result<Operands> of(std::vector<const VariableLayout*> variables,
                                     const transform::expression::Expression& expression);

    [[nodiscard]] const std::vector<const VariableLayout*>& variables() const { return variables_; }
    [[nodiscard]] bool by_block() const { return by_block_; }
    /// Of what is made; the block counts if the variables go together by block.
    [[nodiscard]] const Extents& shape(std::size_t block = 0) const { return parts_[by_block_ ? block : 0].shape; }
    /// Of the elements of one from which a selection of what is made is computed.
    [[nodiscard]] std::shared_ptr<const ReadPlan> plan(std::size_t operand, std::size_t block,
                                                       const Selection& selection) const;
    /// Of the variables, likewise.
    [[nodiscard]] const std::vector<transform::expression::Part>& parts(std::size_t block) const {
        return parts_[by_block_ ? block : 0].of;
    }

    struct Block {
        int rank = 0;
        bool column_major = false;
        Box box;
    };
    /// Of what is made: those of a variable that has its shape, as far as they are in it; one if there is none.
    [[nodiscard]] std::vector<Block> blocks() const;

    /// Of what is made, after a variable that has its shape; none if none says them.
    [[nodiscard]] List names_of_dimensions() const;

  private:
    std::vector<const VariableLayout*> variables_;
    std::vector<transform::expression::Parts> parts_;  // by block: of each
    std::size_t leading_ = 0;                          // whose blocks are those of the result; none: of no variable
    bool by_block_ = false;
};

[[nodiscard]] bool is_by_block(const VariableLayout& variable);

}  // namespace staithe::stream
