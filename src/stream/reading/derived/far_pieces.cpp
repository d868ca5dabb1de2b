#include "stream/reading/derived/far_pieces.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "store/space/slabs.hpp"

namespace staithe::stream {
namespace {

/// As a stencil makes of a block in three dimensions.
constexpr std::size_t most_parts = 64;

/// Where along each dimension of what is made an operand's blocks begin and end.
void append_cuts(const Composition::Task& task, std::size_t block, PerDimension<std::set<std::int64_t>>& cuts) {
    const Operands& operands = task.component->operands;
    for (std::size_t i = 0; i < operands.variables().size(); ++i) {
        const auto plan = operands.plan(i, block, task.selection);
        const auto along = operands.parts(block)[i].along(shape_of(plan->selection), cuts.size());
        for (const store::Piece& piece : plan->pieces) {
            const Box& place = piece.overlap.destination;
            for (std::size_t dimension = 0; dimension < cuts.size(); ++dimension) {
                if (const std::size_t own = along[dimension]; own != transform::expression::Part::new_dimension) {
                    cuts[dimension].insert({place.offset[own], place.offset[own] + place.count[own]});
                }
            }
        }
    }
}

/// Of a piece, what goes to that box of those that it is.
store::Piece part_of(const store::Piece& piece, const Box& box) {
    Box place = box;
    for (std::size_t i = 0; i < box.dimensions(); ++i) {
        place.offset[i] += piece.overlap.destination.offset[i];
    }
    return {piece.block, piece.description, {place, store::space::part_of(piece.overlap.source, box)}};
}

}  // namespace

const store::Piece* only_piece(const ReadPlan& plan) {
    const bool is_one =
        plan.pieces.size() == 1 && plan.pieces.front().overlap.destination.count == shape_of(plan.selection);
    return is_one ? &plan.pieces.front() : nullptr;
}

std::vector<store::Piece> cut_by_blocks(const store::Piece& piece, std::span<const Composition::Task> tasks) {
    const Extents& shape = piece.overlap.destination.count;
    if (tasks.size() != 1 || tasks.front().to.shape != shape) {
        return {piece};
    }
    auto cuts = PerDimension<std::set<std::int64_t>>::filled(shape.size(), {});
    append_cuts(tasks.front(), piece.block, cuts);
    std::vector<Box> boxes{Box::whole(shape)};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        cuts[i].insert({0, shape[i]});
        std::vector<Box> cut;
        for (Box box : boxes) {
            for (auto begin = cuts[i].begin(), end = std::next(begin); end != cuts[i].end(); ++begin, ++end) {
                box.offset[i] = *begin;
                box.count[i] = *end - *begin;
                cut.push_back(box);
            }
        }
        if (cut.size() > most_parts) {
            return {piece};
        }
        boxes = std::move(cut);
    }
    std::vector<store::Piece> parts;
    std::ranges::transform(boxes, std::back_inserter(parts), [&](const Box& box) { return part_of(piece, box); });
    return parts;
}

/// Nothing unless each operand lies in one block, and none is here already.
std::optional<store::Evaluated> FarPieces::evaluated(std::size_t block, const Composition::Task& task) {
    const Operands& operands = task.component->operands;
    store::Evaluated evaluated{task.component->formula, {}, task.to};
    for (std::size_t i = 0; i < operands.variables().size(); ++i) {
        auto plan = operands.plan(i, block, task.selection);
        const store::Piece* const piece = only_piece(*plan);
        if (piece == nullptr) {
            return std::nullopt;
        }
        if (const auto kept = step_.kept(*piece); recipe_ == nullptr && (!kept || *kept)) {
            return std::nullopt;
        }
        const auto along = operands.parts(block)[i].along(shape_of(plan->selection), task.to.shape.size());
        evaluated.operands.push_back({*piece, along});
        plans_.push_back(std::move(plan));
    }
    return evaluated;
}

store::Evaluator* FarPieces::evaluator_of(const store::Evaluated& evaluated) const {
    store::Evaluator* const evaluator = step_.source->evaluator(step_.blocks[evaluated.operands.front().piece.block]);
    const bool has_all = std::ranges::all_of(evaluated.operands, [&](const store::Operand& operand) {
        return step_.source->evaluator(step_.blocks[operand.piece.block]) == evaluator;
    });
    return has_all && evaluator != nullptr && evaluator->is_worth(step_.blocks, evaluated, recipe_) ? evaluator
                                                                                                    : nullptr;
}

bool FarPieces::take(const store::Piece& piece, std::span<const Composition::Task> tasks) {
    if (tasks.empty()) {
        return false;
    }
    std::vector<store::Evaluated> all;
    store::Evaluator* evaluator = nullptr;
    for (const Composition::Task& task : tasks) {
        // A reduction is of what is made, not of what that becomes beside others.
        const bool is_asked_for =
            task.component->formula && (!recipe_ || task.component->program.dtype() == piece.description->dtype);
        auto one = is_asked_for ? evaluated(piece.block, task) : std::nullopt;
        store::Evaluator* const its = one ? evaluator_of(*one) : nullptr;
        if (its == nullptr || (evaluator != nullptr && its != evaluator)) {
            return false;
        }
        evaluator = its;
        all.push_back(*std::move(one));
    }
    auto group = std::ranges::find(groups_, evaluator, &Group::evaluator);
    if (group == groups_.end()) {
        group = groups_.insert(group, {evaluator, {}, {}});
    }
    group->pieces.push_back(piece);
    std::ranges::move(all, std::back_inserter(group->evaluated));
    return true;
}

template <class Get>
base::Result<> FarPieces::get(std::vector<store::Piece>& left, const Get& get) {
    for (const auto& [evaluator, pieces, evaluated] : groups_) {
        const base::Result<> got = get(*evaluator, evaluated);
        if (!got && got.error().code != ErrorCode::peer_lost && got.error().code != ErrorCode::protocol) {
            return got;
        }
        if (!got) {  // others may have the blocks, or it is too much for their owner; else who fetches them is told why
            left.insert(left.end(), pieces.begin(), pieces.end());
        }
    }
    return {};
}

base::Result<> FarPieces::fetch(std::vector<store::Piece>& left) {
    return get(left, [this](store::Evaluator& evaluator, std::span<const store::Evaluated> evaluated) {
        return evaluator.evaluate(step_.blocks, evaluated);
    });
}

base::Result<> FarPieces::reduce(store::reducing::Reduction& into, std::vector<store::Piece>& left) {
    return get(left, [&](store::Evaluator& evaluator, std::span<const store::Evaluated> evaluated) {
        return evaluator.reduce_evaluated(step_.blocks, evaluated, into);
    });
}

}  // namespace staithe::stream
