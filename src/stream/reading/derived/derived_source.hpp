// The blocks of a variable that is computed when they are fetched.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stream/reading/derived/operands.hpp"
#include "stream/reading/step.hpp"
#include "transform/expression/expression.hpp"

namespace staithe::stream {

class DerivedSource : public store::BlockSource {
  public:
    /// The operands are of the step, the program is for their dtypes. Its pieces name the blocks of the result.
    DerivedSource(std::shared_ptr<const Step> step, Operands operands, transform::expression::Program program);

    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override;
    [[nodiscard]] base::Seconds delay() const override { return step_->source->delay(); }
    [[nodiscard]] bool is_far() const override { return step_->source->is_far(); }

  private:
    base::Result<> compute(std::size_t block, const Selection& selection, const MutableArrayView& to) const;
    base::Result<> evaluate(std::span<const View> operands, const MutableArrayView& to) const;
    [[nodiscard]] std::shared_ptr<const ReadPlan> plan_of(const VariableLayout& operand, std::size_t block,
                                                          const Selection& selection) const;
    base::Result<std::optional<View>> shown(const ReadPlan& plan) const;
    base::Result<View> fetched(const VariableLayout& operand, const ReadPlan& plan) const;

    const std::shared_ptr<const Step> step_;
    const Operands operands_;
    const transform::expression::Program program_;
};

}  // namespace staithe::stream
