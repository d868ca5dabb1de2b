// Arrays to encode: random walks with what makes codecs stumble strewn in.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <staithe/array_view.hpp>

namespace staithe::transform::testing {

template <class T>
struct Array {
    Extents shape{};
    std::vector<T> values{};

    [[nodiscard]] ArrayView view() const { return ArrayView::row_major(values.data(), dtype_of<T>(), shape); }
    [[nodiscard]] MutableArrayView view() { return MutableArrayView::row_major(values.data(), dtype_of<T>(), shape); }
};

template <class T>
Array<T> like(const Array<T>& other) {
    return {other.shape, std::vector<T>(other.values.size())};
}

/// Smooth along rows; every so often a special value if `strangeness` is above 0.
template <class T>
Array<T> random_walk(const Extents& shape, unsigned seed, double strangeness = 0.0) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> step;
    std::uniform_real_distribution<double> chance;
    using Limits = std::numeric_limits<T>;
    const T strange[] = {Limits::quiet_NaN(), Limits::infinity(),   -Limits::infinity(), T(-0.0), Limits::denorm_min(),
                         -Limits::min() / 2,  static_cast<T>(1e20), Limits::max(),       T(0)};
    Array<T> array{shape, std::vector<T>(static_cast<std::size_t>(volume(shape).value_or(0)))};
    double value = 0;
    for (T& element : array.values) {
        value += step(random);
        element = chance(random) < strangeness ? strange[random() % std::size(strange)] : static_cast<T>(value);
    }
    return array;
}

}  // namespace staithe::transform::testing
