// Numbers of bytes, and places, that are multiples of something.
#pragma once

namespace staithe::base {

/// The least multiple that is no less.
template <class Integer>
[[nodiscard]] constexpr Integer round_up(Integer number, Integer multiple) {
    return (number + multiple - 1) / multiple * multiple;
}

}  // namespace staithe::base
