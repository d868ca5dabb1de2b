#include "stream/reading/derived/composition.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "array/overlap.hpp"
#include "base/text.hpp"
#include "transform/expression/plain.hpp"

namespace staithe::stream {
namespace {

using transform::expression::Expression;
using transform::expression::Merge;

base::Result<Operands> find_operands(const Step& step, const Expression& expression) {
    std::vector<const VariableLayout*> operands;
    for (const std::string& name : expression.variables()) {
        operands.push_back(step.layout->find(name));
        if (operands.back() != nullptr) {
            continue;
        }
        std::vector<std::string> names;
        std::ranges::transform(step.layout->variables(), std::back_inserter(names),
                               [](const VariableLayout& each) { return each.description->variable; });
        return base::fail(ErrorCode::not_found, "step {} has no variable '{}', which an expression names; it has {}",
                          step.number, base::printable(name), base::closest(name, names));
    }
    return Operands::of(std::move(operands), expression);
}

std::shared_ptr<const store::Formula> formula_of(const Expression& expression, const std::vector<Dtype>& operands,
                                                 const transform::expression::Program& program) {
    auto text = transform::expression::plain_text(expression);
    return text ? std::make_shared<const store::Formula>(store::Formula{expression.name(), *std::move(text), operands,
                                                                        program.dtype(), program.operations()})
                : nullptr;
}

base::Result<Composition::Component> component_of(const Step& step, const Expression& expression) {
    auto operands = find_operands(step, expression);
    if (!operands) {
        return base::fail(std::move(operands));
    }
    std::vector<Dtype> dtypes;
    std::ranges::transform(operands->variables(), std::back_inserter(dtypes),
                           [](const VariableLayout* each) { return each->description->dtype; });
    auto program = expression.compile(dtypes);
    if (!program) {
        return base::fail(std::move(program));
    }
    auto formula = step.source->is_far() ? formula_of(expression, dtypes, *program) : nullptr;
    return Composition::Component{*std::move(operands), *std::move(program), std::move(formula)};
}

template <class Dimensions>
Dimensions without(const Dimensions& dimensions, std::optional<std::size_t> axis) {
    Dimensions others;
    for (std::size_t i = 0; i < dimensions.size(); ++i) {
        if (i != axis) {
            others.push_back(dimensions[i]);
        }
    }
    return others;
}

Extents with(const Extents& dimensions, std::size_t axis, std::int64_t value) {
    Extents all;
    for (std::size_t i = 0; i <= dimensions.size(); ++i) {
        all.push_back(i == axis ? value : dimensions[i < axis ? i : i - 1]);
    }
    return all;
}

/// A box of what lies in that place.
Box moved(const Box& box, const Box& place, std::optional<std::size_t> new_axis) {
    Box whole = new_axis ? Box{with(box.offset, *new_axis, 0), with(box.count, *new_axis, 1)} : box;
    std::ranges::transform(whole.offset, place.offset, whole.offset.begin(), std::plus());
    return whole;
}

bool have_the_same_ranks(const std::vector<Operands::Block>& a, const std::vector<Operands::Block>& b) {
    return std::ranges::equal(a, b, {}, &Operands::Block::rank, &Operands::Block::rank);
}

}  // namespace

base::Result<Composition> Composition::of(const Step& step, const Expression& expression) {
    Composition composition;
    composition.merge_ = expression.merge();
    for (const Expression& each : expression.merged()) {
        auto component = component_of(step, each);
        if (!component) {
            return base::fail(std::move(component));
        }
        const Dtype own = component->program.dtype();
        composition.dtype_ =
            composition.components_.empty() ? own : transform::expression::merged(composition.dtype_, own);
        composition.components_.push_back(*std::move(component));
    }
    auto placed = composition.place(expression);
    return placed ? base::Result<Composition>(std::move(composition)) : base::fail(std::move(placed));
}

/// The blocks of which are those of local arrays, if any's are.
const Composition::Component& Composition::leading() const {
    const auto by_block = [](const Component& each) { return each.operands.by_block(); };
    const auto found = std::ranges::find_if(components_, by_block);
    return found != components_.end() ? *found : components_.front();
}

base::Result<> Composition::place(const Expression& expression) {
    const std::vector<Operands::Block> blocks = leading().operands.blocks();
    for (const Component& each : components_) {
        const bool fits = each.operands.by_block() ? have_the_same_ranks(each.operands.blocks(), blocks)
                                                   : volume(each.operands.shape()) == 1;
        if (by_block() && !fits) {
            return expression.fail("with local arrays go those of the same ranks, and what has a single element");
        }
    }
    for (std::size_t block = 0; block < (by_block() ? blocks.size() : 1); ++block) {
        auto placed = this->placed(block);
        if (!placed) {
            return expression.fail(placed.error().message);
        }
        if (!size_in_bytes(placed->shape, dtype_)) {
            return expression.fail(
                fmt::format("it makes an array {}, which is too large for any memory", to_string(placed->shape)));
        }
        placed_.push_back(*std::move(placed));
    }
    return {};
}

base::Result<Merge::Placed> Composition::placed(std::size_t block) const {
    std::vector<Extents> shapes;
    std::ranges::transform(components_, std::back_inserter(shapes),
                           [block](const Component& each) { return each.operands.shape(block); });
    return merge_ ? merge_->place(shapes)
                  : Merge::Placed{.shape = shapes.front(), .places = {Box::whole(shapes.front())}};
}

std::vector<Operands::Block> Composition::blocks() const {
    std::vector<Operands::Block> blocks;
    if (by_block()) {
        blocks = leading().operands.blocks();
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            blocks[i].box = Box::whole(placed_[i].shape);
        }
        return blocks;
    }
    const auto& [shape, new_axis, places] = placed_.front();
    for (std::size_t i = 0; i < components_.size(); ++i) {
        const Operands& operands = components_[i].operands;
        if (operands.shape() != without(places[i].count, new_axis)) {  // its blocks are repeated
            blocks.push_back({.box = places[i]});
            continue;
        }
        for (const auto& [rank, column_major, box] : operands.blocks()) {
            blocks.push_back({rank, column_major, moved(box, places[i], new_axis)});
        }
    }
    return blocks;
}

List Composition::names_of_dimensions() const {
    return merge_ && merge_->stacks ? List() : components_.front().operands.names_of_dimensions();
}

std::vector<Composition::Task> Composition::tasks(std::size_t block, const Selection& selection,
                                                  const MutableArrayView& to) const {
    const Merge::Placed& placed = placed_[by_block() ? block : 0];
    std::vector<Task> tasks;
    for (std::size_t i = 0; i < components_.size(); ++i) {
        const auto common = array::overlap(placed.places[i], selection);
        if (!common) {
            continue;
        }
        MutableArrayView part = slice(to, Selection(common->destination));
        part.shape = without(part.shape, placed.new_axis);
        part.strides = without(part.strides, placed.new_axis);
        tasks.push_back({&components_[i], without(common->source, placed.new_axis), part});
    }
    return tasks;
}

}  // namespace staithe::stream
