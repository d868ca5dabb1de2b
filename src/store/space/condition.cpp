#include "store/space/condition.hpp"

#include <functional>
#include <unordered_map>
#include <utility>

#include "store/space/condition_tokens.hpp"

namespace staithe::store::space {
namespace {

using Kind = Token::Kind;

constexpr const char* any_relation = "<, <=, >, >=, == or !=";

/// Of a comparison with the constant on the left, the one with the name there.
Relation turned(Relation relation) {
    switch (relation) {
        case Relation::less: return Relation::greater;
        case Relation::less_equal: return Relation::greater_equal;
        case Relation::greater: return Relation::less;
        case Relation::greater_equal: return Relation::less_equal;
        case Relation::equal:
        case Relation::not_equal:
        case Relation::is_nan: break;
    }
    return relation;
}

/// What somebody may have meant who writes other languages.
std::string hint_for(std::string_view symbol) {
    for (const auto& [written, meant] : {std::pair{"=", "=="}, {"&", "and"}, {"|", "or"}, {"!", "not"}, {"~", "not"}}) {
        if (symbol == written) {
            return fmt::format(" (write '{}')", meant);
        }
    }
    return "";
}

}  // namespace

/// By descent: a function for each level of precedence, which says what it has found in postfix order.
class ConditionParser {
  public:
    explicit ConditionParser(std::string_view text) : tokens_(text) {}

    base::Result<Condition> parse() {
        if (auto parsed = advance().and_then([&] { return alternatives(); }); !parsed) {
            return base::fail(std::move(parsed));
        }
        if (token_.kind != Kind::end) {
            return expected("'and', 'or' or the end");
        }
        return std::move(parsed_);
    }

  private:
    base::Result<> alternatives() { return operands("or", Step::Kind::either, &ConditionParser::conjunction); }
    base::Result<> conjunction() { return operands("and", Step::Kind::both, &ConditionParser::negation); }

    base::Result<> operands(std::string_view word, Step::Kind kind, base::Result<> (ConditionParser::*operand)()) {
        auto parsed = (this->*operand)();
        while (parsed && is(word)) {
            parsed = advance().and_then(std::bind_front(operand, this));
            parsed_.steps_.push_back({kind});
        }
        return parsed;
    }

    base::Result<> negation() {
        if (!is("not") && !is("(")) {
            return is("isnan") ? question() : comparisons();
        }
        if (depth_ == max_condition_depth) {
            return tokens_.fail_at(token_.shown,
                                   fmt::format("parentheses and nots are more than {} deep", max_condition_depth));
        }
        ++depth_;
        auto parsed = is("not") ? negated() : parenthesised();
        --depth_;
        return parsed;
    }

    base::Result<> negated() {
        return advance().and_then([&] { return negation(); }).map([&] {
            parsed_.steps_.push_back({Step::Kind::negate});
        });
    }

    base::Result<> parenthesised() {
        return advance().and_then([&] { return alternatives(); }).and_then([&] {
            return skip(")", "'and', 'or' or ')'");
        });
    }

    base::Result<> question() {
        return advance()
            .and_then([&] { return skip("(", "'('"); })
            .and_then([&]() -> base::Result<> {
                if (token_.kind != Kind::name) {
                    return expected("a name");
                }
                add_term(token_, Relation::is_nan, {});
                return advance();
            })
            .and_then([&] { return skip(")", "')'"); });
    }

    /// name < 3, 3 < name, 3 < name <= 5, …
    base::Result<> comparisons() {
        if (!is_operand()) {
            return expected("a name, a number or a text");
        }
        for (bool is_first = true;; is_first = false) {
            Token left = token_;
            if (auto next = advance(); !next) {
                return next;
            }
            if (token_.kind != Kind::relation) {
                return is_first ? expected(any_relation) : base::Result<>();
            }
            const Relation relation = token_.relation;
            if (auto next = advance(); !next) {
                return next;
            }
            if (left.kind == Kind::name && (token_.kind == Kind::number || token_.kind == Kind::text)) {
                add_term(left, relation, constant_of(token_));
            } else if (left.kind != Kind::name && token_.kind == Kind::name) {
                add_term(token_, turned(relation), constant_of(left));
            } else if (left.kind == Kind::name) {
                return expected("a number or a text", token_.kind == Kind::name ? " (texts stand in quotes)" : "");
            } else {
                return expected("a name");
            }
            if (!is_first) {
                parsed_.steps_.push_back({Step::Kind::both});
            }
        }
    }

    [[nodiscard]] bool is(std::string_view symbol) const {
        return token_.kind == Kind::symbol && token_.shown == symbol;
    }
    [[nodiscard]] bool is_operand() const {
        return token_.kind == Kind::name || token_.kind == Kind::number || token_.kind == Kind::text;
    }

    base::Result<> skip(std::string_view symbol, const char* wanted) {
        return is(symbol) ? advance() : expected(wanted);
    }

    base::Result<> advance() {
        auto next = tokens_.next();
        if (!next) {
            return base::fail(std::move(next));
        }
        before_ = std::exchange(token_, *std::move(next));
        return {};
    }

    [[nodiscard]] tl::unexpected<base::Failure> expected(const char* wanted, const char* hint = "") const {
        const std::string after = before_.shown.empty() ? std::string() : fmt::format(" after {}", shown(before_));
        const std::string found = token_.kind == Kind::end ? "the end" : shown(token_);
        return tokens_.fail_at(token_.shown, fmt::format("expected {}{}, but found {}{}{}", wanted, after, found, hint,
                                                         hint_for(token_.shown)));
    }

    static std::string shown(const Token& token) {
        constexpr std::size_t most = 60;
        return token.shown.size() > most ? fmt::format("'{}…'", token.shown.substr(0, most))
                                         : fmt::format("'{}'", token.shown);
    }

    static std::variant<Number, std::string> constant_of(const Token& token) {
        return token.kind == Kind::number ? std::variant<Number, std::string>(token.number) : token.value;
    }

    void add_term(const Token& name, Relation relation, std::variant<Number, std::string> constant) {
        const auto [place, is_new] =
            numbers_.try_emplace(name.value, static_cast<std::uint32_t>(parsed_.names_.size()));
        if (is_new) {
            parsed_.names_.push_back(name.value);
        }
        parsed_.steps_.push_back({Step::Kind::term, static_cast<std::uint32_t>(parsed_.terms_.size())});
        parsed_.terms_.push_back({place->second, relation, std::move(constant)});
    }

    ConditionTokens tokens_;
    Token token_{};
    Token before_{};
    std::size_t depth_ = 0;
    std::unordered_map<std::string, std::uint32_t> numbers_;  // of names
    Condition parsed_;
};

base::Result<Condition> Condition::parse(std::string_view text) {
    if (text.size() > max_condition_bytes) {
        return base::fail(ErrorCode::invalid_argument, "a condition has at most {} bytes, and this one has {}",
                          max_condition_bytes, text.size());
    }
    return ConditionParser(text).parse();
}

const char* to_string(Relation relation) {
    switch (relation) {
        case Relation::less: return "<";
        case Relation::less_equal: return "<=";
        case Relation::greater: return ">";
        case Relation::greater_equal: return ">=";
        case Relation::equal: return "==";
        case Relation::not_equal: return "!=";
        case Relation::is_nan: break;
    }
    return "isnan";
}

}  // namespace staithe::store::space
