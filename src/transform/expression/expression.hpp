// Arrays computed from others, element by element, by a text: "speed = sqrt(u**2 + v**2)".
//
// The syntax is Python's, as numexpr has it. What is computed in: kinds.hpp. A text is parsed once, compiled for the
// dtypes of the arrays that it names, and evaluated a few KiB at a time, so that what is made on the way never leaves
// the cache. Immutable, for any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/array_view.hpp>

#include "base/result.hpp"
#include "transform/expression/merge.hpp"
#include "transform/expression/number.hpp"
#include "transform/expression/operation.hpp"
#include "transform/expression/tree.hpp"

namespace staithe::transform::expression {

/// For the dtypes of its variables.
class Program {
  public:
    /// Of what it makes.
    [[nodiscard]] Dtype dtype() const { return dtype_; }
    /// That an element takes: each about as long as to look at an operand.
    [[nodiscard]] std::int64_t operations() const { return static_cast<std::int64_t>(instructions_.size()) + 1; }

    /// `from` are the variables, in the expression's order, each of the shape of `to`: a stride of 0 repeats elements.
    /// They must have the dtypes that were given, and not overlap `to`, whose dtype must hold all values of this one's.
    /// `limit_reached` if there is no memory for the work.
    [[nodiscard]] base::Result<> evaluate(std::span<const ArrayView> from, const MutableArrayView& to,
                                          int threads = 1) const;

  private:
    friend class Compiler;
    friend class Evaluation;

    struct Constant {
        std::size_t slot = 0;
        Element element;
    };
    struct Instruction {
        Kernel kernel = nullptr;
        std::size_t result = 0;  // slots
        std::size_t arguments[most_arguments] = {};
    };

    // What some elements at a time are put in, by the size of one: variables, numbers, and what is made of them.
    // None: it makes what it is given.
    std::vector<std::int64_t> slots_;
    std::vector<Constant> constants_;
    std::vector<Instruction> instructions_;
    std::size_t result_ = 0;
    Dtype dtype_ = Dtype::f64;
};

class Expression {
  public:
    /// `invalid_argument` says what is wrong with the text, and where.
    static base::Result<Expression> parse(std::string_view text);

    /// What stands before the '='; the text itself where nothing does.
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool is_named() const { return is_named_; }
    /// Behind it, in brackets; empty: there is none.
    [[nodiscard]] const std::string& unit() const { return unit_; }
    /// Those that it names, once each; and again for each way to take parts of them, as in "u[1:] - u[:-1]".
    [[nodiscard]] const std::vector<std::string>& variables() const { return variables_; }
    [[nodiscard]] const std::string& text() const { return text_; }
    /// `invalid_argument`, which names it.
    [[nodiscard]] tl::unexpected<base::Failure> fail(std::string_view why) const;

    [[nodiscard]] const Node& root() const { return root_; }
    /// Names of these definitions stand for what these say, as they are. `invalid_argument` if that is too much.
    [[nodiscard]] base::Result<Expression> with(std::span<const Expression> definitions) const;

    /// How the arrays that `merged` computes are made one; nothing if it is one.
    [[nodiscard]] std::optional<Merge> merge() const;
    /// Those, or itself. Their texts are for messages.
    [[nodiscard]] std::span<const Expression> merged() const {
        return merged_.empty() ? std::span(this, 1) : std::span(merged_);
    }

    /// Of these dtypes its variables are. `invalid_argument` for what is not defined for them. One that merges computes
    /// nothing itself.
    [[nodiscard]] base::Result<Program> compile(std::span<const Dtype> dtypes) const;

  private:
    Expression() = default;
    /// Which computes that.
    base::Result<Expression> of(Node root) &&;

    std::string text_;
    std::string name_;
    std::string unit_;
    bool is_named_ = false;
    std::vector<std::string> variables_;
    Node root_;
    std::vector<Expression> merged_;
};

}  // namespace staithe::transform::expression
