// From the tree of an expression to a program for the dtypes of its variables.
#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "transform/default_arithmetic.hpp"
#include "transform/expression/expression.hpp"
#include "transform/expression/number.hpp"

namespace staithe::transform::expression {
namespace {

/// Above it pow() is about as fast, and nearer. Of powers below -1 the reciprocal may overflow where they do not.
constexpr std::int64_t most_multiplied = 16;
constexpr std::int64_t least_multiplied = -1;

bool overflows(std::string_view operation, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    return operation == "+"    ? __builtin_add_overflow(a, b, &result)
           : operation == "-"  ? __builtin_sub_overflow(a, b, &result)
           : operation == "*"  ? __builtin_mul_overflow(a, b, &result)
           : operation == "<<" ? b < 0 || b >= 63 || a << b >> b != a
                               : false;
}

}  // namespace

/// Of what is written twice one value is made.
class Compiler {
  public:
    Compiler(const Expression& expression, std::span<const Dtype> dtypes) : expression_(expression) {
        std::ranges::transform(dtypes, std::back_inserter(values_),
                               [](Dtype dtype) { return Value{.dtype = widened(dtype)}; });
    }

    base::Result<Program> compile(const Node& root, std::span<const Dtype> dtypes) {
        const Node* plain = &root;
        while (plain->kind == Node::Kind::part) {
            plain = &plain->arguments.front();
        }
        if (plain->kind == Node::Kind::variable) {  // nothing is computed: its elements stay what they are
            program_.dtype_ = dtypes[plain->operand];
            return std::move(program_);
        }
        const auto result = value_of(root);
        if (!result) {
            return base::fail(result);
        }
        lay_out(*result);
        return std::move(program_);
    }

  private:
    struct Value {
        Dtype dtype = Dtype::f64;
        std::optional<Number> number{};  // that was written, or is made of such
        bool adapts = false;             // a number that was written, to the dtype of what it is computed with
        Kernel kernel = nullptr;
        std::vector<std::size_t> arguments{};
        std::size_t last_use = 0;
        std::size_t slot = 0;
    };

    [[nodiscard]] tl::unexpected<base::Failure> fail(std::string_view why) const { return expression_.fail(why); }

    base::Result<std::size_t> value_of(const Node& node) {
        if (node.kind == Node::Kind::number) {
            return number(node.number, kind_of(node.number), true);
        }
        if (node.kind == Node::Kind::variable) {
            return node.operand;
        }
        if (node.kind == Node::Kind::part) {  // its variables are
            return value_of(node.arguments.front());
        }
        std::vector<std::size_t> arguments;
        for (const Node& argument : node.arguments) {
            const auto value = value_of(argument);
            if (!value) {
                return value;
            }
            arguments.push_back(*value);
        }
        if (node.name == "**") {
            if (const auto exponent = multiplied(arguments[0], arguments[1])) {
                return power(arguments[0], *exponent);
            }
        }
        return apply(node.name, std::move(arguments));
    }

    [[nodiscard]] const std::int64_t* whole_number(std::size_t value) const {
        const auto& number = values_[value].number;
        return number ? std::get_if<std::int64_t>(&*number) : nullptr;
    }

    /// Numbers adapt to what they are computed with, where that has such numbers at all.
    [[nodiscard]] Dtype common_of(std::span<const std::size_t> values) const {
        std::optional<Dtype> dtype;
        Category category = Category::boolean;
        bool is_negative = false;
        for (const std::size_t each : values) {
            const Value& value = values_[each];
            category = std::max(category, category_of(value.dtype));
            if (!value.adapts) {
                dtype = dtype ? common(*dtype, value.dtype) : value.dtype;
            }
            is_negative = is_negative || (whole_number(each) != nullptr && *whole_number(each) < 0);
        }
        if (dtype == Dtype::u64 && is_negative) {
            dtype = common(Dtype::u64, Dtype::i64);
        }
        return at_least(dtype.value_or(Dtype::boolean), category);
    }

    base::Result<std::size_t> apply(const std::string& name, std::vector<std::size_t> arguments) {
        const Operation* const operation = find_operation(name, arguments.size());
        if (operation == nullptr) {
            return unknown(name, arguments.size());
        }
        const auto alike = std::span(arguments).subspan(operation->has_condition ? 1 : 0);
        const Dtype kind = at_least(common_of(alike), operation->least);
        const Applied applied = operation->to(kind);
        if (applied.kernel == nullptr) {
            const bool is_bitwise = name == "&" || name == "|" || name == "^";
            return fail(fmt::format("'{}' is not defined for {}{}", name, name_of(kind),
                                    is_bitwise ? "; comparisons beside it stand in parentheses" : ""));
        }
        if (operation->has_condition && values_[arguments[0]].dtype != Dtype::boolean) {
            return fail(fmt::format("'{}' asks first for truth values, as of a comparison, not for {}", name,
                                    name_of(values_[arguments[0]].dtype)));
        }
        if (std::ranges::all_of(arguments, [this](std::size_t each) { return values_[each].number.has_value(); })) {
            return folded(*operation, kind, arguments);
        }
        std::ranges::transform(alike, alike.begin(), [&](std::size_t each) { return as(each, kind); });
        return made(applied, std::move(arguments));
    }

    [[nodiscard]] tl::unexpected<base::Failure> unknown(const std::string& name, std::size_t arguments) const {
        for (std::size_t other = 1; other <= most_arguments; ++other) {
            if (find_operation(name, other) != nullptr) {
                return fail(
                    fmt::format("{}() takes {} argument{}, not {}", name, other, other == 1 ? "" : "s", arguments));
            }
        }
        for (const std::string_view reduction : {"sum", "mean", "min", "max", "var", "std"}) {
            if (name == reduction) {
                return fail(
                    (name == "min" || name == "max") && arguments == 2
                        ? fmt::format("of two arrays, element by element, it is {}imum()", name)
                        : fmt::format("{}() makes one value of many: derive those, and reduce what was derived", name));
            }
        }
        return fail(fmt::format("there is no function '{}'; there is {}", base::printable(name),
                                base::closest(name, names_of_functions())));
    }

    std::size_t number(const Number& number, Dtype kind, bool adapts) {
        const Element element = element_of(number, kind);
        const auto same = std::ranges::find_if(values_, [&](const Value& each) {
            return each.number && each.number->index() == number.index() && each.dtype == kind &&
                   each.adapts == adapts && element_of(*each.number, kind) == element;
        });
        if (same != values_.end()) {
            return static_cast<std::size_t>(same - values_.begin());
        }
        values_.push_back({.dtype = kind, .number = number, .adapts = adapts});
        return values_.size() - 1;
    }

    std::size_t made(const Applied& applied, std::vector<std::size_t> arguments) {
        const auto [place, is_new] = made_.try_emplace({applied.kernel, arguments}, values_.size());
        if (is_new) {
            values_.push_back({.dtype = applied.result, .kernel = applied.kernel, .arguments = std::move(arguments)});
        }
        return place->second;
    }

    std::size_t as(std::size_t value, Dtype kind) {
        if (values_[value].dtype == kind) {
            return value;
        }
        return values_[value].number ? number(*values_[value].number, kind, false)
                                     : made({conversion(values_[value].dtype, kind), kind}, {value});
    }

    /// What is made of numbers alone is one, too.
    base::Result<std::size_t> folded(const Operation& operation, Dtype kind,
                                     const std::vector<std::size_t>& arguments) {
        Element elements[most_arguments];
        const void* pointers[most_arguments] = {};
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            const bool is_condition = operation.has_condition && i == 0;
            elements[i] = element_of(*values_[arguments[i]].number, is_condition ? Dtype::boolean : kind);
            pointers[i] = elements[i].bytes;
        }
        if (arguments.size() == 2 && kind == Dtype::i64 &&
            overflows(operation.name, std::get<std::int64_t>(number_in(elements[0], kind)),
                      std::get<std::int64_t>(number_in(elements[1], kind)))) {
            return fail("its numbers make an integer of more than 64 bits: write one with a decimal point");
        }
        const Applied applied = operation.to(kind);
        Element result;
        applied.kernel(1, result.bytes, pointers);
        const Number made = number_in(result, applied.result);
        const bool adapts = !operation.converts &&
                            std::ranges::all_of(arguments, [this](std::size_t each) { return values_[each].adapts; });
        return number(made, adapts ? kind_of(made) : applied.result, adapts);
    }

    /// The exponent, if the power is had by multiplying: which whole numbers need, and is sooner done for others.
    [[nodiscard]] std::optional<std::int64_t> multiplied(std::size_t base, std::size_t exponent) const {
        const std::int64_t* const whole = whole_number(exponent);
        if (whole == nullptr) {
            return std::nullopt;
        }
        const bool is_integer = category_of(values_[base].dtype) <= Category::integer;
        const bool can_be = is_integer ? *whole >= 0 : *whole >= least_multiplied && *whole <= most_multiplied;
        return can_be ? std::optional(*whole) : std::nullopt;
    }

    base::Result<std::size_t> power(std::size_t base, std::int64_t exponent) {
        base::Result<std::size_t> result = apply("ones_like", {base});
        base::Result<std::size_t> square =
            values_[base].number ? base : as(base, at_least(values_[base].dtype, Category::integer));
        bool is_one = true;
        for (std::int64_t left = exponent < 0 ? -exponent : exponent; left > 0 && square && result; left /= 2) {
            if (left % 2 != 0) {
                result = std::exchange(is_one, false) ? square : apply("*", {*result, *square});
            }
            if (left > 1) {
                square = apply("*", {*square, *square});
            }
        }
        if (!square || !result) {
            return square ? result : square;
        }
        return exponent < 0 ? apply("/", {number(std::int64_t{1}, Dtype::i64, true), *result}) : result;
    }

    /// Arrays to hold values, which take over those whose values nobody needs any more.
    void lay_out(std::size_t result) {
        std::vector<bool> is_needed(values_.size(), false);
        is_needed[result] = true;
        for (std::size_t i = values_.size(); i-- > 0;) {
            for (const std::size_t each : values_[i].arguments) {
                if (is_needed[i] && !is_needed[each]) {
                    is_needed[each] = true;
                    values_[each].last_use = i;
                }
            }
        }
        std::multimap<std::int64_t, std::size_t> free;  // slots, by the size of their elements
        for (std::size_t i = 0; i < values_.size(); ++i) {
            const bool is_variable = i < expression_.variables().size();
            if (!is_variable && !is_needed[i]) {
                continue;
            }
            Value& value = values_[i];
            const auto reused = value.kernel != nullptr ? free.find(size_of(value.dtype)) : free.end();
            if (reused != free.end()) {
                value.slot = reused->second;
                free.erase(reused);
            } else {
                value.slot = program_.slots_.size();
                program_.slots_.push_back(size_of(value.dtype));
            }
            if (value.number) {
                program_.constants_.push_back({value.slot, element_of(*value.number, value.dtype)});
            }
            if (value.kernel == nullptr) {
                continue;
            }
            Program::Instruction& instruction = program_.instructions_.emplace_back();
            instruction.kernel = value.kernel;
            instruction.result = value.slot;
            for (std::size_t k = 0; k < value.arguments.size(); ++k) {
                const std::size_t argument = value.arguments[k];
                instruction.arguments[k] = values_[argument].slot;
                if (values_[argument].kernel != nullptr && values_[argument].last_use == i) {
                    values_[argument].last_use = 0;  // it may be both arguments
                    free.emplace(size_of(values_[argument].dtype), values_[argument].slot);
                }
            }
        }
        program_.result_ = values_[result].slot;
        program_.dtype_ = values_[result].dtype;
    }

    const Expression& expression_;
    std::vector<Value> values_;  // first the variables; each after those that it is made of
    std::map<std::pair<Kernel, std::vector<std::size_t>>, std::size_t> made_;
    Program program_;
};

base::Result<Program> Expression::compile(std::span<const Dtype> dtypes) const {
    const DefaultArithmetic arithmetic;  // numbers are computed here
    return Compiler(*this, dtypes).compile(root_, dtypes);
}

}  // namespace staithe::transform::expression
