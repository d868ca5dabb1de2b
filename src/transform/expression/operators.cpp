// What is written between operands, and before them. Whole numbers go round where they overflow, as NumPy's do, and
// what they are divided by 0 is 0.
#include <cmath>
#include <limits>

#include "transform/expression/apply.hpp"

namespace staithe::transform::expression {
namespace {

template <class T>
constexpr bool is_whole = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Overflow of signed integers is undefined, that of unsigned ones goes round.
template <class T, class F>
T round_about(F combine, T a, T b) {
    if constexpr (is_whole<T>) {
        using Bits = std::make_unsigned_t<T>;
        return static_cast<T>(combine(static_cast<Bits>(a), static_cast<Bits>(b)));
    } else {
        return combine(a, b);
    }
}

struct Add {
    template <class T>
    T operator()(T a, T b) const {
        return round_about([](auto x, auto y) { return x + y; }, a, b);
    }
};
struct Subtract {
    template <class T>
    T operator()(T a, T b) const {
        return round_about([](auto x, auto y) { return x - y; }, a, b);
    }
};
struct Multiply {
    template <class T>
    T operator()(T a, T b) const {
        return round_about([](auto x, auto y) { return x * y; }, a, b);
    }
};
/// The quotient, rounded down.
struct FloorDivide {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (is_whole<T>) {
            if (b == 0) {
                return 0;
            }
            if constexpr (std::is_signed_v<T>) {
                if (b == -1) {
                    return Subtract{}(T{0}, a);
                }
                return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
            }
            return a / b;
        } else {
            if (b == 0) {
                return a / b;
            }
            // As Python has it: so that a == a // b * b + a % b, as nearly as can be.
            T rest = std::fmod(a, b);
            T quotient = (a - rest) / b;
            if (rest != 0 && (b < 0) != (rest < 0)) {
                quotient -= 1;
            }
            if (quotient == 0) {
                return std::copysign(T{0}, a / b);
            }
            const T floor = std::floor(quotient);
            return quotient - floor > T(0.5) ? floor + 1 : floor;
        }
    }
};
/// What is left of that division: with the sign of the divisor.
struct Modulo {
    template <class T>
    T operator()(T a, T b) const {
        if constexpr (is_whole<T>) {
            if (b == 0) {
                return 0;
            }
            if constexpr (std::is_signed_v<T>) {
                if (b == -1) {
                    return 0;
                }
                const T rest = a % b;
                return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
            }
            return a % b;
        } else {
            const T rest = std::fmod(a, b);
            if (rest == 0) {
                return std::copysign(T{0}, b);
            }
            return (rest < 0) != (b < 0) ? rest + b : rest;
        }
    }
};

struct Power {
    template <class T>
    T operator()(T base, T exponent) const {
        return std::pow(base, exponent);
    }
};

struct Negative {
    template <class T>
    T operator()(T a) const {
        if constexpr (is_whole<T>) {
            return Subtract{}(T{0}, a);
        } else {
            return -a;
        }
    }
};
struct Invert {
    template <class T>
    T operator()(T a) const {
        if constexpr (std::is_same_v<T, bool>) {
            return !a;
        } else {
            return ~a;
        }
    }
};

template <class T>
bool is_too_far(T places) {
    return places < 0 || places >= std::numeric_limits<std::make_unsigned_t<T>>::digits;
}
struct ShiftLeft {
    template <class T>
    T operator()(T a, T places) const {
        return is_too_far(places) ? 0 : static_cast<T>(static_cast<std::make_unsigned_t<T>>(a) << places);
    }
};
struct ShiftRight {
    template <class T>
    T operator()(T a, T places) const {
        return is_too_far(places) ? (a < 0 ? static_cast<T>(-1) : 0) : a >> places;
    }
};

constexpr Operation known_operators[] = {
    {"+", 2, &Numbers::binary<Add>, Category::integer},
    {"-", 2, &Numbers::binary<Subtract>, Category::integer},
    {"*", 2, &Numbers::binary<Multiply>, Category::integer},
    {"/", 2, &Floating::binary<decltype([](auto a, auto b) { return a / b; })>, Category::real},
    {"//", 2, &Ordered::binary<FloorDivide>, Category::integer},
    {"%", 2, &Ordered::binary<Modulo>, Category::integer},
    {"**", 2, &Floating::binary<Power>, Category::real},
    {"-", 1, &Numbers::unary<Negative>, Category::integer},
    {"+", 1, &Numbers::unary<decltype([](auto a) { return a; })>, Category::integer},
    {"~", 1, &Discrete::unary<Invert>},
    {"&", 2, &Discrete::binary<decltype([](auto a, auto b) { return static_cast<decltype(a)>(a & b); })>},
    {"|", 2, &Discrete::binary<decltype([](auto a, auto b) { return static_cast<decltype(a)>(a | b); })>},
    {"^", 2, &Discrete::binary<decltype([](auto a, auto b) { return static_cast<decltype(a)>(a ^ b); })>},
    {"<<", 2, &Integers::binary<ShiftLeft>, Category::integer},
    {">>", 2, &Integers::binary<ShiftRight>, Category::integer},
    {"<", 2, &Ordered::binary<decltype([](auto a, auto b) { return a < b; })>, Category::integer},
    {"<=", 2, &Ordered::binary<decltype([](auto a, auto b) { return a <= b; })>, Category::integer},
    {"==", 2, &Everything::binary<decltype([](auto a, auto b) { return a == b; })>},
    {"!=", 2, &Everything::binary<decltype([](auto a, auto b) { return a != b; })>},
    {">", 2, &Ordered::binary<decltype([](auto a, auto b) { return a > b; })>, Category::integer},
    {">=", 2, &Ordered::binary<decltype([](auto a, auto b) { return a >= b; })>, Category::integer},
};

}  // namespace

std::span<const Operation> operators() { return known_operators; }

}  // namespace staithe::transform::expression
