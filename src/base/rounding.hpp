// Numbers of bytes, and places, that are multiples of something; how many parts there are of a length.
#pragma once

namespace staithe::base {

/// The least whole number that is no less than the quotient; of numbers that are not negative.
template <class Integer>
[[nodiscard]] constexpr Integer quotient_up(Integer number, Integer divisor) {
    return (number + divisor - 1) / divisor;
}

/// The least multiple that is no less.
template <class Integer>
[[nodiscard]] constexpr Integer round_up(Integer number, Integer multiple) {
    return quotient_up(number, multiple) * multiple;
}

}  // namespace staithe::base
