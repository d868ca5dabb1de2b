// What the text of an expression says, before anything is known of the variables that it names.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"
#include "transform/expression/subscripts.hpp"

namespace staithe::transform::expression {

/// A number that was written. Its kind adapts to what it is computed with, as that of a Python number does.
using Number = std::variant<bool, std::int64_t, double, std::complex<double>>;

struct Node {
    enum class Kind : std::uint8_t { number, variable, call, part, merge };
    Kind kind = Kind::number;
    Number number{};
    std::string name{};             // of the variable, function or operator; a part as it was written, for messages
    std::vector<Node> arguments{};  // of a call or a merge; what a part is of
    std::vector<Subscript> subscripts{};  // of a part
    std::int64_t axis = 0;                // of a merge
    // The place of a variable among those of the expression; of a part the places of those in it, which are its own.
    std::size_t operand = 0;
    std::size_t operands_end = 0;
};

struct Parsed {
    std::string name;  // what it is to be called; empty where the text does not say so
    std::string unit;  // likewise
    Node root;
};

constexpr std::size_t longest_text = 64 << 10;

/// Of what computes with something merged, or merges that.
constexpr std::string_view merges_stand_alone =
    "what stack() and concatenate() make is a variable of its own: in the same text, and by its name in later ones, "
    "nothing is computed of it. What they merge may be computed: stack(2 * u, 2 * v)";

/// "name = expression", "name [unit] = expression" or an expression, in Python's syntax. `invalid_argument` says what
/// is wrong with it, and where.
base::Result<Parsed> parse(std::string_view text);

}  // namespace staithe::transform::expression
