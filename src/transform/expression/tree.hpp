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

namespace staithe::transform::expression {

/// A number that was written. Its kind adapts to what it is computed with, as that of a Python number does.
using Number = std::variant<bool, std::int64_t, double, std::complex<double>>;

struct Node {
    enum class Kind : std::uint8_t { number, variable, call };
    Kind kind = Kind::number;
    Number number{};
    std::string name{};             // of the variable, function or operator
    std::vector<Node> arguments{};  // of a call
};

struct Parsed {
    std::string name;  // what it is to be called; empty where the text does not say so
    std::string unit;  // likewise
    Node root;
};

constexpr std::size_t longest_text = 64 << 10;

/// "name = expression", "name [unit] = expression" or an expression, in Python's syntax. `invalid_argument` says what
/// is wrong with it, and where.
base::Result<Parsed> parse(std::string_view text);

}  // namespace staithe::transform::expression
