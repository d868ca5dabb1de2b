// What is done to states as elements come, by what they become. An operation has the types Element and Number, and
//
//     width()                   numbers of a state
//     begin(state)              of no elements
//     take(state, element)
//     take_all(state, run, n)   elements, one after the other: a chunk of them at most
//     merge(state, other)       of other elements
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "store/reducing/recipe.hpp"
#include "store/space/kernels.hpp"
#include "store/space/statistics.hpp"

namespace staithe::store::reducing {

/// Several at a time, which shortens the chain of those that wait for each other, and rounds less. `term` is what an
/// element stands for.
template <class T, class Element, class Combine, class Term>
T fold(const Element* elements, std::int64_t count, T nothing, const Combine& combine, const Term& term) {
    constexpr std::int64_t lanes = 8;
    std::array<T, lanes> partial{};
    partial.fill(nothing);
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        for (std::int64_t lane = 0; lane < lanes; ++lane) {
            T& to = partial[static_cast<std::size_t>(lane)];
            to = combine(to, term(elements[i + lane]));
        }
    }
    T all = nothing;
    for (; i < count; ++i) {
        all = combine(all, term(elements[i]));
    }
    for (const T& each : partial) {
        all = combine(all, each);
    }
    return all;
}

template <class T>
struct Add {
    static T nothing() { return T(); }
    T operator()(T a, T b) const {
        if constexpr (std::is_integral_v<T>) {  // as NumPy: modulo 2^64
            return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
        } else {
            return a + b;
        }
    }
};

/// Without a branch, so that compilers look at several elements at once.
template <class T>
T second_if_or_nan(bool is_second, T first, T second) {
    const bool is_nan = second != second;  // NOLINT(misc-redundant-expression)
    return (static_cast<unsigned>(is_second) | static_cast<unsigned>(is_nan)) != 0 ? second : first;
}

/// NaN, if there is one.
template <class T>
struct Least {
    static constexpr space::Number space::Statistics::* of = &space::Statistics::min;
    static T nothing() {
        return std::is_integral_v<T> ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
    }
    T operator()(T a, T b) const { return second_if_or_nan(b < a, a, b); }
};

template <class T>
struct Greatest {
    static constexpr space::Number space::Statistics::* of = &space::Statistics::max;
    static T nothing() {
        return std::is_integral_v<T> ? std::numeric_limits<T>::lowest() : -std::numeric_limits<T>::infinity();
    }
    T operator()(T a, T b) const { return second_if_or_nan(b > a, a, b); }
};

/// Of which a state is one value like the elements.
template <class T, class Combine>
class Folding {
  public:
    using Element = T;
    using Number = T;

    static constexpr std::int64_t width() { return 1; }
    void begin(T* state) const { *state = Combine::nothing(); }
    void take(T* state, T element) const { *state = combine_(*state, element); }
    void take_all(T* state, const T* elements, std::int64_t count) const {
        const T all = fold(elements, count, Combine::nothing(), combine_, [](const T& element) { return element; });
        *state = combine_(*state, all);
    }
    void merge(T* state, const T* other) const { *state = combine_(*state, *other); }

  private:
    [[no_unique_address]] Combine combine_{};
};

/// The least or greatest, which kernels find that look at several elements at a time.
template <class T, class Combine>
class Finding : public Folding<T, Combine> {
  public:
    explicit Finding(Dtype elements) : summarize_(space::kernels().summarize[static_cast<std::size_t>(elements)]) {}

    /// At most as many as they take.
    void take_all(T* state, const T* elements, std::int64_t count) const {
        if (count < worth_a_call) {
            Folding<T, Combine>::take_all(state, elements, count);
            return;
        }
        const space::Statistics found = summarize_(reinterpret_cast<const std::byte*>(elements), count);
        const bool has_nan = found.nans > 0;
        this->take(state, has_nan ? std::numeric_limits<T>::quiet_NaN() : static_cast<T>(found.*Combine::of));
    }

  private:
    static constexpr std::int64_t worth_a_call = 32;

    space::Summarize* summarize_;
};

/// How many elements there are, the sum of the squares of what they are off their mean, and the mean (of complex
/// numbers: its two parts). Put together as by T. Chan, G. Golub, R. LeVeque: Updating formulae and a pairwise
/// algorithm for computing sample variances, 1979: nothing is lost where the mean is large against the spread.
template <class T>
class Moments {
  public:
    using Element = T;
    using Number = decltype(std::abs(T()));

    static constexpr std::int64_t width() { return std::is_same_v<T, Number> ? 3 : 4; }
    void begin(Number* state) const { std::fill_n(state, width(), Number()); }
    void take(Number* state, T element) const {
        state[0] += 1;
        const T off = element - mean_of(state);
        const T mean = mean_of(state) + off / state[0];
        state[1] += product(off, element - mean);
        set_mean(state, mean);
    }
    void take_all(Number* state, const T* elements, std::int64_t count) const {
        const T sum = fold(elements, count, T(), Add<T>(), [](const T& element) { return element; });
        const T mean = sum / static_cast<Number>(count);
        const Number squares = fold(elements, count, Number(), Add<Number>(),
                                    [&](const T& element) { return product(element - mean, element - mean); });
        put_together(state, static_cast<Number>(count), squares, mean);
    }
    void merge(Number* state, const Number* other) const { put_together(state, other[0], other[1], mean_of(other)); }

  private:
    static T mean_of(const Number* state) {
        if constexpr (width() == 3) {
            return state[2];
        } else {
            return {state[2], state[3]};
        }
    }
    static void set_mean(Number* state, T mean) {
        if constexpr (width() == 3) {
            state[2] = mean;
        } else {
            state[2] = mean.real();
            state[3] = mean.imag();
        }
    }
    static Number product(T a, T b) {
        if constexpr (width() == 3) {
            return a * b;
        } else {
            return a.real() * b.real() + a.imag() * b.imag();
        }
    }
    static void put_together(Number* state, Number count, Number squares, T mean) {
        if (count == 0) {
            return;
        }
        if (state[0] == 0) {  // else the square of a large mean would be infinite, times nothing
            state[0] = count;
            state[1] = squares;
            set_mean(state, mean);
            return;
        }
        const Number all = state[0] + count;
        const T off = mean - mean_of(state);
        state[1] += squares + product(off, off) * (state[0] / all * count);
        set_mean(state, mean_of(state) + off * (count / all));
        state[0] = all;
    }
};

/// The values between which bins lie: `numpy.linspace` of as many, and one more.
inline std::vector<double> edges_of(const Recipe& recipe) {
    const double width = (recipe.greatest - recipe.least) / static_cast<double>(recipe.bins);
    std::vector<double> edges(static_cast<std::size_t>(recipe.bins) + 1);
    for (std::size_t i = 0; i < edges.size(); ++i) {
        edges[i] = static_cast<double>(i) * width + recipe.least;
    }
    edges.back() = recipe.greatest;
    return edges;
}

/// How many elements are in each bin, compared as doubles; what is in none is left out.
template <class T>
class Counting {
  public:
    using Element = T;
    using Number = std::int64_t;

    explicit Counting(const Recipe& recipe)
        : edges_(edges_of(recipe)),
          bins_(recipe.bins),
          least_(recipe.least),
          greatest_(recipe.greatest),
          bins_of_one_(static_cast<double>(recipe.bins) / (recipe.greatest - recipe.least)) {}

    [[nodiscard]] std::int64_t width() const { return bins_; }
    void begin(Number* state) const { std::fill_n(state, bins_, 0); }
    void take(Number* state, T element) const {
        const auto value = static_cast<double>(element);
        if (value >= least_ && value <= greatest_) {  // and so it is a number
            ++state[bin_of(value)];
        }
    }
    void take_all(Number* state, const T* elements, std::int64_t count) const {
        for (const T element : std::span(elements, static_cast<std::size_t>(count))) {
            take(state, element);
        }
    }
    void merge(Number* state, const Number* other) const {
        for (std::int64_t i = 0; i < bins_; ++i) {
            state[i] = Add<Number>()(state[i], other[i]);
        }
    }

  private:
    /// The division is off by what was rounded; the edges decide.
    [[nodiscard]] std::int64_t bin_of(double value) const {
        const double position = (value - least_) * bins_of_one_;
        auto bin = position < static_cast<double>(bins_) ? static_cast<std::int64_t>(position) : bins_ - 1;
        while (bin > 0 && value < edges_[static_cast<std::size_t>(bin)]) {
            --bin;
        }
        while (bin + 1 < bins_ && value >= edges_[static_cast<std::size_t>(bin) + 1]) {
            ++bin;
        }
        return bin;
    }

    std::vector<double> edges_;
    std::int64_t bins_;
    double least_;
    double greatest_;
    double bins_of_one_;
};

/// Calls use(T()) with the type of the values.
template <class Use>
void with_type(Dtype values, const Use& use) {
    switch (values) {
        // NOLINTNEXTLINE(bugprone-branch-clone): each case calls another function
        case Dtype::i8: return use(std::int8_t());
        case Dtype::i16: return use(std::int16_t());
        case Dtype::i32: return use(std::int32_t());
        case Dtype::i64: return use(std::int64_t());
        case Dtype::boolean:
        case Dtype::u8: return use(std::uint8_t());
        case Dtype::u16: return use(std::uint16_t());
        case Dtype::u32: return use(std::uint32_t());
        case Dtype::u64: return use(std::uint64_t());
        case Dtype::f16:
        case Dtype::f32: return use(float());
        case Dtype::f64: return use(double());
        case Dtype::f128: return use(static_cast<long double>(0));
        case Dtype::c64:
        case Dtype::c128: return use(std::complex<double>());
        case Dtype::c256: return use(std::complex<long double>());
    }
}

/// Calls use(operation) with what makes it of elements of that dtype, of which `check` has been asked.
template <class Use>
void with_operation(const Recipe& recipe, Dtype elements, const Use& use) {
    with_type(taken_as(recipe.kind, elements), [&]<class T>(T) {
        constexpr bool has_order = std::is_arithmetic_v<T>;
        constexpr bool is_real = std::is_same_v<T, double> || std::is_same_v<T, long double>;
        switch (recipe.kind) {
            case Kind::sum:
            case Kind::mean: return use(Folding<T, Add<T>>());
            case Kind::min:
                if constexpr (has_order) {
                    use(Finding<T, Least<T>>(taken_as(recipe.kind, elements)));
                }
                return;
            case Kind::max:
                if constexpr (has_order) {
                    use(Finding<T, Greatest<T>>(taken_as(recipe.kind, elements)));
                }
                return;
            case Kind::var:
            case Kind::std:
                if constexpr (is_real || !has_order) {
                    use(Moments<T>());
                }
                return;
            case Kind::histogram:
                if constexpr (is_real) {
                    use(Counting<T>(recipe));
                }
                return;
        }
    });
}

}  // namespace staithe::store::reducing
