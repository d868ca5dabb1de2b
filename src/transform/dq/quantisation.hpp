// How dq quantises: what every kernel must do with one value, in exactly these operations.
//
//     q = round_to_nearest_even(x * inverse_step)      decoded: q * step
//
// All in the type of the values, each operation rounded by itself (no fused multiply-add). A value whose decoded one
// would miss the bound, and one that must come back bit by bit (NaN, infinities, -0.0, denormals, fill), is an
// exception: its bits are kept. So is one that would turn into fill. Compiled for GPUs, too.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace staithe::transform::dq {

/// More than one in so many values, fill and the like left out, misses the bound: a finer step may help.
inline constexpr std::size_t many_misses = 128;
/// More exceptions than one in so many values: the exact coding may be smaller.
inline constexpr std::size_t most_exceptions = 8;

template <class T>
struct Quantiser {
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

    T step = 0;
    T inverse_step = 0;
    T bound = 0;
    bool has_fill = false;
    T fill = 0;

    /// The largest step whose halves keep the bound where decoding itself rounds by `slack` at most.
    static Quantiser for_bound(double bound, double slack) {
        Quantiser made;
        made.bound = round_down(bound);
        made.step = round_down(2.0 * (bound - slack));
        made.inverse_step = T{1} / made.step;
        return made;
    }

    [[nodiscard]] bool usable() const { return std::isnormal(step) && std::isnormal(inverse_step); }

  private:
    static T round_down(double value) {
        const T rounded = static_cast<T>(value);
        return static_cast<double>(rounded) > value ? std::nextafter(rounded, T{0}) : rounded;
    }
};

/// Whether the value must come back bit by bit under every bound. No value equals NaN, so it stands for "no fill".
/// Without branches: loops over it become vectors.
template <class T>
[[gnu::always_inline]] inline bool comes_back_exactly(T value, T fill) {
    using Bits = typename Quantiser<T>::Bits;
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    constexpr Bits smallest_normal = std::bit_cast<Bits>(std::numeric_limits<T>::min());
    constexpr Bits infinite = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());
    const auto bits = std::bit_cast<Bits>(value);
    const Bits size = bits & ~sign;
    return static_cast<bool>(static_cast<int>(size - 1 < smallest_normal - 1) | static_cast<int>(bits == sign) |
                             static_cast<int>(size >= infinite) | static_cast<int>(value == fill));
}

/// Whether |x - y| ≤ bound, were the difference not rounded.
template <class T>
[[gnu::always_inline]] inline bool is_within(T x, T y, T bound) {
    const T off = x - y;
    if (!(std::abs(off) <= bound)) {
        return false;
    }
    // What rounding took away from the difference (Knuth's sum of two).
    const T part = off - x;
    const T lost = (x - (off - part)) - (y + part);
    return std::abs(off) < bound || (off > 0 ? lost <= 0 : lost >= 0);
}

/// A quantised value, and whether it is an exception.
struct Quantised {
    std::int32_t value = 0;
    bool exception = false;
};

template <class T>
inline Quantised quantise(T x, const Quantiser<T>& by) {
    using Bits = typename Quantiser<T>::Bits;
    constexpr T too_large = static_cast<T>(2147483648.0);
    const T rounded = std::nearbyint(x * by.inverse_step);
    // Out of range, and of NaN, the vector instructions make the smallest integer, too.
    const bool in_range = rounded >= -too_large && rounded < too_large;
    Quantised result;
    result.value = in_range ? static_cast<std::int32_t>(rounded) : std::numeric_limits<std::int32_t>::min();
    const T restored = static_cast<T>(result.value) * by.step;
    const T error = x - restored;
    const auto bits = std::bit_cast<Bits>(x);
    constexpr Bits sign = Bits{1} << (8 * sizeof(T) - 1);
    constexpr Bits smallest_normal = std::bit_cast<Bits>(std::numeric_limits<T>::min());
    const bool odd = bits == sign || ((bits & ~sign) - 1 < smallest_normal - 1);
    result.exception = !(std::abs(error) <= by.bound) || odd || (by.has_fill && (x == by.fill || restored == by.fill));
    return result;
}

/// Which values a finer step may help if they miss the bound. Not NaN, infinities, -0.0, denormals and fill, which are
/// exceptions under every step; nor numbers so large that half the bound, or q, has no room for them.
template <class T>
class Helpable {
  public:
    explicit Helpable(const Quantiser<T>& by) : by_(by) {
        const T no_room = by.bound / std::numeric_limits<T>::epsilon();
        const T out_of_range = by.step * static_cast<T>(2147483648.0);
        too_large_ = out_of_range < no_room ? out_of_range : no_room;
    }
    bool operator()(T x) const {
        return std::isnormal(x) && std::abs(x) < too_large_ && !(by_.has_fill && x == by_.fill);
    }

  private:
    const Quantiser<T>& by_;
    T too_large_;
};

}  // namespace staithe::transform::dq
