// The text of an expression, and what it becomes where others define its names.
#include "transform/expression/expression.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "transform/default_arithmetic.hpp"

namespace staithe::transform::expression {
namespace {

constexpr std::size_t longest_quoted = 200;

// Each name may stand for as much again: texts of a few lines would take any memory, and any stack.
constexpr std::size_t most_nodes_of_tree = 50'000;
constexpr std::size_t deepest_tree = 1000;

void append_variables(const Node& node, std::vector<std::string>& names) {
    if (node.kind == Node::Kind::variable && std::ranges::find(names, node.name) == names.end()) {
        names.push_back(node.name);
    }
    for (const Node& argument : node.arguments) {
        append_variables(argument, names);
    }
}

/// False if it would be too much.
bool append_tree(Node& to, const Node& from, std::span<const Expression> definitions, std::size_t depth,
                 std::size_t& nodes) {
    if (++nodes > most_nodes_of_tree || depth > deepest_tree) {
        return false;
    }
    if (from.kind == Node::Kind::variable) {
        const auto defined = std::ranges::find(definitions, from.name, &Expression::name);
        if (defined != definitions.end()) {
            return append_tree(to, defined->root(), {}, depth, nodes);
        }
    }
    to = {from.kind, from.number, from.name, {}};
    return std::ranges::all_of(from.arguments, [&](const Node& argument) {
        return append_tree(to.arguments.emplace_back(), argument, definitions, depth + 1, nodes);
    });
}

}  // namespace

base::Result<Expression> Expression::parse(std::string_view text) {
    const DefaultArithmetic arithmetic;  // numbers are rounded as they are read
    auto parsed = expression::parse(text);
    if (!parsed) {
        return base::fail(std::move(parsed));
    }
    Expression expression;
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    expression.text_ = text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
    expression.is_named_ = !parsed->name.empty();
    expression.name_ = expression.is_named_ ? std::move(parsed->name) : expression.text_;
    expression.unit_ = std::move(parsed->unit);
    expression.root_ = std::move(parsed->root);
    append_variables(expression.root_, expression.variables_);
    if (expression.variables_.empty()) {
        return base::fail(ErrorCode::invalid_argument, "expression '{}' names no variable",
                          base::printable(text.substr(0, longest_quoted)));
    }
    return expression;
}

base::Result<Expression> Expression::with(std::span<const Expression> definitions) const {
    Expression expression = *this;
    expression.root_ = {};
    expression.variables_.clear();
    std::size_t nodes = 0;
    if (!append_tree(expression.root_, root_, definitions, 0, nodes)) {
        return base::fail(ErrorCode::invalid_argument, "expression '{}': the definitions of its names become too long",
                          base::printable(std::string_view(text_).substr(0, longest_quoted)));
    }
    append_variables(expression.root_, expression.variables_);
    return expression;
}

}  // namespace staithe::transform::expression
