// What is computed of blocks by whoever holds them: how it is asked for, and how it is done.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "store/evaluator.hpp"
#include "store/remote/messages.hpp"
#include "store/remote/transfer.hpp"
#include "transform/expression/expression.hpp"

namespace staithe::store::remote {

/// Elements that are computed. `to` is where they go: memory of the shape and strides of the piece's own.
[[nodiscard]] Transfer transfer_of(const Evaluated& piece, std::span<const BlockRef> refs, void* to);

/// Of one connection: what was asked for last is asked for again.
class Evaluating {
  public:
    /// Of so many elements. `invalid_argument` for what cannot be computed, or is too much at once.
    base::Result<std::int64_t> operations_of(const Computed& computed, std::int64_t elements);
    /// The elements of a piece in C order. `invalid_argument` for what cannot be computed.
    base::Result<std::vector<std::byte>> evaluate(const Computed& computed, Dtype dtype,
                                                  std::span<const ArrayView> operands);

  private:
    base::Result<const transform::expression::Program*> program_of(const Computed& computed);

    std::optional<std::pair<Computed, transform::expression::Program>> last_;
};

}  // namespace staithe::store::remote
