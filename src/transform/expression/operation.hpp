// Operators and functions: what each is called, and the kernels that apply it to arrays of a kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <staithe/dtype.hpp>

#include "transform/expression/kinds.hpp"

namespace staithe::transform::expression {

/// Applies an operation to `count` elements of arrays, each dense and aligned.
using Kernel = void (*)(std::int64_t count, void* result, const void* const* arguments);

struct Applied {
    Kernel kernel = nullptr;  // null: the operation is not defined for that kind
    Dtype result = Dtype::f64;
};

struct Operation {
    std::string_view name;
    std::size_t arguments;
    Applied (*to)(Dtype kind);           // all arguments have that kind
    Category least = Category::boolean;  // what arguments become at least
    bool has_condition = false;          // the first argument is a truth value, whatever the others are
    bool converts = false;               // to a dtype that it is called for
};

constexpr std::size_t most_arguments = 3;

[[nodiscard]] std::span<const Operation> operators();
[[nodiscard]] std::span<const Operation> functions();

/// nullptr if there is none of that name, for so many arguments.
[[nodiscard]] const Operation* find_operation(std::string_view name, std::size_t arguments);
/// For messages.
[[nodiscard]] std::vector<std::string> names_of_functions();

/// Of one kind as another: of truth values and real numbers as anything but truth values, of complex ones as complex
/// ones.
[[nodiscard]] Kernel conversion(Dtype from, Dtype to);

}  // namespace staithe::transform::expression
