// Precedence as Python has it.
#include <array>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "transform/expression/merge.hpp"
#include "transform/expression/tokens.hpp"
#include "transform/expression/tree.hpp"

namespace staithe::transform::expression {
namespace {

/// Every parenthesis, sign and power is one: more than people write, and little enough for any stack.
constexpr int deepest = 200;
/// Long sums are deep, too: each operand adds to all before it.
constexpr int most_calls = 1000;

struct Binary {
    std::string_view symbol;
    int binding;  // of two operators the one that binds more goes first
};
constexpr int comparing = 1;
constexpr int binding_of_signs = 7;
constexpr std::array<Binary, 18> binaries = {{{"<", comparing},
                                              {"<=", comparing},
                                              {"==", comparing},
                                              {"!=", comparing},
                                              {">=", comparing},
                                              {">", comparing},
                                              {"|", 2},
                                              {"^", 3},
                                              {"&", 4},
                                              {"<<", 5},
                                              {">>", 5},
                                              {"+", 6},
                                              {"-", 6},
                                              {"*", 7},
                                              {"/", 7},
                                              {"//", 7},
                                              {"%", 7},
                                              {"**", 8}}};

std::optional<Binary> binary_of(const Token& token) {
    for (const Binary& each : binaries) {
        if (token.kind == Token::Kind::symbol && token.text == each.symbol) {
            return each;
        }
    }
    return std::nullopt;
}

constexpr std::size_t longest_name_of_part = 60;

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text), tokens_(text) {}

    base::Result<Parsed> parse() {
        if (auto begun = advance(); !begun) {
            return base::fail(std::move(begun));
        }
        Parsed parsed;
        auto root = operation(0);
        if (root && is("=")) {
            if (root->kind != Node::Kind::variable) {
                return fail_at(text_, token_.position, "one name stands before '='; to compare, write '=='");
            }
            parsed.name = root->name;
            parsed.unit = unit_;
            if (auto taken = advance(); !taken) {
                return base::fail(std::move(taken));
            }
            root = operation(0);
        }
        if (!root) {
            return base::fail(std::move(root));
        }
        if (token_.kind != Token::Kind::end) {
            return unexpected();
        }
        parsed.root = *std::move(root);
        return parsed;
    }

  private:
    [[nodiscard]] bool is(std::string_view symbol) const {
        return token_.kind == Token::Kind::symbol && token_.text == symbol;
    }

    base::Result<Node> call(std::string_view name, std::vector<Node> arguments) {
        if (++calls_ > most_calls) {
            return fail_at(text_, token_.position, fmt::format("it has more than {} operations", most_calls));
        }
        return Node{.kind = Node::Kind::call, .name = std::string(name), .arguments = std::move(arguments)};
    }

    /// Brackets behind it select from it; before a '=' they have the unit of what is to be made.
    base::Result<Node> with_subscripts(std::size_t first, base::Result<Node> whole) {
        while (whole && token_.kind == Token::Kind::bracketed) {
            const Token bracketed = token_;
            if (auto taken = advance(); !taken) {
                return base::fail(std::move(taken));
            }
            if (is("=") && depth_ == 1) {
                unit_ = base::trimmed(bracketed.text);
                break;
            }
            auto subscripts = parse_subscripts(text_, bracketed);
            if (!subscripts) {
                return base::fail(std::move(subscripts));
            }
            const std::size_t length = bracketed.position + bracketed.text.size() + 2 - first;
            std::vector<Node> only(1);
            only[0] = *std::move(whole);
            whole = call(length <= longest_name_of_part ? text_.substr(first, length)
                                                        : fmt::format("{}…", text_.substr(first, longest_name_of_part)),
                         std::move(only));
            if (whole) {
                whole->kind = Node::Kind::part;
                whole->subscripts = *std::move(subscripts);
            }
        }
        return whole;
    }

    base::Result<> advance() {
        auto token = tokens_.next();
        if (!token) {
            return base::fail(std::move(token));
        }
        token_ = *token;
        return {};
    }

    tl::unexpected<base::Failure> unexpected() const {
        if (token_.kind == Token::Kind::end) {
            return fail_at(text_, token_.position, "it ends where something should follow");
        }
        const bool is_name = token_.kind == Token::Kind::name;
        if (is_name && (token_.text == "and" || token_.text == "or" || token_.text == "not")) {
            return fail_at(
                text_, token_.position,
                fmt::format("'{}' is for one truth value: use &, | and ~, each side in parentheses", token_.text));
        }
        return fail_at(text_, token_.position, fmt::format("'{}' is not expected here", base::printable(token_.text)));
    }

    base::Result<> expect(std::string_view symbol) {
        if (!is(symbol)) {
            return token_.kind == Token::Kind::end
                       ? fail_at(text_, token_.position, fmt::format("'{}' is missing", symbol))
                       : unexpected();
        }
        return advance();
    }

    /// Operators that bind at least so much.
    base::Result<Node> operation(int least) {
        if (++depth_ > deepest) {
            return fail_at(text_, token_.position, fmt::format("it is nested more than {} deep", deepest));
        }
        auto left = sign();
        bool has_compared = false;
        while (left) {
            const auto binary = binary_of(token_);
            if (!binary || binary->binding < least) {
                break;
            }
            if (binary->binding == comparing && std::exchange(has_compared, true)) {
                return fail_at(
                    text_, token_.position,
                    "comparisons are not chained, and & and | bind more than they do: write (a < b) & (b < c)");
            }
            if (auto taken = advance(); !taken) {
                return base::fail(std::move(taken));
            }
            // a ** b ** c is a ** (b ** c); all others go from left to right.
            const bool from_the_right = binary->symbol == "**";
            auto right = operation(binary->binding + (from_the_right ? 0 : 1));
            if (!right) {
                return right;
            }
            std::vector<Node> sides(2);  // moved: in braces they would be copied, with all beneath them
            sides[0] = *std::move(left);
            sides[1] = *std::move(right);
            left = call(binary->symbol, std::move(sides));
        }
        --depth_;
        return left;
    }

    base::Result<Node> sign() {
        for (const std::string_view symbol : {"-", "+", "~"}) {
            if (is(symbol)) {
                if (auto taken = advance(); !taken) {
                    return base::fail(std::move(taken));
                }
                auto operand = operation(binding_of_signs + 1);  // -a ** 2 is -(a ** 2)
                if (!operand) {
                    return operand;
                }
                std::vector<Node> only(1);
                only[0] = *std::move(operand);
                return call(symbol, std::move(only));
            }
        }
        const std::size_t first = token_.position;
        return with_subscripts(first, operand());
    }

    base::Result<Node> operand() {
        const Token token = token_;
        if (token.kind == Token::Kind::end || (token.kind == Token::Kind::symbol && token.text != "(")) {
            return unexpected();
        }
        if (auto taken = advance(); !taken) {
            return base::fail(std::move(taken));
        }
        switch (token.kind) {
            case Token::Kind::number: return Node{.kind = Node::Kind::number, .number = token.number};
            case Token::Kind::quoted: return Node{.kind = Node::Kind::variable, .name = std::string(token.text)};
            case Token::Kind::name: return named(token);
            default: break;
        }
        auto inside = operation(0);
        const auto closed = inside ? expect(")") : base::fail(inside);
        return closed ? std::move(inside) : base::fail(closed);
    }

    base::Result<Node> named(const Token& token) {
        if (token.text == "not") {
            token_ = token;
            return unexpected();
        }
        if (token.text == "True" || token.text == "False") {
            return Node{.kind = Node::Kind::number, .number = token.text == "True"};
        }
        if (!is("(")) {
            return Node{.kind = Node::Kind::variable, .name = std::string(token.text)};
        }
        if (merge_of(token.text)) {
            return merge(token);
        }
        auto own = arguments();
        return own ? call(token.text, *std::move(own)) : base::fail(std::move(own));
    }

    /// Those behind a parenthesis or a comma, and the parenthesis that closes them. Where an axis may be said, it is
    /// the last of them.
    base::Result<std::vector<Node>> arguments(std::int64_t* axis = nullptr) {
        std::vector<Node> found;
        do {
            if (auto taken = advance(); !taken) {
                return base::fail(std::move(taken));
            }
            if (is(")")) {
                break;
            }
            auto argument = operation(0);
            if (!argument) {
                return base::fail(std::move(argument));
            }
            if (axis != nullptr && is("=")) {
                if (auto said = take_axis(*argument, *axis); !said) {
                    return base::fail(std::move(said));
                }
                break;
            }
            found.push_back(*std::move(argument));
        } while (is(","));
        const auto closed = expect(")");
        return closed ? base::Result<std::vector<Node>>(std::move(found)) : base::fail(closed);
    }

    /// axis=-1, from the '=' on.
    base::Result<> take_axis(const Node& name, std::int64_t& axis) {
        if (name.kind != Node::Kind::variable || name.name != "axis") {
            return fail_at(text_, token_.position, "the only argument that has a name is axis");
        }
        auto taken = advance();
        const bool is_negative = taken && is("-");
        if (is_negative) {
            taken = advance();
        }
        if (!taken) {
            return taken;
        }
        const auto* const number = std::get_if<std::int64_t>(&token_.number);
        if (token_.kind != Token::Kind::number || number == nullptr) {
            return fail_at(text_, token_.position, "an axis is a whole number");
        }
        axis = is_negative ? -*number : *number;
        return advance();
    }

    /// stack(u, v, axis=-1), or as NumPy has it, stack((u, v), axis=-1).
    base::Result<Node> merge(const Token& function) {
        if (depth_ > 1) {  // so there is one, and what is in its parentheses is read again but once
            return fail_at(text_, function.position, merges_stand_alone);
        }
        Node merge{.kind = Node::Kind::merge, .name = std::string(function.text)};
        const Parser before = *this;
        auto arrays = tuple();
        if (arrays && arrays->size() < 2) {  // parentheses of the first one, as in stack((u + v) / 2, w)
            *this = before;
            arrays = arguments(&merge.axis);
        } else if (arrays) {
            auto closed = only_axis(merge.axis);
            arrays = closed ? std::move(arrays) : base::fail(std::move(closed));
        }
        if (!arrays) {
            return base::fail(std::move(arrays));
        }
        merge.arguments = *std::move(arrays);
        calls_ += static_cast<int>(merge.arguments.size());
        if (merge.arguments.empty() || calls_ > most_calls) {
            return fail_at(text_, function.position, fmt::format("it merges 1 to {} arrays", most_calls));
        }
        return merge;
    }

    /// What may stand behind a tuple, and the parenthesis that closes both.
    base::Result<> only_axis(std::int64_t& axis) {
        if (!is(",")) {
            return expect(")");
        }
        const std::size_t position = token_.position;
        const auto others = arguments(&axis);
        if (others && !others->empty()) {
            return fail_at(text_, position, "beside the arrays in parentheses there is only an axis");
        }
        return others ? base::Result<>() : base::fail(others);
    }

    /// Those in parentheses that begin the arguments of a call; none if there are none.
    base::Result<std::vector<Node>> tuple() {
        if (auto taken = advance(); !taken) {
            return base::fail(std::move(taken));
        }
        return is("(") ? arguments() : std::vector<Node>();
    }

    std::string_view text_;
    Tokens tokens_;
    Token token_;
    std::string unit_;
    int depth_ = 0;
    int calls_ = 0;
};

}  // namespace

base::Result<Parsed> parse(std::string_view text) {
    if (text.size() > longest_text) {
        return base::fail(ErrorCode::invalid_argument, "an expression has at most {} characters, this one {}",
                          longest_text, text.size());
    }
    return Parser(text).parse();
}

}  // namespace staithe::transform::expression
