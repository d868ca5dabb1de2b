#include "stream/reading/derived/operands.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "array/overlap.hpp"
#include "base/text.hpp"
#include "format/conventions.hpp"

namespace staithe::stream {
namespace {

using transform::expression::Expression;
using transform::expression::Part;

std::string named(const VariableLayout& variable) {
    return fmt::format("'{}'", base::printable(variable.description->variable));
}

/// Why variables do not go with the local arrays of the first one that are several.
std::optional<std::string> difference(const VariableLayout& leading, const VariableLayout& other) {
    if (!is_by_block(other)) {
        const Extents& shape = other.description->shape;
        return volume(shape) == 1 ? std::nullopt
                                  : std::optional(fmt::format(
                                        "{} is {} local arrays, {} is one array {}: only one of a single element "
                                        "goes with each of them",
                                        named(leading), leading.blocks.size(), named(other), to_string(shape)));
    }
    if (!std::ranges::equal(leading.blocks, other.blocks, {}, &PlacedBlock::rank, &PlacedBlock::rank)) {
        return fmt::format("{} is {} local arrays, {} is {}, or of other ranks: they do not go together",
                           named(leading), leading.blocks.size(), named(other), other.blocks.size());
    }
    return std::nullopt;
}

/// A part of a block, as it lies in the part of the variable; nothing if it has none of it.
std::optional<Box> box_in(const Part& part, const Box& block) {
    const auto common = array::overlap(block, part.selection);
    if (!common || is_empty(part.shape)) {  // as new dimensions may be, too
        return std::nullopt;
    }
    Box box;
    for (const std::size_t dimension : part.dimensions) {
        const bool is_new = dimension == Part::new_dimension;
        box.offset.push_back(is_new ? 0 : common->destination.offset[dimension]);
        box.count.push_back(is_new ? 1 : common->destination.count[dimension]);
    }
    return box;
}

}  // namespace

bool is_by_block(const VariableLayout& variable) { return variable.description->local && variable.blocks.size() > 1; }

base::Result<Operands> Operands::of(std::vector<const VariableLayout*> variables, const Expression& expression) {
    Operands operands;
    operands.variables_ = std::move(variables);
    const auto& all = operands.variables_;
    const auto local = std::ranges::find_if(all, [](const VariableLayout* each) { return is_by_block(*each); });
    operands.by_block_ = local != all.end();
    operands.leading_ = static_cast<std::size_t>(local - all.begin());
    for (const VariableLayout* const each : all) {
        if (const auto why = operands.by_block_ ? difference(**local, *each) : std::nullopt) {
            return expression.fail(*why);
        }
    }
    const std::size_t count = operands.by_block_ ? (*local)->blocks.size() : 1;
    for (std::size_t block = 0; block < count; ++block) {
        std::vector<Extents> shapes;
        std::ranges::transform(all, std::back_inserter(shapes), [block](const VariableLayout* each) {
            return is_by_block(*each) ? each->box(block).count : each->description->shape;
        });
        auto parts = parts_of(expression, shapes);
        if (!parts) {
            return operands.by_block_ ? base::fail(parts.error().code, "{} (the local arrays of rank {})",
                                                   parts.error().message, (*local)->blocks[block].rank)
                                      : base::fail(std::move(parts));
        }
        operands.parts_.push_back(*std::move(parts));
    }
    if (!operands.by_block_) {
        const auto& parts = operands.parts_.front().of;
        operands.leading_ =
            static_cast<std::size_t>(std::ranges::find(parts, operands.shape(), &Part::shape) - parts.begin());
    }
    return operands;
}

std::shared_ptr<const ReadPlan> Operands::plan(std::size_t operand, std::size_t block,
                                               const Selection& selection) const {
    const VariableLayout& variable = *variables_[operand];
    const Selection own = parts(block)[operand].selected_by(selection);
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

std::vector<Operands::Block> Operands::blocks() const {
    std::vector<Block> blocks;
    const std::size_t count = leading_ < variables_.size() ? variables_[leading_]->blocks.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const PlacedBlock& placed = variables_[leading_]->blocks[i];
        const auto box =
            by_block_ ? Box::whole(parts_[i].shape) : box_in(parts_.front().of[leading_], variables_[leading_]->box(i));
        if (box) {
            blocks.push_back({placed.rank, placed.column_major, *box});
        }
    }
    if (blocks.empty()) {
        blocks.push_back({.box = Box::whole(shape())});
    }
    return blocks;
}

List Operands::names_of_dimensions() const {
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const Part& part = parts_.front().of[i];
        const List names = format::names_of_dimensions(variables_[i]->description->attributes);
        const bool has_new = std::ranges::find(part.dimensions, Part::new_dimension) != part.dimensions.end();
        if (!names.empty() && names.size() == part.selection.size() && !has_new && part.shape == shape()) {
            List own;
            std::ranges::transform(part.dimensions, std::back_inserter(own),
                                   [&](std::size_t each) { return names[each]; });
            return own;
        }
    }
    return {};
}

}  // namespace staithe::stream
