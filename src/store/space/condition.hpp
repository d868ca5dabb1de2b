// Conditions on variables and attributes: "0.1 < rho <= 0.5 and not (isnan(T) or run == 'a12')".
//
// A term compares a name with a number or a text, by <, <=, >, >=, == or !=, or asks isnan(name); chains of comparisons
// are as Python has them, and so are and, or, not, their order and parentheses. Names have letters, digits, '_', '.'
// and '/'; any others stand in `backticks`. True and false are the numbers 1 and 0; inf and nan are numbers, too.
//
// Text of anyone: it is parsed, and never run as code. What names stand for, a Predicate says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace staithe::store::space {

inline constexpr std::size_t max_condition_bytes = std::size_t{1} << 20U;
/// Parentheses and nots inside each other. Bounded, so that no text exhausts the stack of who parses it.
inline constexpr std::size_t max_condition_depth = 64;
/// So many operands wait for theirs at most, when steps are followed: two a depth, and those of the innermost terms.
inline constexpr std::size_t max_operands = 2 * max_condition_depth + 4;

/// Has every integer of 64 bits and every f64 exactly.
using Number = long double;
static_assert(std::numeric_limits<Number>::digits >= 64);

enum class Relation : std::uint8_t { less, less_equal, greater, greater_equal, equal, not_equal, is_nan };
inline constexpr std::size_t relation_count = 7;

/// "<", …, "isnan".
[[nodiscard]] const char* to_string(Relation relation);

/// As NumPy has it: NaN is not equal to anything, and beyond that compares with nothing.
template <class T>
[[nodiscard]] bool holds(Relation relation, const T& left, const T& right) {
    switch (relation) {
        case Relation::less: return left < right;
        case Relation::less_equal: return left <= right;
        case Relation::greater: return left > right;
        case Relation::greater_equal: return left >= right;
        case Relation::equal: return left == right;
        case Relation::not_equal:
        case Relation::is_nan: break;
    }
    return left != (relation == Relation::is_nan ? left : right);
}

/// What is done next, by a machine that has operands on a stack.
struct Step {
    enum class Kind : std::uint8_t { term, negate, both, either };
    Kind kind = Kind::term;
    std::uint32_t term = 0;  // which is put on the stack
};

class Condition {
  public:
    struct Term {
        std::uint32_t name = 0;  // which of names()
        Relation relation = Relation::equal;
        std::variant<Number, std::string> constant{};  // no matter where `relation` is is_nan
    };

    /// Fails with `invalid_argument`, and says at which character.
    static base::Result<Condition> parse(std::string_view text);

    /// Each once, in the order of first mention.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] const std::vector<Term>& terms() const { return terms_; }
    /// What is left on the stack after them is whether the condition holds.
    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }

  private:
    friend class ConditionParser;

    std::vector<std::string> names_;
    std::vector<Term> terms_;
    std::vector<Step> steps_;
};

}  // namespace staithe::store::space
