// The text of an expression, and what it becomes where others define its names.
#include "transform/expression/expression.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "transform/default_arithmetic.hpp"

namespace staithe::transform::expression {
namespace {

constexpr std::size_t longest_shown = 200;

// Each name may stand for as much again: texts of a few lines would take any memory, and any stack.
constexpr std::size_t most_nodes_of_tree = 50'000;
constexpr std::size_t deepest_tree = 1000;

bool merges_inside(const Node& node) {
    return std::ranges::any_of(node.arguments, [](const Node& argument) {
        return argument.kind == Node::Kind::merge || merges_inside(argument);
    });
}

bool say_the_same(const Node& a, const Node& b) {
    return a.kind == b.kind && a.number == b.number && a.subscripts == b.subscripts &&
           (a.kind == Node::Kind::part || a.name == b.name) &&
           std::ranges::equal(a.arguments, b.arguments, say_the_same);
}

/// Variables and parts that say the same have the same places, if they are in the same part: all in it are its own.
void place(Node& node, std::vector<const Node*>& known, std::vector<std::string>& names) {
    if (node.kind != Node::Kind::variable && node.kind != Node::Kind::part) {
        for (Node& argument : node.arguments) {
            place(argument, known, names);
        }
        return;
    }
    const auto same = std::ranges::find_if(known, [&](const Node* each) { return say_the_same(*each, node); });
    if (same != known.end()) {
        node = Node(**same);
        return;
    }
    known.push_back(&node);
    node.operand = names.size();
    if (node.kind == Node::Kind::variable) {
        names.push_back(node.name);
    } else {
        std::vector<const Node*> known_in_it;
        place(node.arguments.front(), known_in_it, names);
        node.operands_end = names.size();
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
    to = {
        .kind = from.kind, .number = from.number, .name = from.name, .subscripts = from.subscripts, .axis = from.axis};
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
    return std::move(expression).of(std::move(parsed->root));
}

base::Result<Expression> Expression::with(std::span<const Expression> definitions) const {
    Node root;
    std::size_t nodes = 0;
    if (!append_tree(root, root_, definitions, 0, nodes)) {
        return fail("the definitions of its names become too long");
    }
    Expression expression;
    expression.text_ = text_;
    expression.name_ = name_;
    expression.unit_ = unit_;
    expression.is_named_ = is_named_;
    return std::move(expression).of(std::move(root));
}

base::Result<Expression> Expression::of(Node root) && {
    root_ = std::move(root);
    if (merges_inside(root_)) {
        return fail(merges_stand_alone);
    }
    std::vector<const Node*> known;
    place(root_, known, variables_);
    if (variables_.empty()) {
        return fail("it names no variable");
    }
    if (root_.kind == Node::Kind::merge) {
        for (const Node& argument : root_.arguments) {
            Expression& one = merged_.emplace_back(Expression());
            one.text_ = text_.substr(0, longest_shown);
            one.root_ = argument;
            known.clear();
            place(one.root_, known, one.variables_);
        }
    }
    return std::move(*this);
}

tl::unexpected<base::Failure> Expression::fail(std::string_view why) const {
    return base::fail(ErrorCode::invalid_argument, "expression '{}': {}",
                      base::printable(std::string_view(text_).substr(0, longest_shown)), why);
}

std::optional<Merge> Expression::merge() const {
    auto merge = root_.kind == Node::Kind::merge ? merge_of(root_.name) : std::nullopt;
    if (merge) {
        merge->axis = root_.axis;
    }
    return merge;
}

}  // namespace staithe::transform::expression
