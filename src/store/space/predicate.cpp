#include "store/space/predicate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/text.hpp"

namespace staithe::store::space {
namespace {

using Test = Predicate::Test;
/// A test, or what it says of all elements there are.
using TestOrAnswer = std::variant<bool, Test>;

/// As NumPy has the constant before it compares.
Number rounded_to(Dtype dtype, Number number) {
    switch (dtype) {
        case Dtype::f16: {
            if (number == 0 || !std::isfinite(number)) {
                return number;
            }
            const int exponent = std::max(std::ilogb(number) - 10, -24);  // of the last digit that f16 has
            const Number rounded = std::ldexp(std::nearbyint(std::ldexp(number, -exponent)), exponent);
            return std::abs(rounded) < 65536 ? rounded : std::copysign(std::numeric_limits<Number>::infinity(), number);
        }
        case Dtype::f32:
        case Dtype::c64: return static_cast<float>(number);
        case Dtype::f64:
        case Dtype::c128: return static_cast<double>(number);
        default: return number;
    }
}

template <class T>
std::pair<Number, Number> range_of() {
    return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
}

/// Least and greatest.
std::optional<std::pair<Number, Number>> integers_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::boolean: return std::pair<Number, Number>(0, 1);
        case Dtype::i8: return range_of<std::int8_t>();
        case Dtype::i16: return range_of<std::int16_t>();
        case Dtype::i32: return range_of<std::int32_t>();
        case Dtype::i64: return range_of<std::int64_t>();
        case Dtype::u8: return range_of<std::uint8_t>();
        case Dtype::u16: return range_of<std::uint16_t>();
        case Dtype::u32: return range_of<std::uint32_t>();
        case Dtype::u64: return range_of<std::uint64_t>();
        default: return std::nullopt;
    }
}

bool is_one_of(Relation relation, std::initializer_list<Relation> relations) {
    return std::find(relations.begin(), relations.end(), relation) != relations.end();
}

/// The same comparison with an integer that the dtype has, since processors compare integers with nothing else.
TestOrAnswer as_integers(Test test, const std::pair<Number, Number>& integers) {
    const Relation relation = test.relation;
    if (relation == Relation::is_nan || std::isnan(test.constant)) {
        return relation == Relation::not_equal;
    }
    if (const Number below = std::floor(test.constant); below != test.constant) {
        if (is_one_of(relation, {Relation::equal, Relation::not_equal})) {
            return relation == Relation::not_equal;
        }
        test.relation =
            is_one_of(relation, {Relation::less, Relation::less_equal}) ? Relation::less_equal : Relation::greater;
        test.constant = below;
    }
    if (test.constant > integers.second) {
        return is_one_of(relation, {Relation::less, Relation::less_equal, Relation::not_equal});
    }
    if (test.constant < integers.first) {
        return is_one_of(relation, {Relation::greater, Relation::greater_equal, Relation::not_equal});
    }
    return test;
}

base::Result<TestOrAnswer> test_of(const Condition::Term& term, const std::string& name, Dtype dtype) {
    if (const auto* text = std::get_if<std::string>(&term.constant)) {
        return base::fail(ErrorCode::invalid_argument,
                          "the condition compares the variable '{}' of {} with the text '{}': compare it with a number",
                          name, name_of(dtype), *text);
    }
    const bool is_complex = dtype >= Dtype::c64;
    if (is_complex && !is_one_of(term.relation, {Relation::equal, Relation::not_equal, Relation::is_nan})) {
        return base::fail(ErrorCode::invalid_argument,
                          "the condition has '{} {}', but '{}' is of {}: complex numbers have no order, compare them "
                          "by == or !=",
                          name, to_string(term.relation), name, name_of(dtype));
    }
    const Test test{0, dtype, term.relation, rounded_to(dtype, std::get<Number>(term.constant))};
    const auto integers = integers_of(dtype);
    return integers ? as_integers(test, *integers) : test;
}

std::optional<Number> number_in(const Value& value) {
    if (const auto truth = value.as_bool()) {
        return *truth ? 1 : 0;
    }
    if (const auto integer = value.as_int()) {
        return *integer;
    }
    return value.as_double();
}

/// An attribute against the constant.
base::Result<TestOrAnswer> answer_of(const Condition::Term& term, const std::string& name, const Value& value) {
    const auto* wanted = std::get_if<std::string>(&term.constant);
    const auto number = number_in(value);
    if (const std::string* text = value.as_string(); text != nullptr && wanted != nullptr) {
        return holds(term.relation, *text, *wanted);
    }
    if (number && wanted == nullptr) {
        return holds(term.relation, *number, std::get<Number>(term.constant));
    }
    if (number) {
        return base::fail(ErrorCode::invalid_argument,
                          "the condition compares the attribute '{}', which is a number, with the text '{}'", name,
                          *wanted);
    }
    if (value.as_string() != nullptr) {
        return base::fail(ErrorCode::invalid_argument,
                          "the condition compares the attribute '{}' with a number, but it is the text '{}': texts to "
                          "compare it with stand in quotes",
                          name, *value.as_string());
    }
    return base::fail(ErrorCode::invalid_argument,
                      "the condition compares the attribute '{}', which is neither a text nor a number", name);
}

tl::unexpected<base::Failure> unknown(const std::string& name, const std::map<std::string, Dtype>& variables,
                                      const Attributes& attributes) {
    std::vector<std::string> names;
    for (const auto& [variable, dtype] : variables) {
        names.push_back(variable);
    }
    for (const auto& [attribute, value] : attributes) {
        names.push_back(attribute);
    }
    return base::fail(ErrorCode::not_found,
                      "the condition names '{}', and there is no such variable or attribute; there are: {}", name,
                      base::closest(name, names));
}

/// Makes the steps of a predicate from those of a condition, without what is decided.
class Folding {
  public:
    explicit Folding(std::vector<Step>& steps) : steps_(steps) {}

    void push(std::optional<bool> answer, std::uint32_t test) {
        operands_.push_back({answer, steps_.size()});
        if (!answer) {
            steps_.push_back({Step::Kind::term, test});
        }
    }
    void negate() {
        auto& answer = operands_.back().answer;
        if (answer) {
            answer = !*answer;
        } else {
            steps_.push_back({Step::Kind::negate});
        }
    }
    void join(Step::Kind kind) {
        const bool deciding = kind == Step::Kind::either;  // whatever the other operand is
        const Operand right = operands_.back();
        operands_.pop_back();
        Operand& left = operands_.back();
        if (left.answer == deciding || right.answer == deciding) {
            left.answer = deciding;
            steps_.resize(left.begin);
        } else if (left.answer) {
            left.answer = right.answer;
        } else if (!right.answer) {
            steps_.push_back({kind});
        }
    }
    [[nodiscard]] std::optional<bool> answer() const { return operands_.back().answer; }

  private:
    struct Operand {
        std::optional<bool> answer;
        std::size_t begin = 0;  // of its steps; none, if the answer is known
    };
    std::vector<Step>& steps_;
    std::vector<Operand> operands_;
};

}  // namespace

base::Result<Predicate> Predicate::make(const Condition& condition, const std::map<std::string, Dtype>& variables,
                                        const Attributes& attributes) {
    std::vector<TestOrAnswer> found;  // by term
    for (const Condition::Term& term : condition.terms()) {
        const std::string& name = condition.names()[term.name];
        const auto variable = variables.find(name);
        const Value* attribute = find(attributes, name);
        if (variable == variables.end() && attribute == nullptr) {
            return unknown(name, variables, attributes);
        }
        auto tested =
            variable != variables.end() ? test_of(term, name, variable->second) : answer_of(term, name, *attribute);
        if (!tested) {
            return base::fail(std::move(tested));
        }
        found.push_back(*std::move(tested));
    }

    Predicate predicate;
    Folding folding(predicate.steps_);
    for (const Step& step : condition.steps()) {
        if (step.kind == Step::Kind::term) {
            const bool* answer = std::get_if<bool>(&found[step.term]);
            folding.push(answer == nullptr ? std::nullopt : std::optional(*answer), step.term);
        } else if (step.kind == Step::Kind::negate) {
            folding.negate();
        } else {
            folding.join(step.kind);
        }
    }
    predicate.decided_ = folding.answer();

    std::unordered_map<std::uint32_t, std::uint32_t> numbers;  // of variables, by names of the condition
    for (Step& step : predicate.steps_) {
        if (step.kind == Step::Kind::term) {
            const std::uint32_t name = condition.terms()[step.term].name;
            const auto [number, is_new] =
                numbers.try_emplace(name, static_cast<std::uint32_t>(predicate.variables_.size()));
            if (is_new) {
                predicate.variables_.push_back(condition.names()[name]);
            }
            Test test = std::get<Test>(found[step.term]);
            test.variable = number->second;
            step.term = static_cast<std::uint32_t>(predicate.tests_.size());
            predicate.tests_.push_back(test);
        }
    }
    return predicate;
}

}  // namespace staithe::store::space
