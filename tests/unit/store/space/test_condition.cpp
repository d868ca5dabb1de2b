#include "store/space/condition.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace staithe::store::space {
namespace {

/// The steps as a person writes them in postfix order.
std::string postfix(const Condition& condition) {
    std::string shown;
    for (const Step& step : condition.steps()) {
        if (step.kind == Step::Kind::term) {
            const Condition::Term& term = condition.terms()[step.term];
            const auto* text = std::get_if<std::string>(&term.constant);
            const std::string constant =
                text != nullptr ? '"' + *text + '"' : fmt::format("{}", std::get<Number>(term.constant));
            shown += "[" + condition.names()[term.name] + " " + to_string(term.relation) +
                     (term.relation == Relation::is_nan ? "" : " " + constant) + "]";
        } else {
            shown += step.kind == Step::Kind::negate ? " not" : step.kind == Step::Kind::both ? " and" : " or";
        }
    }
    return shown;
}

std::string parsed(const std::string& text) {
    const auto condition = Condition::parse(text);
    return condition ? postfix(*condition) : condition.error().message;
}

TEST(Condition, HasPythonsPrecedence) {
    EXPECT_EQ(parsed("T > 300 and run == 'a12'"), "[T > 300][run == \"a12\"] and");
    EXPECT_EQ(parsed("0.5 < rho <= 0.75 or not (p >= 2e5)"), "[rho > 0.5][rho <= 0.75] and[p >= 200000] not or");
    EXPECT_EQ(parsed("a<1 or b<2 and not c<3 or d<4"), "[a < 1][b < 2][c < 3] not and or[d < 4] or");
    EXPECT_EQ(parsed("not not a != 1 and (b==2 or isnan( c ))"), "[a != 1] not not[b == 2][c isnan] or and");
    EXPECT_EQ(parsed("1 <= a < 2 < b == 3"), "[a >= 1][a < 2] and[b > 2] and[b == 3] and");
    EXPECT_EQ(parsed("\tfluid/T_1.x>-1\n"), "[fluid/T_1.x > -1]");
    EXPECT_EQ(parsed("`my name-2` == True and `and` != false"), "[my name-2 == 1][and != 0] and");
    EXPECT_EQ(parsed("Température >= +.5"), "[Température >= 0.5]");
    EXPECT_EQ(parsed("a > -inf and a < inf"), "[a > -inf][a < inf] and");
    EXPECT_EQ(parsed(R"(run == "it's \"it\" \\")"), R"([run == "it's "it" \"])");
}

TEST(Condition, NamesAreThereOnce) {
    const auto condition = Condition::parse("b > 1 and a < 3 and 2 < b and run == 'a'");
    ASSERT_TRUE(condition);
    EXPECT_EQ(condition->names(), (std::vector<std::string>{"b", "a", "run"}));
}

TEST(Condition, NumbersAreExact) {
    const auto number = [](const std::string& text) {
        return std::get<Number>(Condition::parse("x == " + text).value().terms().front().constant);
    };
    EXPECT_EQ(number("18446744073709551615"), static_cast<Number>(UINT64_MAX));
    EXPECT_EQ(number("-9223372036854775808"), static_cast<Number>(INT64_MIN));
    EXPECT_NE(number("9007199254740993"), number("9007199254740993.0"));
    EXPECT_EQ(number("0.1"), static_cast<Number>(0.1)) << "reals are doubles, as in Python";
    EXPECT_EQ(number("18446744073709551616"), std::ldexp(Number{1}, 64));
    EXPECT_TRUE(std::isnan(number("nan")));
}

TEST(Condition, ErrorsPointAtThePlace) {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "expected a name, a number or a text, but found the end at column 1"},
        {"T >> 3", "expected a number or a text after '>', but found '>' at column 4"},
        {"T", "expected <, <=, >, >=, == or != after 'T', but found the end at column 2"},
        {"T = 3", "expected <, <=, >, >=, == or != after 'T', but found '=' (write '==') at column 3"},
        {"T > 3 & p < 2", "expected 'and', 'or' or the end after '3', but found '&' (write 'and') at column 7"},
        {"(T > 3", "expected 'and', 'or' or ')' after '3', but found the end at column 7"},
        {"T > 3)", "expected 'and', 'or' or the end after '3', but found ')' at column 6"},
        {"run == a12", "expected a number or a text after '==', but found 'a12' (texts stand in quotes) at column 8"},
        {"1 < 2", "expected a name after '<', but found '2' at column 5"},
        {"T > 3x", "expected 'and', 'or' or the end after '3', but found 'x' at column 6"},
        {"T > -", "expected a number or a text after '>', but found '-' at column 5"},
        {"T > .", "expected digits beside '.' at column 5"},
        {"T > 1e999", "a double cannot hold 1e999 at column 5"},
        {"é == 'a", "the text that begins with ' does not end; it begins at column 6"},
        {"`é == 3", "the name that begins with ` does not end; it begins at column 1"},
        {R"(run == "a\n")", "expected a backslash or a quote after '\\' at column 10"},
        {"isnan T", "expected '(' after 'isnan', but found 'T' at column 7"},
        {"isnan(3)", "expected a name after '(', but found '3' at column 7"},
        {"isnan(T", "expected ')' after 'T', but found the end at column 8"},
        {"T > 3 and", "expected a name, a number or a text after 'and', but found the end at column 10"},
        {"not", "expected a name, a number or a text after 'not', but found the end at column 4"},
        {"__import__('os')", "expected <, <=, >, >=, == or != after '__import__', but found '(' at column 11"},
    };
    for (const auto& [text, message] : cases) {
        const auto condition = Condition::parse(text);
        ASSERT_FALSE(condition) << text;
        EXPECT_EQ(condition.error().code, ErrorCode::invalid_argument);
        EXPECT_EQ(condition.error().message, fmt::format("condition \"{}\": {}", text, message));
    }
}

TEST(Condition, LongTextsAreCutInMessages) {
    std::string text;
    for (int i = 0; i < 100; ++i) {
        text += "é < 1 or ";
    }
    EXPECT_EQ(parsed(text + " ? " + text),
              "condition \"…é < 1 or é < 1 or é < 1 or é < 1 or  ? é < 1 or é < 1 or é < 1 or é < 1 o…\": "
              "expected a name, a number or a text after 'or', but found '?' at column 902");
    EXPECT_EQ(parsed("a == " + std::string(1000, 'b')).size(), 213U);
}

TEST(Condition, ManyTermsAreFine) {
    std::string text = "x == 0";
    for (int i = 1; i < 10000; ++i) {
        text += i % 3 == 0 ? " and " : " or ";
        text += fmt::format("not (x{} == {})", i, i);
    }
    const auto condition = Condition::parse(text);
    ASSERT_TRUE(condition) << condition.error().message;
    EXPECT_EQ(condition->terms().size(), 10000U);
    EXPECT_EQ(condition->names().size(), 10000U);
}

TEST(Condition, DeepAndLongTextsAreRefused) {
    const std::string too_deep = "parentheses and nots are more than 64 deep at column 65";
    std::string nots;
    for (int i = 0; i < 100000; ++i) {
        nots += "not ";
    }
    EXPECT_NE(parsed(std::string(100000, '(')).find(too_deep), std::string::npos);
    EXPECT_NE(parsed(nots).find("are more than 64 deep at column 257"), std::string::npos);
    EXPECT_EQ(parsed(std::string(64, '(') + "x < 1" + std::string(64, ')')), "[x < 1]");
    EXPECT_EQ(parsed(std::string(max_condition_bytes + 1, ' ')),
              "a condition has at most 1048576 bytes, and this one has 1048577");
}

TEST(Condition, NeedsNoMoreOperandsThanItSays) {
    std::string text;
    for (std::size_t i = 0; i < max_condition_depth; ++i) {
        text += "a < 1 or a < 1 and (";
    }
    text += "a < 1 or a < 1 and 1 < a < 2" + std::string(max_condition_depth, ')');
    std::size_t depth = 0;
    std::size_t most = 0;
    const auto condition = Condition::parse(text);
    for (const Step& step : condition.value().steps()) {
        depth += step.kind == Step::Kind::term ? 1 : 0;
        depth -= step.kind == Step::Kind::both || step.kind == Step::Kind::either ? 1 : 0;
        most = std::max(most, depth);
    }
    EXPECT_EQ(most, max_operands);
}

/// A tree that is drawn at random, written as text and evaluated without a parser.
class DrawnCondition {
  public:
    explicit DrawnCondition(std::mt19937& random) : random_(random) {}

    /// `binds`: 0 where anything may stand, 1 within and, 2 within not.
    std::pair<std::string, bool> draw(int depth, int binds) {
        const unsigned kind = depth == 0 ? 0 : random_() % 4;
        if (kind == 0) {
            const int value = static_cast<int>(random_() % 5);
            return {fmt::format("x {} {}", value < 2 ? "<=" : ">", value), value < 2 ? x <= value : x > value};
        }
        const int own = kind == 1 ? 2 : kind == 2 ? 1 : 0;
        auto [text, holds] = draw(depth - 1, own);
        if (kind == 1) {
            text = "not " + text;
            holds = !holds;
        } else {
            const auto [more, also] = draw(depth - 1, own);
            text += (kind == 2 ? " and " : " or ") + more;
            holds = kind == 2 ? holds && also : holds || also;
        }
        const bool needs_parentheses = own < binds || random_() % 8 == 0;
        return {needs_parentheses ? "(" + text + ")" : text, holds};
    }

    static constexpr int x = 2;

  private:
    std::mt19937& random_;
};

TEST(Condition, MeansWhatDrawnTreesMean) {
    std::mt19937 random(7);
    for (int i = 0; i < 2000; ++i) {
        const auto [text, expected] = DrawnCondition(random).draw(6, 0);
        const auto condition = Condition::parse(text);
        ASSERT_TRUE(condition) << condition.error().message;
        std::vector<bool> stack;
        for (const Step& step : condition->steps()) {
            if (step.kind == Step::Kind::term) {
                const auto& term = condition->terms()[step.term];
                stack.push_back(holds<Number>(term.relation, DrawnCondition::x, std::get<Number>(term.constant)));
            } else if (step.kind == Step::Kind::negate) {
                stack.back() = !stack.back();
            } else {
                const bool last = stack.back();
                stack.pop_back();
                stack.back() = step.kind == Step::Kind::both ? stack.back() && last : stack.back() || last;
            }
        }
        ASSERT_EQ(stack, std::vector<bool>{expected}) << text;
    }
}

}  // namespace
}  // namespace staithe::store::space
