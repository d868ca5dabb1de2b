#include "stream/reading/derived/derived_source.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "store/reducing/reduction.hpp"
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

}  // namespace

DerivedSource::DerivedSource(std::shared_ptr<const Step> step, Composition composition)
    : step_(std::move(step)), composition_(std::move(composition)) {}

std::vector<Composition::Task> DerivedSource::tasks_of(const store::Piece& piece,
                                                       const MutableArrayView& destination) const {
    Selection selection = piece.overlap.source;
    if (!composition_.by_block()) {
        for (std::size_t i = 0; i < selection.size(); ++i) {
            selection[i].start += piece.description->box.offset[i];
        }
    }
    return composition_.tasks(piece.block, selection, slice(destination, Selection(piece.overlap.destination)));
}

/// Those that are left for this process.
std::vector<store::Piece> DerivedSource::share_out(std::span<const store::Piece> pieces,
                                                   const MutableArrayView& destination, FarPieces& far) const {
    if (!is_far()) {
        return {pieces.begin(), pieces.end()};
    }
    std::vector<store::Piece> left;
    for (const store::Piece& whole : pieces) {
        if (is_empty(whole.overlap.destination)) {
            continue;
        }
        const std::size_t before = left.size();
        const auto parts = cut_by_blocks(whole, tasks_of(whole, destination));
        std::ranges::copy_if(parts, std::back_inserter(left),
                             [&](const store::Piece& part) { return !far.take(part, tasks_of(part, destination)); });
        if (left.size() == before + parts.size()) {  // none of them: it is fetched as a whole
            left.resize(before);
            left.push_back(whole);
        }
    }
    return left;
}

base::Result<> DerivedSource::fetch(std::span<const store::BlockRef> /*refs*/, std::span<const store::Piece> pieces,
                                    const MutableArrayView& destination) {
    FarPieces far(*step_, nullptr);
    std::vector<store::Piece> left = share_out(pieces, destination, far);
    if (auto fetched = far.fetch(left); !fetched) {
        return fetched;
    }
    for (const store::Piece& piece : left) {
        for (const Composition::Task& task : tasks_of(piece, destination)) {
            if (auto computed = compute(*task.component, piece.block, task.selection, task.to); !computed) {
                return computed;
            }
        }
    }
    return {};
}

base::Result<> DerivedSource::reduce(std::span<const store::BlockRef> refs, std::span<const store::Piece> pieces,
                                     store::reducing::Reduction& into) {
    const store::reducing::Recipe recipe = into.recipe();
    FarPieces far(*step_, &recipe);
    std::vector<store::Piece> left = share_out(pieces, into.states(), far);
    auto reduced = far.reduce(into, left);
    return reduced && !left.empty() ? BlockSource::reduce(refs, left, into) : reduced;
}

base::Result<> DerivedSource::compute(const Component& component, std::size_t block, const Selection& selection,
                                      const MutableArrayView& to) const {
    const auto& variables = component.operands.variables();
    std::vector<View> shown_ones;
    for (std::size_t operand = 0; operand < variables.size(); ++operand) {
        auto view = shown(*component.operands.plan(operand, block, selection));
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
            auto view = fetched(*variables[operand], *component.operands.plan(operand, block, some));
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
    const store::Piece* const piece = only_piece(plan);
    if (piece == nullptr) {
        return std::nullopt;
    }
    auto kept = step_->kept(*piece);
    if (!kept || *kept) {
        return kept;
    }
    return step_->source->view(step_->blocks[piece->block], *piece->description)
        .map([&](const std::optional<ArrayView>& block) {
            return block ? std::optional(View{slice(*block, piece->overlap.source), nullptr}) : std::nullopt;
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
