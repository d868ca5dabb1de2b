#include "transform/expression/plain.hpp"

#include <algorithm>

namespace staithe::transform::expression {
namespace {

std::string written(bool number) { return number ? "True" : "False"; }
std::string written(std::int64_t number) { return fmt::format("{}", number); }
std::string written(double number) {
    std::string text = fmt::format("{}", number);
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}
std::string written(const std::complex<double>& number) {  // as numbers are written, it has no real part
    return fmt::format("{}j", number.imag());
}

std::string name_of_operand(std::size_t operand) { return fmt::format("x{}", operand); }

bool is_symbol(const std::string& name) {
    return std::ranges::none_of(name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); });
}

void append(std::string& text, const Node& node) {
    switch (node.kind) {
        case Node::Kind::number:
            text += std::visit([](const auto& number) { return written(number); }, node.number);
            return;
        case Node::Kind::variable: text += name_of_operand(node.operand); return;
        case Node::Kind::part: append(text, node.arguments.front()); return;
        case Node::Kind::call:
        case Node::Kind::merge: break;
    }
    const bool is_between = is_symbol(node.name) && node.arguments.size() == 2;
    text += is_between ? "(" : is_symbol(node.name) ? "(" + node.name : node.name + "(";
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
        if (i > 0) {
            text += is_between ? " " + node.name + " " : ", ";
        }
        append(text, node.arguments[i]);
    }
    text += ")";
}

}  // namespace

std::optional<std::string> plain_text(const Expression& expression) {
    std::string text;
    append(text, expression.root());
    const auto read = Expression::parse(text);
    if (!read || read->merge() || read->variables().size() != expression.variables().size()) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < read->variables().size(); ++i) {
        if (read->variables()[i] != name_of_operand(i)) {
            return std::nullopt;
        }
    }
    return text;
}

}  // namespace staithe::transform::expression
