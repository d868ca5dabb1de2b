// The loops behind kernels.hpp, for the files that are compiled for one width of registers. A `Width` is a type that
// belongs to one of those files alone, so that no two of them share a function made of these templates.
//
// The pragmas let compilers look at several elements at once where the rules for NaN and rounding would forbid it: the
// least of several numbers is the same in any order.
#pragma once

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "store/space/kernels.hpp"

namespace staithe::store::space {

/// std::complex has functions, which might be shared.
template <class T>
struct Parts {
    T real;
    T imaginary;
};

template <class Width>
struct Loops {
    /// The number itself, or the part that has an order; NaN if any part is.
    template <class T>
    static T ordered(T value) {
        return value;
    }
    template <class T>
    static T ordered(Parts<T> value) {
        return value.imaginary == value.imaginary ? value.real : value.imaginary;
    }

    template <class T>
    static T load(const std::byte* elements, std::int64_t i) {
        T value{};
        std::memcpy(&value, elements + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
        return value;
    }

    template <Relation relation, class T>
    static bool has(T value, T constant) {
        // NOLINTBEGIN(misc-redundant-expression): NaN differs from itself
        if constexpr (relation == Relation::less) {
            return value < constant;
        } else if constexpr (relation == Relation::less_equal) {
            return value <= constant;
        } else if constexpr (relation == Relation::greater) {
            return value > constant;
        } else if constexpr (relation == Relation::greater_equal) {
            return value >= constant;
        } else if constexpr (relation == Relation::equal) {
            return value == constant;
        } else if constexpr (relation == Relation::not_equal) {
            return value != constant;
        } else {
            return value != value;
        }
        // NOLINTEND(misc-redundant-expression)
    }
    template <Relation relation, class T>
    static bool has(Parts<T> value, T constant) {
        if constexpr (relation == Relation::equal) {
            return value.real == constant && value.imaginary == 0;
        } else if constexpr (relation == Relation::not_equal) {
            return value.real != constant || value.imaginary != 0;
        } else {
            return has<relation>(ordered(value), constant);
        }
    }

    template <Relation relation, class T>
    static void compare(const std::byte* elements, std::int64_t count, Number constant, std::uint8_t* mask) {
        const auto number = static_cast<decltype(ordered(T{}))>(constant);
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i) {
            mask[i] = has<relation>(load<T>(elements, i), number) ? 1 : 0;
        }
    }

    template <class T>
    static Statistics summarize(const std::byte* elements, std::int64_t count) {
        using Real = decltype(ordered(T{}));
        using Count = std::conditional_t<sizeof(Real) <= 4, std::uint32_t, std::uint64_t>;  // as wide as what it counts
        constexpr bool is_integer = std::is_integral_v<Real>;
        constexpr Real greatest = is_integer ? std::numeric_limits<Real>::max() : std::numeric_limits<Real>::infinity();
        constexpr Real lowest =
            is_integer ? std::numeric_limits<Real>::lowest() : -std::numeric_limits<Real>::infinity();
        Real low = greatest;
        Real high = lowest;
        Count nans = 0;
        // OpenMP's own min and max may begin at the greatest number that is finite.
        // clang-format off
#pragma omp declare reduction(least : Real : omp_out = omp_in < omp_out ? omp_in : omp_out) \
    initializer(omp_priv = omp_orig)
#pragma omp declare reduction(most : Real : omp_out = omp_in > omp_out ? omp_in : omp_out) \
    initializer(omp_priv = omp_orig)
#pragma omp simd reduction(least : low) reduction(most : high) reduction(+ : nans)
        // clang-format on
        for (std::int64_t i = 0; i < count; ++i) {
            const Real value = ordered(load<T>(elements, i));
            low = value < low ? value : low;
            high = value > high ? value : high;
            if constexpr (!is_integer) {
                nans += value != value ? 1 : 0;  // NOLINT(misc-redundant-expression): NaN differs from itself
            }
        }
        Statistics found;
        found.count = count;
        found.nans = static_cast<std::int64_t>(nans);
        if (found.nans < count) {
            found.min = low;
            found.max = high;
        }
        return found;
    }

    static std::int64_t count_hits(const std::uint8_t* mask, std::int64_t count) {
        std::uint32_t hits = 0;
#pragma omp simd reduction(+ : hits)
        for (std::int64_t i = 0; i < count; ++i) {
            hits += mask[i];
        }
        return hits;
    }

    template <class T>
    static constexpr void add(Kernels& kernels, Dtype dtype) {
        const auto number = static_cast<std::size_t>(dtype);
        auto& row = kernels.compare[number];
        const auto add_relation = [&]<Relation relation>() {
            row[static_cast<std::size_t>(relation)] = &compare<relation, T>;
        };
        if constexpr (std::is_arithmetic_v<T>) {
            add_relation.template operator()<Relation::less>();
            add_relation.template operator()<Relation::less_equal>();
            add_relation.template operator()<Relation::greater>();
            add_relation.template operator()<Relation::greater_equal>();
        }
        add_relation.template operator()<Relation::equal>();
        add_relation.template operator()<Relation::not_equal>();
        if constexpr (!std::is_integral_v<T>) {
            add_relation.template operator()<Relation::is_nan>();
        }
        kernels.summarize[number] = &summarize<T>;
    }

    static constexpr Kernels all() {
        Kernels kernels;
        add<std::int8_t>(kernels, Dtype::i8);
        add<std::int16_t>(kernels, Dtype::i16);
        add<std::int32_t>(kernels, Dtype::i32);
        add<std::int64_t>(kernels, Dtype::i64);
        add<std::uint8_t>(kernels, Dtype::u8);
        add<std::uint16_t>(kernels, Dtype::u16);
        add<std::uint32_t>(kernels, Dtype::u32);
        add<std::uint64_t>(kernels, Dtype::u64);
        add<float>(kernels, Dtype::f32);
        add<double>(kernels, Dtype::f64);
        add<long double>(kernels, Dtype::f128);
        add<Parts<float>>(kernels, Dtype::c64);
        add<Parts<double>>(kernels, Dtype::c128);
        add<Parts<long double>>(kernels, Dtype::c256);
        kernels.count_hits = &count_hits;
        return kernels;
    }
};

}  // namespace staithe::store::space
