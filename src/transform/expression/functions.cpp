// What is called by name, as NumPy and numexpr name it.
#include <algorithm>
#include <bit>
#include <cmath>

#include "transform/expression/apply.hpp"

namespace staithe::transform::expression {
namespace {

struct Abs {
    template <class T>
    auto operator()(T a) const {
        if constexpr (std::is_same_v<T, std::int64_t>) {
            return static_cast<std::int64_t>(a < 0 ? 0 - static_cast<std::uint64_t>(a) : static_cast<std::uint64_t>(a));
        } else if constexpr (std::is_unsigned_v<T>) {
            return a;
        } else {
            return std::abs(a);
        }
    }
};
struct Sign {
    template <class T>
    T operator()(T a) const {
        return a > 0 ? T{1} : a < 0 ? static_cast<T>(-1) : a == 0 ? T{0} : a;  // NaN as it is
    }
};
struct Itself {
    template <class T>
    T operator()(T a) const {
        return a;
    }
};

/// What is no number stays none, whichever of the two it is.
struct Minimum {
    template <class T>
    T operator()(T a, T b) const {
        return a < b || a != a ? a : b;  // NOLINT(misc-redundant-expression): NaN alone is not what it is
    }
};
struct Maximum {
    template <class T>
    T operator()(T a, T b) const {
        return a > b || a != a ? a : b;  // NOLINT(misc-redundant-expression)
    }
};
struct Compose {
    template <class T>
    std::complex<T> operator()(T real, T imaginary) const {
        return {real, imaginary};
    }
};
/// By bits: what is true here and there at random is guessed wrong every other time.
struct Where {
    template <class T>
    T operator()(bool condition, T a, T b) const {
        if constexpr (sizeof(T) == sizeof(std::uint64_t)) {
            return chosen<T, std::uint64_t>(condition, a, b);
        } else if constexpr (sizeof(T) == sizeof(std::uint32_t)) {
            return chosen<T, std::uint32_t>(condition, a, b);
        } else {
            return condition ? a : b;
        }
    }
    template <class T, class Bits>
    static T chosen(bool condition, T a, T b) {
        const Bits mask = Bits{0} - static_cast<Bits>(condition);
        return std::bit_cast<T>((std::bit_cast<Bits>(a) & mask) | (std::bit_cast<Bits>(b) & ~mask));
    }
};

/// Whole numbers stay what they are.
template <class F>
Applied rounding(Dtype kind) {
    const Applied whole = Integers::unary<Itself>(kind);
    return whole.kernel != nullptr ? whole : Reals::unary<F>(kind);
}
/// Real numbers are what they are.
template <class F>
Applied of_complex(Dtype kind) {
    const Applied complex = Complexes::unary<F>(kind);
    return complex.kernel != nullptr ? complex : Ordered::unary<Itself>(kind);
}

template <Dtype to>
Applied converted(Dtype kind) {
    return {conversion(kind, to), to};
}

constexpr Operation known_functions[] = {
    {"sin", 1, &Floating::unary<decltype([](auto a) { return std::sin(a); })>, Category::real},
    {"cos", 1, &Floating::unary<decltype([](auto a) { return std::cos(a); })>, Category::real},
    {"tan", 1, &Floating::unary<decltype([](auto a) { return std::tan(a); })>, Category::real},
    {"arcsin", 1, &Floating::unary<decltype([](auto a) { return std::asin(a); })>, Category::real},
    {"arccos", 1, &Floating::unary<decltype([](auto a) { return std::acos(a); })>, Category::real},
    {"arctan", 1, &Floating::unary<decltype([](auto a) { return std::atan(a); })>, Category::real},
    {"arctan2", 2, &Reals::binary<decltype([](auto y, auto x) { return std::atan2(y, x); })>, Category::real},
    {"hypot", 2, &Reals::binary<decltype([](auto a, auto b) { return std::hypot(a, b); })>, Category::real},
    {"sinh", 1, &Floating::unary<decltype([](auto a) { return std::sinh(a); })>, Category::real},
    {"cosh", 1, &Floating::unary<decltype([](auto a) { return std::cosh(a); })>, Category::real},
    {"tanh", 1, &Floating::unary<decltype([](auto a) { return std::tanh(a); })>, Category::real},
    {"arcsinh", 1, &Floating::unary<decltype([](auto a) { return std::asinh(a); })>, Category::real},
    {"arccosh", 1, &Floating::unary<decltype([](auto a) { return std::acosh(a); })>, Category::real},
    {"arctanh", 1, &Floating::unary<decltype([](auto a) { return std::atanh(a); })>, Category::real},
    {"exp", 1, &Floating::unary<decltype([](auto a) { return std::exp(a); })>, Category::real},
    {"exp2", 1, &Reals::unary<decltype([](auto a) { return std::exp2(a); })>, Category::real},
    {"expm1", 1, &Reals::unary<decltype([](auto a) { return std::expm1(a); })>, Category::real},
    {"log", 1, &Floating::unary<decltype([](auto a) { return std::log(a); })>, Category::real},
    {"log10", 1, &Floating::unary<decltype([](auto a) { return std::log10(a); })>, Category::real},
    {"log1p", 1, &Reals::unary<decltype([](auto a) { return std::log1p(a); })>, Category::real},
    {"log2", 1, &Reals::unary<decltype([](auto a) { return std::log2(a); })>, Category::real},
    {"sqrt", 1, &Floating::unary<decltype([](auto a) { return std::sqrt(a); })>, Category::real},
    {"cbrt", 1, &Reals::unary<decltype([](auto a) { return std::cbrt(a); })>, Category::real},
    {"abs", 1, &Numbers::unary<Abs>, Category::integer},
    {"sign", 1, &Ordered::unary<Sign>, Category::integer},
    {"floor", 1, &rounding<decltype([](auto a) { return std::floor(a); })>, Category::integer},
    {"ceil", 1, &rounding<decltype([](auto a) { return std::ceil(a); })>, Category::integer},
    {"trunc", 1, &rounding<decltype([](auto a) { return std::trunc(a); })>, Category::integer},
    {"rint", 1, &rounding<decltype([](auto a) { return std::rint(a); })>, Category::integer},
    {"isnan", 1, &Reals::unary<decltype([](auto a) { return std::isnan(a); })>, Category::real},
    {"isinf", 1, &Reals::unary<decltype([](auto a) { return std::isinf(a); })>, Category::real},
    {"isfinite", 1, &Reals::unary<decltype([](auto a) { return std::isfinite(a); })>, Category::real},
    {"minimum", 2, &Ordered::binary<Minimum>, Category::integer},
    {"maximum", 2, &Ordered::binary<Maximum>, Category::integer},
    {"copysign", 2, &Reals::binary<decltype([](auto a, auto b) { return std::copysign(a, b); })>, Category::real},
    {"complex", 2, &Reals::binary<Compose>, Category::real},
    {"real", 1, &of_complex<decltype([](auto a) { return std::real(a); })>, Category::integer},
    {"imag", 1, &Complexes::unary<decltype([](auto a) { return std::imag(a); })>, Category::complex},
    {"conj", 1, &of_complex<decltype([](auto a) { return std::conj(a); })>, Category::integer},
    {"ones_like", 1, &Numbers::unary<decltype([](auto a) { return static_cast<decltype(a)>(1); })>, Category::integer},
    {"where", 3, &Everything::conditional<Where>, Category::boolean, true},
    {"int64", 1, &converted<Dtype::i64>, Category::boolean, false, true},
    {"float32", 1, &converted<Dtype::f32>, Category::boolean, false, true},
    {"float64", 1, &converted<Dtype::f64>, Category::boolean, false, true},
};

}  // namespace

std::span<const Operation> functions() { return known_functions; }

const Operation* find_operation(std::string_view name, std::size_t arguments) {
    for (const auto each : {operators(), functions()}) {
        const auto found = std::ranges::find_if(
            each, [&](const Operation& known) { return known.name == name && known.arguments == arguments; });
        if (found != each.end()) {
            return &*found;
        }
    }
    return nullptr;
}

std::vector<std::string> names_of_functions() {
    std::vector<std::string> names;
    std::ranges::transform(functions(), std::back_inserter(names),
                           [](const Operation& each) { return std::string(each.name); });
    return names;
}

}  // namespace staithe::transform::expression
