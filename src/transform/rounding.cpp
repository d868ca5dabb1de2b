#include "transform/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "array/strided_copy.hpp"
#include "transform/dq/quantisation.hpp"
#include "transform/value_range.hpp"

namespace staithe::transform {
namespace {

/// Bits of the mantissa that go. With n left, a value between 2^e and 2^(e+1) is off by half of 2^(e-n) at most, which
/// is 2^-(n+1) of itself.
template <class T>
int bits_to_drop(double share) {
    constexpr int stored = std::numeric_limits<T>::digits - 1;
    int exponent = 0;
    std::frexp(share, &exponent);  // 2^(exponent - 1) is the largest power of two that is not above it
    return stored - std::clamp(-exponent, 0, stored);
}

/// In the place of no fill: no value equals it.
template <class T>
T fill_of(const TileOptions& options) {
    return options.fill ? static_cast<T>(*options.fill) : std::numeric_limits<T>::quiet_NaN();
}

/// To multiples of the largest power of two whose half is within the bound. To add a number in whose binade that is
/// the last place, and to take it away again, is to round. Values that reach it have hardly more places anyway.
template <class T>
void round_to_multiples(std::span<T> values, double bound, const TileOptions& options) {
    constexpr int places = std::numeric_limits<T>::digits;
    int exponent = 0;
    std::frexp(bound, &exponent);
    exponent = std::min(exponent, std::numeric_limits<T>::max_exponent - places);
    if (bound == 0.0 || exponent < std::numeric_limits<T>::min_exponent) {
        return;
    }
    const T last_place = std::ldexp(T{1.5}, exponent + places - 1);
    const T limit = std::ldexp(T{1}, exponent + places - 2);
    const T fill = fill_of<T>(options);
    for (T& value : values) {
        const T near = (value + last_place) - last_place;
        const bool stays = dq::comes_back_exactly(value, fill) || near == fill || !(std::abs(value) < limit);
        value = stays ? value : near;
    }
}

template <class T>
void round_to_bits(std::span<T> values, const TileOptions& options) {
    using Bits = typename dq::Quantiser<T>::Bits;
    const int dropped = bits_to_drop<T>(options.share);
    const T fill = fill_of<T>(options);
    if (dropped == 0) {
        return;
    }
    const Bits last = Bits{1} << dropped;
    for (T& value : values) {
        const auto bits = std::bit_cast<Bits>(value);
        const Bits to_even = (bits & last) >> dropped;
        const T near = std::bit_cast<T>((bits + (last / 2 - 1) + to_even) & ~(last - 1));
        const bool stays = dq::comes_back_exactly(value, fill) || near == fill || !std::isfinite(near);
        value = stays ? value : near;
    }
}

template <class T>
void round_all(const MutableArrayView& array, const TileOptions& options) {
    const auto bytes = static_cast<std::size_t>(size_in_bytes(array.shape, array.dtype).value_or(0));
    const std::span values(static_cast<T*>(array.data), bytes / sizeof(T));
    const bool of_parts = array.dtype == Dtype::c64 || array.dtype == Dtype::c128;
    if (options.share > 0.0) {
        round_to_bits(values, options);
    } else {
        round_to_multiples(values, options.bound * (of_parts ? share_of_part : 1.0), options);
    }
}

}  // namespace

bool can_be_rounded(Dtype dtype) {
    return dtype == Dtype::f32 || dtype == Dtype::f64 || dtype == Dtype::c64 || dtype == Dtype::c128;
}

ArrayView rounded(const ArrayView& tile, const TileOptions& options, Scratch& scratch) {
    const auto bytes = static_cast<std::size_t>(size_in_bytes(tile.shape, tile.dtype).value_or(0));
    std::byte* const memory = scratch.get(Scratch::Use::tile, bytes);
    const auto copy = MutableArrayView::row_major(memory, tile.dtype, tile.shape);
    array::copy(copy, tile);
    round_in_place(copy, options);
    return copy;
}

void round_in_place(const MutableArrayView& array, const TileOptions& options) {
    if (array.dtype == Dtype::f32 || array.dtype == Dtype::c64) {
        round_all<float>(array, options);
    } else if (can_be_rounded(array.dtype)) {
        round_all<double>(array, options);
    }
}

double largest_rounding(const ArrayView& array, const TileOptions& options, int threads) {
    const auto range = value_range(array, options.fill, threads);
    const double largest = range ? std::max(std::abs(range->smallest), std::abs(range->largest)) : 0.0;
    // A complex number may be off in both of its parts.
    const bool of_parts = array.dtype == Dtype::c64 || array.dtype == Dtype::c128;
    return std::min(largest * options.share / (of_parts ? share_of_part : 1.0), std::numeric_limits<double>::max());
}

}  // namespace staithe::transform
