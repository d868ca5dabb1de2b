// Values rounded to multiples of a power of two, sixteen at a time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "transform/dq/quantisation.hpp"

namespace staithe::transform::dq {

template <class T>
struct MultiplesToRoundTo {
    T last_place = 0;  // a number in whose binade the power of two is the last place: to add it, and to take it away
                       // again, is to round
    T limit = 0;       // values that reach it have hardly more places, and stay as they are
    T fill = std::numeric_limits<T>::quiet_NaN();
};

/// So many groups of sixteen values; their addresses need not be aligned, and may be the same. What comes back bit by
/// bit under every bound stays as it is, and nothing turns into fill.
template <class L, class T>
void round_to_multiples(const MultiplesToRoundTo<T>& rounding, std::byte* to, const std::byte* from,
                        std::size_t groups) {
    const T last_place = rounding.last_place, limit = rounding.limit, fill = rounding.fill;
    for (std::size_t g = 0; g < groups; ++g) {
        T values[16]{};
        std::memcpy(values, from + g * sizeof(values), sizeof(values));
        // gcc makes a vector of the loop, but not of sixteen copies of its body.
#pragma GCC unroll 1
        for (T& value : values) {
            const T near = (value + last_place) - last_place;
            const auto stays = static_cast<int>(comes_back_exactly(value, fill)) | static_cast<int>(near == fill) |
                               static_cast<int>(!(std::abs(value) < limit));
            value = stays != 0 ? value : near;
        }
        std::memcpy(to + g * sizeof(values), values, sizeof(values));
    }
}

}  // namespace staithe::transform::dq
