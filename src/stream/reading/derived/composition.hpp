// What a derived variable is made of: what one expression computes, or what several do, each of which has its place.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <staithe/box.hpp>

#include "base/result.hpp"
#include "store/evaluator.hpp"
#include "stream/reading/derived/operands.hpp"
#include "stream/reading/step.hpp"
#include "transform/expression/expression.hpp"
#include "transform/expression/merge.hpp"

namespace staithe::stream {

class Composition {
  public:
    struct Component {
        Operands operands;
        transform::expression::Program program;
        std::shared_ptr<const store::Formula> formula;  // the same for others; null: nobody else computes it
    };

    /// Of variables of the step. `invalid_argument` for what does not go together; `not_found` for names that the step
    /// does not have.
    static base::Result<Composition> of(const Step& step, const transform::expression::Expression& expression);

    [[nodiscard]] Dtype dtype() const { return dtype_; }
    /// Whether each block of local arrays is made by itself.
    [[nodiscard]] bool by_block() const { return leading().operands.by_block(); }
    /// Unless by block.
    [[nodiscard]] const Extents& shape() const { return placed_.front().shape; }
    [[nodiscard]] std::vector<Operands::Block> blocks() const;
    /// None if there are none for all dimensions.
    [[nodiscard]] List names_of_dimensions() const;

    /// What a component has to compute of a selection.
    struct Task {
        const Component* component = nullptr;
        Selection selection;  // of what it computes
        MutableArrayView to;
    };
    /// Of what is made, or of that block. `to` has the selection's shape.
    [[nodiscard]] std::vector<Task> tasks(std::size_t block, const Selection& selection,
                                          const MutableArrayView& to) const;

  private:
    [[nodiscard]] const Component& leading() const;
    base::Result<> place(const transform::expression::Expression& expression);
    [[nodiscard]] base::Result<transform::expression::Merge::Placed> placed(std::size_t block) const;

    std::vector<Component> components_;
    std::optional<transform::expression::Merge> merge_;
    std::vector<transform::expression::Merge::Placed> placed_;  // the components; by block: in each
    Dtype dtype_ = Dtype::u8;
};

}  // namespace staithe::stream
