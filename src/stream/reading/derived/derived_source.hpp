// The blocks of a variable that is computed when they are fetched: here, or where what it is computed of lies.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stream/reading/derived/composition.hpp"
#include "stream/reading/derived/far_pieces.hpp"
#include "stream/reading/step.hpp"

namespace staithe::stream {

class DerivedSource : public store::BlockSource {
  public:
    /// Of variables of the step. Its pieces name the blocks of the result.
    DerivedSource(std::shared_ptr<const Step> step, Composition composition);

    base::Result<> fetch(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                         const MutableArrayView& destination) override;
    /// By whoever has what it is computed of, where that is less to send.
    base::Result<> reduce(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                          store::reducing::Reduction& into) override;
    [[nodiscard]] base::Seconds delay() const override { return step_->source->delay(); }
    [[nodiscard]] bool is_far() const override { return step_->source->is_far(); }

  private:
    using Component = Composition::Component;

    [[nodiscard]] std::vector<Composition::Task> tasks_of(const store::Piece& piece,
                                                          const MutableArrayView& destination) const;
    std::vector<store::Piece> share_out(std::span<const store::Piece> pieces, const MutableArrayView& destination,
                                        FarPieces& far) const;
    base::Result<> compute(const Component& component, std::size_t block, const Selection& selection,
                           const MutableArrayView& to) const;
    base::Result<> evaluate(const Component& component, std::size_t block, std::span<const View> elements,
                            const MutableArrayView& to) const;
    base::Result<std::optional<View>> shown(const ReadPlan& plan) const;
    base::Result<View> fetched(const VariableLayout& variable, const ReadPlan& plan) const;

    const std::shared_ptr<const Step> step_;
    const Composition composition_;
};

}  // namespace staithe::stream
