// What is computed of blocks, element by element, where they lie: whoever holds them gives what that makes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/dtype.hpp>

#include "base/result.hpp"
#include "store/block_source.hpp"
#include "store/reducing/recipe.hpp"

namespace staithe::store {

/// What is made of an element of each operand.
struct Formula {
    std::string name;             // of what is made
    std::string text;             // transform/expression/plain.hpp
    std::vector<Dtype> operands;  // one at least
    Dtype dtype = Dtype::f64;     // of what is made
    std::int64_t operations = 1;  // for an element
};

/// The selected elements of a block, and where each of them is needed.
struct Operand {
    static constexpr std::size_t nowhere = max_dimensions;

    Piece piece;                      // its destination does not matter
    PerDimension<std::size_t> along;  // by dimension of what is made: the block's; nowhere: one element serves all
};

struct Evaluated {
    std::shared_ptr<const Formula> formula;
    std::vector<Operand> operands;
    MutableArrayView to;  // an array of the formula's dtype; or states of a reduction (Reduction::states)
};

/// Of some of a source's blocks. Thread-safe, as sources are, and fails as these do.
class Evaluator {
  public:
    Evaluator() = default;
    virtual ~Evaluator() = default;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(const Evaluator&) = delete;

    /// Whether all operands are in one place, and what is made of them there, or of a reduction of that, is less to
    /// send than they are.
    [[nodiscard]] virtual bool is_worth(std::span<const BlockRef> refs, const Evaluated& piece,
                                        const reducing::Recipe* recipe) const = 0;

    /// What is worth it, all at once; none of it empty. `protocol` where the owner refuses.
    virtual base::Result<> evaluate(std::span<const BlockRef> refs, std::span<const Evaluated> pieces) = 0;
    /// The pieces are disjoint parts of the reduction's box. A failure leaves nothing of them in it.
    virtual base::Result<> reduce_evaluated(std::span<const BlockRef> refs, std::span<const Evaluated> pieces,
                                            reducing::Reduction& into) = 0;
};

}  // namespace staithe::store
