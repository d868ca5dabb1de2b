// The smallest and largest value so far, in each of sixteen lanes.
//
// Works on the bits: integers in the order of the numbers compare and select without branches, where floating-point
// numbers with NaN among them do not.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

namespace staithe::transform::dq {

/// Which values make the range, by their bits: not NaN, infinities and fill.
template <class T>
struct CountedValues {
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;
    static constexpr Bits magnitude = std::numeric_limits<Bits>::max();
    static constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());

    // Infinity, which does not count anyway, where there is none.
    Bits fill = infinity;
    Bits same_fill = infinity;

    CountedValues() = default;
    explicit CountedValues(std::optional<double> declared) {
        if (declared) {
            fill = same_fill = std::bit_cast<Bits>(static_cast<T>(*declared));
            if (*declared == 0.0) {
                same_fill = std::bit_cast<Bits>(-static_cast<T>(*declared));  // zeros of both signs are one value
            }
        }
    }

    [[gnu::always_inline]] bool operator()(Bits bits) const {
        return ((bits & magnitude) < infinity) & (bits != fill) & (bits != same_fill);
    }
};

template <class T>
struct RangeLanes {
    using Bits = typename CountedValues<T>::Bits;

    CountedValues<T> counted;
    Bits smallest[16]{};  // as `in_order` makes them
    Bits largest[16]{};

    RangeLanes() {
        std::fill(std::begin(smallest), std::end(smallest), std::numeric_limits<Bits>::max());
        std::fill(std::begin(largest), std::end(largest), std::numeric_limits<Bits>::min());
    }

    static constexpr Bits in_order(Bits bits) {
        return bits ^ ((bits >> (8 * sizeof(Bits) - 1)) & CountedValues<T>::magnitude);
    }
};

/// Takes in so many groups of sixteen values; their addresses need not be aligned.
template <class L, class T>
void widen(RangeLanes<T>& range, const std::byte* values, std::size_t groups) {
    using Bits = typename RangeLanes<T>::Bits;
    Bits smallest[16]{};
    Bits largest[16]{};
    std::memcpy(smallest, range.smallest, sizeof(smallest));
    std::memcpy(largest, range.largest, sizeof(largest));
    const CountedValues<T> counted = range.counted;
    for (std::size_t g = 0; g < groups; ++g) {
        Bits bits[16]{};
        std::memcpy(bits, values + g * sizeof(bits), sizeof(bits));
        // gcc makes a vector of the loop, but not of sixteen copies of its body.
#pragma GCC unroll 1
        for (unsigned i = 0; i < 16; ++i) {
            const bool counts = counted(bits[i]);
            const Bits key = RangeLanes<T>::in_order(bits[i]);
            const Bits low = counts ? key : std::numeric_limits<Bits>::max();
            const Bits high = counts ? key : std::numeric_limits<Bits>::min();
            smallest[i] = low < smallest[i] ? low : smallest[i];
            largest[i] = high > largest[i] ? high : largest[i];
        }
    }
    std::memcpy(range.smallest, smallest, sizeof(smallest));
    std::memcpy(range.largest, largest, sizeof(largest));
}

}  // namespace staithe::transform::dq
