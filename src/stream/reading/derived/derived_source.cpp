#include "stream/reading/derived/derived_source.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "store/space/slabs.hpp"

namespace staithe::stream {
namespace {

using transform::expression::Part;

/// Elements that are computed at once, where those that they are made of have to be fetched: from other hosts more, so
/// that the way there counts for little.
constexpr std::int64_t most_fetched_near = 1 << 18;
constexpr std::int64_t most_fetched_far = 1 << 21;

/// Where the cores are idle.
constexpr int threads_to_compute = 4;

/// Of the elements of an operand from which a selection of the block is computed.
std::shared_ptr<const ReadPlan> plan_of(const Operands& operands, std::size_t operand, std::size_t block,
                                        const Selection& selection) {
    const VariableLayout& variable = *operands.variables()[operand];
    const Selection own = operands.parts(block)[operand].selected_by(selection);
    if (!is_by_block(variable)) {
        return variable.plans->of(variable, own);
    }
    auto plan = std::make_shared<ReadPlan>();
    plan->selection = own;
    plan->descriptions.push_back(variable.describe(block));
    plan->pieces.push_back(
        {variable.blocks[block].index, &plan->descriptions.front(), {Box::whole(shape_of(own)), own}});
    plan->elements = volume(shape_of(own)).value_or(0);
    return plan;
}

}  // namespace

DerivedSource::DerivedSource(std::shared_ptr<const Step> step, Composition composition)
    : step_(std::move(step)), composition_(std::move(composition)) {}

base::Result<> DerivedSource::fetch(std::span<const store::BlockRef> /*refs*/, std::span<const store::Piece> pieces,
                                    const MutableArrayView& destination) {
    for (const store::Piece& piece : pieces) {
        Selection selection = piece.overlap.source;
        if (!composition_.by_block()) {
            for (std::size_t i = 0; i < selection.size(); ++i) {
                selection[i].start += piece.description->box.offset[i];
            }
        }
        const MutableArrayView to = slice(destination, Selection(piece.overlap.destination));
        for (const Composition::Task& task : composition_.tasks(piece.block, selection, to)) {
            if (auto computed = compute(*task.component, piece.block, task.selection, task.to); !computed) {
                return computed;
            }
        }
    }
    return {};
}

base::Result<> DerivedSource::compute(const Component& component, std::size_t block, const Selection& selection,
                                      const MutableArrayView& to) const {
    const auto& variables = component.operands.variables();
    std::vector<View> shown_ones;
    for (std::size_t operand = 0; operand < variables.size(); ++operand) {
        auto view = shown(*plan_of(component.operands, operand, block, selection));
        if (!view) {
            return base::fail(std::move(view));
        }
        if (*view) {
            shown_ones.push_back(**std::move(view));
        }
    }
    if (shown_ones.size() == variables.size()) {
        return evaluate(component, block, shown_ones, to);
    }
    const std::int64_t most = is_far() ? most_fetched_far : most_fetched_near;
    for (const Box& slab : store::space::slabs_of(Box::whole(to.shape), most)) {
        const Selection some = store::space::part_of(selection, slab);
        std::vector<View> views;
        for (std::size_t operand = 0; operand < variables.size(); ++operand) {
            auto view = fetched(*variables[operand], *plan_of(component.operands, operand, block, some));
            if (!view) {
                return base::fail(std::move(view));
            }
            views.push_back(*std::move(view));
        }
        if (auto done = evaluate(component, block, views, slice(to, Selection(slab))); !done) {
            return done;
        }
    }
    return {};
}

base::Result<> DerivedSource::evaluate(const Component& component, std::size_t block, std::span<const View> elements,
                                       const MutableArrayView& to) const {
    std::vector<ArrayView> arrays;
    std::ranges::transform(elements, component.operands.parts(block), std::back_inserter(arrays),
                           [&](const View& each, const Part& part) { return part.spread(each.array, to.shape); });
    return component.program.evaluate(arrays, to, threads_to_compute);
}

/// Nothing where they lie in several blocks, or there is no memory to show.
base::Result<std::optional<View>> DerivedSource::shown(const ReadPlan& plan) const {
    if (plan.pieces.size() != 1 || plan.pieces.front().overlap.destination.count != shape_of(plan.selection)) {
        return std::nullopt;
    }
    const store::Piece& piece = plan.pieces.front();
    auto kept = step_->kept(piece);
    if (!kept || *kept) {
        return kept;
    }
    return step_->source->view(step_->blocks[piece.block], *piece.description)
        .map([&](const std::optional<ArrayView>& block) {
            return block ? std::optional(View{slice(*block, piece.overlap.source), nullptr}) : std::nullopt;
        });
}

base::Result<View> DerivedSource::fetched(const VariableLayout& variable, const ReadPlan& plan) const {
    auto view = shown(plan);
    if (!view) {
        return base::fail(std::move(view));
    }
    if (*view) {
        return **std::move(view);
    }
    if (auto whole = check_is_whole(plan, variable.description->variable, step_->number); !whole) {
        return base::fail(std::move(whole));
    }
    const Extents shape = shape_of(plan.selection);
    const Dtype dtype = variable.description->dtype;
    const auto memory = step_->room_for(size_in_bytes(shape, dtype).value_or(0));
    const auto to = MutableArrayView::row_major(memory.get(), dtype, shape);
    auto done = step_->source->fetch(step_->blocks, plan.pieces, to);
    return done ? base::Result<View>(View{to, memory}) : base::fail(std::move(done));
}

}  // namespace staithe::stream
