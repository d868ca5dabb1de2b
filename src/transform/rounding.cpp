#include "transform/rounding.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>
#include <optional>
#include <span>

#include "array/strided_copy.hpp"
#include "transform/dq/kernels.hpp"
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

/// To multiples of the largest power of two whose half is within the bound; nothing if there is none.
template <class T>
std::optional<dq::MultiplesToRoundTo<T>> multiples_for(double bound, const TileOptions& options) {
    constexpr int places = std::numeric_limits<T>::digits;
    int exponent = 0;
    std::frexp(bound, &exponent);
    exponent = std::min(exponent, std::numeric_limits<T>::max_exponent - places);
    if (bound == 0.0 || exponent < std::numeric_limits<T>::min_exponent) {
        return std::nullopt;
    }
    return dq::MultiplesToRoundTo<T>{.last_place = std::ldexp(T{1.5}, exponent + places - 1),
                                     .limit = std::ldexp(T{1}, exponent + places - 2),
                                     .fill = fill_of<T>(options)};
}

template <class T>
void round_groups(const dq::MultiplesToRoundTo<T>& multiples, std::byte* to, const std::byte* from,
                  std::size_t groups) {
    const dq::Kernels& kernels = dq::available_kernels().front();
    if constexpr (sizeof(T) == 4) {
        kernels.round_f32(multiples, to, from, groups);
    } else {
        kernels.round_f64(multiples, to, from, groups);
    }
}

template <class T>
void round_to_multiples(const dq::MultiplesToRoundTo<T>& multiples, std::span<std::byte> to, const std::byte* from) {
    constexpr std::size_t of_group = dq::group * sizeof(T);
    const std::size_t groups = to.size() / of_group, rest = to.size() % of_group;
    round_groups(multiples, to.data(), from, groups);
    if (rest > 0) {
        std::byte last[of_group]{};
        std::memcpy(last, from + groups * of_group, rest);
        round_groups(multiples, last, last, 1);
        std::memcpy(to.data() + groups * of_group, last, rest);
    }
}

template <class T>
void round_to_bits(std::span<std::byte> to, const std::byte* from, int dropped, T fill) {
    using Bits = typename dq::Quantiser<T>::Bits;
    const Bits last = Bits{1} << dropped;
    for (std::size_t at = 0; at < to.size(); at += sizeof(T)) {
        Bits bits = 0;
        std::memcpy(&bits, from + at, sizeof(T));
        const Bits to_even = (bits & last) >> dropped;
        const T value = std::bit_cast<T>(bits);
        const T near = std::bit_cast<T>((bits + (last / 2 - 1) + to_even) & ~(last - 1));
        const bool stays = dq::comes_back_exactly(value, fill) || near == fill || !std::isfinite(near);
        std::memcpy(to.data() + at, stays ? &value : &near, sizeof(T));
    }
}

/// Whether anything is to be rounded.
template <class T>
bool round_all(const MutableArrayView& to, const ArrayView& from, const TileOptions& options) {
    const auto bytes = static_cast<std::size_t>(size_in_bytes(to.shape, to.dtype).value_or(0));
    const std::span values(static_cast<std::byte*>(to.data), bytes);
    const auto* const first = static_cast<const std::byte*>(from.data);
    if (options.share > 0.0) {
        const int dropped = bits_to_drop<T>(options.share);
        if (dropped > 0) {
            round_to_bits(values, first, dropped, fill_of<T>(options));
        }
        return dropped > 0;
    }
    const bool of_parts = to.dtype == Dtype::c64 || to.dtype == Dtype::c128;
    const auto multiples = multiples_for<T>(options.bound * (of_parts ? share_of_part : 1.0), options);
    if (multiples) {
        round_to_multiples(*multiples, values, first);
    }
    return multiples.has_value();
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
    round_values(copy, copy, options);
    return copy;
}

void round_values(const MutableArrayView& to, const ArrayView& from, const TileOptions& options) {
    const bool is_single = to.dtype == Dtype::f32 || to.dtype == Dtype::c64;
    const bool is_rounded = can_be_rounded(to.dtype) &&
                            (is_single ? round_all<float>(to, from, options) : round_all<double>(to, from, options));
    if (!is_rounded && to.data != from.data) {
        array::copy(to, from);
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
