// Numbers of one kind as those of another.
#include <limits>

#include "transform/expression/apply.hpp"

namespace staithe::transform::expression {
namespace {

template <class T>
constexpr bool is_complex_type = category_of(dtype_of<T>()) == Category::complex;

/// What an integer cannot hold becomes the least one, and if it is positive the greatest: the language leaves it open.
template <class To, class From>
To as_integer(From value) {
    using Limits = std::numeric_limits<To>;
    constexpr auto beyond = static_cast<From>(To{1} << (Limits::digits - 1)) * 2;
    if (value < static_cast<From>(Limits::min()) || value != value) {  // NOLINT(misc-redundant-expression): NaN
        return Limits::min();
    }
    return value >= beyond ? Limits::max() : static_cast<To>(value);
}

template <class To>
struct As {
    template <class From>
    To operator()(From value) const {
        if constexpr (std::is_integral_v<To> && std::is_floating_point_v<From>) {
            return as_integer<To>(value);
        } else if constexpr (is_complex_type<To> && is_complex_type<From>) {
            using Part = typename To::value_type;
            return {static_cast<Part>(value.real()), static_cast<Part>(value.imag())};
        } else if constexpr (is_complex_type<To>) {
            return {static_cast<typename To::value_type>(value), 0};
        } else {
            return static_cast<To>(value);
        }
    }
};

template <class To, class... From>
Kernel from_one_of(Kinds<From...> /*kinds*/, Dtype from) {
    return Kinds<From...>::template unary<As<To>>(from).kernel;
}

template <class... To>
Kernel to_one_of(Kinds<To...> /*kinds*/, Dtype from, Dtype to) {
    Kernel kernel = nullptr;
    const auto look = [&]<class T>(T /*any*/) {
        if constexpr (is_complex_type<T>) {
            kernel = from_one_of<T>(Everything(), from);
        } else {
            kernel = from_one_of<T>(Truths() + Ordered(), from);
        }
    };
    static_cast<void>(((to == dtype_of<To>() && (look(To{}), true)) || ...));
    return kernel;
}

}  // namespace

Kernel conversion(Dtype from, Dtype to) { return to_one_of(Numbers(), from, to); }

}  // namespace staithe::transform::expression
