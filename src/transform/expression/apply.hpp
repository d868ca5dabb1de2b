// Kernels from functions of single elements.
#pragma once

#include <complex>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "transform/expression/operation.hpp"

namespace staithe::transform::expression {

template <class F, class T, class... Others>
void apply(std::int64_t count, void* result, const void* const* arguments) {
    auto* const to = static_cast<std::invoke_result_t<F, T, Others...>*>(result);
    const auto loop = [&](const T* first, const Others*... others) {
        for (std::int64_t i = 0; i < count; ++i) {
            to[i] = F{}(first[i], others[i]...);
        }
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) {
        loop(static_cast<const T*>(arguments[0]), static_cast<const Others*>(arguments[i + 1])...);
    }(std::index_sequence_for<Others...>());
}

template <class... Ts>
struct Kinds {
    template <class... More>
    Kinds<Ts..., More...> operator+(Kinds<More...>) const {
        return {};
    }

    template <class F>
    static Applied unary(Dtype kind) {
        Applied found;
        static_cast<void>(
            ((kind == dtype_of<Ts>() && (found = {&apply<F, Ts>, dtype_of<std::invoke_result_t<F, Ts>>()}, true)) ||
             ...));
        return found;
    }
    template <class F>
    static Applied binary(Dtype kind) {
        Applied found;
        static_cast<void>(((kind == dtype_of<Ts>() &&
                            (found = {&apply<F, Ts, Ts>, dtype_of<std::invoke_result_t<F, Ts, Ts>>()}, true)) ||
                           ...));
        return found;
    }
    /// Whose first argument is a truth value.
    template <class F>
    static Applied conditional(Dtype kind) {
        Applied found;
        static_cast<void>(
            ((kind == dtype_of<Ts>() && (found = {&apply<F, bool, Ts, Ts>, dtype_of<Ts>()}, true)) || ...));
        return found;
    }
};

using Truths = Kinds<bool>;
using Integers = Kinds<std::int64_t, std::uint64_t>;
using Reals = Kinds<float, double, long double>;
using Complexes = Kinds<std::complex<float>, std::complex<double>, std::complex<long double>>;
using Discrete = decltype(Truths() + Integers());
using Floating = decltype(Reals() + Complexes());
using Ordered = decltype(Integers() + Reals());
using Numbers = decltype(Integers() + Floating());
using Everything = decltype(Truths() + Numbers());

}  // namespace staithe::transform::expression
