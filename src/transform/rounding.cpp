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

template <class T>
void round_all(std::span<T> values, const TileOptions& options) {
    using Bits = typename dq::Quantiser<T>::Bits;
    const int dropped = bits_to_drop<T>(options.share);
    const T fill = options.fill ? static_cast<T>(*options.fill) : std::numeric_limits<T>::quiet_NaN();
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

}  // namespace

bool can_be_rounded(Dtype dtype) {
    return dtype == Dtype::f32 || dtype == Dtype::f64 || dtype == Dtype::c64 || dtype == Dtype::c128;
}

ArrayView rounded(const ArrayView& tile, const TileOptions& options, Scratch& scratch) {
    const auto bytes = static_cast<std::size_t>(size_in_bytes(tile.shape, tile.dtype).value_or(0));
    std::byte* const memory = scratch.get(Scratch::Use::tile, bytes);
    const auto copy = MutableArrayView::row_major(memory, tile.dtype, tile.shape);
    array::copy(copy, tile);
    if (tile.dtype == Dtype::f32 || tile.dtype == Dtype::c64) {
        round_all(std::span(reinterpret_cast<float*>(memory), bytes / sizeof(float)), options);
    } else {
        round_all(std::span(reinterpret_cast<double*>(memory), bytes / sizeof(double)), options);
    }
    return copy;
}

double largest_rounding(const ArrayView& array, const TileOptions& options, int threads) {
    const auto range = value_range(array, options.fill, threads);
    const double largest = range ? std::max(std::abs(range->smallest), std::abs(range->largest)) : 0.0;
    // A complex number may be off in both of its parts.
    const bool of_parts = array.dtype == Dtype::c64 || array.dtype == Dtype::c128;
    return std::min(largest * options.share / (of_parts ? share_of_part : 1.0), std::numeric_limits<double>::max());
}

}  // namespace staithe::transform
