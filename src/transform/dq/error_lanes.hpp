// Squares of errors, in each of sixteen lanes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "transform/dq/range_lanes.hpp"

namespace staithe::transform::dq {

template <class T>
struct ErrorLanes {
    CountedValues<T> counted;
    T scale = 1;               // errors are multiplied by it before they are squared
    double squares[16]{};      // their sum
    std::int64_t count[16]{};  // values that count for the range
};

/// Adds the errors of so many groups of sixteen values, y instead of x; their addresses need not be aligned. What came
/// back bit by bit has none, be it NaN.
template <class L, class T>
void add_errors(ErrorLanes<T>& errors, const std::byte* x, const std::byte* y, std::size_t groups) {
    using Bits = typename CountedValues<T>::Bits;
    // So few squares are added up in the precision of the values.
    constexpr std::size_t groups_of_sum = 64;
    const CountedValues<T> counted = errors.counted;
    const T scale = errors.scale;
    for (std::size_t begin = 0; begin < groups; begin += groups_of_sum) {
        T squares[16]{};
        Bits count[16]{};
        const std::size_t end = std::min(groups, begin + groups_of_sum);
        for (std::size_t g = begin; g < end; ++g) {
            T values[16]{};
            T others[16]{};
            Bits bits[16]{};
            Bits other_bits[16]{};
            std::memcpy(values, x + g * sizeof(values), sizeof(values));
            std::memcpy(others, y + g * sizeof(values), sizeof(values));
            std::memcpy(bits, values, sizeof(values));
            std::memcpy(other_bits, others, sizeof(values));
            // gcc makes a vector of the loop, but not of sixteen copies of its body.
#pragma GCC unroll 1
            for (unsigned i = 0; i < 16; ++i) {
                const T error = (values[i] - others[i]) * scale;
                squares[i] += bits[i] == other_bits[i] ? T{0} : error * error;
                count[i] += counted(bits[i]) ? 1 : 0;
            }
        }
        for (unsigned i = 0; i < 16; ++i) {
            errors.squares[i] += static_cast<double>(squares[i]);
            errors.count[i] += count[i];
        }
    }
}

}  // namespace staithe::transform::dq
