#include "stream/reading/derived/operands.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace staithe::stream {
namespace {

std::string named(const VariableLayout& variable) {
    return fmt::format("'{}'", base::printable(variable.description->variable));
}

/// Nothing where a dimension has two lengths, neither of which is 1.
std::optional<Extents> broadcast(const Extents& a, const Extents& b) {
    const Extents& longer = a.size() >= b.size() ? a : b;
    const Extents& shorter = a.size() >= b.size() ? b : a;
    Extents shape = longer;
    const std::size_t first = longer.size() - shorter.size();
    for (std::size_t i = 0; i < shorter.size(); ++i) {
        std::int64_t& length = shape[first + i];
        if (length != shorter[i] && length != 1 && shorter[i] != 1) {
            return std::nullopt;
        }
        length = length == 1 ? shorter[i] : length;
    }
    return shape;
}

/// Why blocks of the one are not those of the other.
std::optional<std::string> difference(const VariableLayout& a, const VariableLayout& b) {
    if (a.blocks.size() != b.blocks.size()) {
        return fmt::format("{} is {} local arrays, {} is {}", named(a), a.blocks.size(), named(b), b.blocks.size());
    }
    for (std::size_t i = 0; i < a.blocks.size(); ++i) {
        if (a.blocks[i].rank != b.blocks[i].rank || a.box(i).count != b.box(i).count) {
            return fmt::format("{} has a local array {} of rank {}, {} one {} of rank {}", named(a),
                               to_string(a.box(i).count), a.blocks[i].rank, named(b), to_string(b.box(i).count),
                               b.blocks[i].rank);
        }
    }
    return std::nullopt;
}

}  // namespace

bool is_by_block(const VariableLayout& variable) { return variable.description->local && variable.blocks.size() > 1; }

base::Result<Operands> Operands::of(std::vector<const VariableLayout*> variables, std::string_view text) {
    const auto unfit = [text](const std::string& why) {
        return base::fail(ErrorCode::invalid_argument, "expression '{}': {}", base::printable(text), why);
    };
    Operands operands;
    operands.variables = std::move(variables);
    for (const VariableLayout* const each : operands.variables) {
        if (is_by_block(*each)) {
            operands.by_block = true;
            operands.leading = operands.leading != nullptr ? operands.leading : each;
        }
    }
    const VariableLayout& first = *operands.variables.front();
    operands.shape = first.description->shape;
    for (const VariableLayout* const each : operands.variables) {
        const Extents& shape = each->description->shape;
        if (is_by_block(*each)) {
            if (const auto why = difference(*operands.leading, *each)) {
                return unfit(*why + ": they do not go together");
            }
        } else if (operands.by_block && volume(shape) != 1) {
            return unfit(
                fmt::format("{} is {} local arrays, {} is one array {}: only one of a single element goes "
                            "with each of them",
                            named(*operands.leading), operands.leading->blocks.size(), named(*each), to_string(shape)));
        } else if (!operands.by_block) {
            const auto together = broadcast(operands.shape, shape);
            if (!together) {
                return unfit(fmt::format("{} has the shape {}, {} {}: they do not go together", named(first),
                                         to_string(first.description->shape), named(*each), to_string(shape)));
            }
            operands.shape = *together;
        }
    }
    if (!operands.by_block) {
        const auto leading = std::ranges::find_if(
            operands.variables, [&](const VariableLayout* each) { return each->description->shape == operands.shape; });
        operands.leading = leading != operands.variables.end() ? *leading : nullptr;
    }
    return operands;
}

Selection operand_selection(const Selection& selection, const Extents& shape) {
    Selection own;
    if (shape.size() > selection.size()) {  // all of a single element
        return Selection::all(shape);
    }
    const std::size_t first = selection.size() - shape.size();
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const Slice& slice = selection[first + i];
        own.push_back(shape[i] == 1 ? Slice{0, 1, slice.count > 0 ? 1 : 0} : slice);
    }
    return own;
}

ArrayView repeated(const ArrayView& elements, const Extents& shape) {
    ArrayView view{elements.data, elements.dtype, shape, Extents::filled(shape.size(), 0)};
    const std::size_t both = std::min(shape.size(), elements.shape.size());
    for (std::size_t i = 1; i <= both; ++i) {
        const std::size_t own = elements.shape.size() - i;
        view.strides[shape.size() - i] = elements.shape[own] == 1 ? 0 : elements.strides[own];
    }
    return view;
}

}  // namespace staithe::stream
