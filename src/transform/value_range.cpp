#include "transform/value_range.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>

#include "array/strided_copy.hpp"
#include "transform/dq/kernels.hpp"

namespace staithe::transform {
namespace {

// Rows that do not lie densely are copied here, piece by piece.
constexpr std::int64_t piece = 4096;

template <class T>
class RangeFinder {
  public:
    explicit RangeFinder(std::optional<double> fill) {
        if (fill) {
            lanes_.fill = lanes_.same_fill = std::bit_cast<Bits>(static_cast<T>(*fill));
            if (*fill == 0.0) {
                lanes_.same_fill = std::bit_cast<Bits>(-static_cast<T>(*fill));  // zeros of both signs are one value
            }
        }
    }

    void add(const std::byte* values, std::int64_t count) {
        const auto groups = static_cast<std::size_t>(count) / dq::group;
        const std::size_t rest = static_cast<std::size_t>(count) % dq::group;
        widen(values, groups);
        if (rest > 0) {
            T last[dq::group];
            std::fill(std::begin(last), std::end(last), std::numeric_limits<T>::infinity());  // which does not count
            std::memcpy(last, values + groups * sizeof(last), rest * sizeof(T));
            widen(reinterpret_cast<const std::byte*>(last), 1);
        }
    }

    [[nodiscard]] std::optional<ValueRange> range() const {
        const Bits smallest = *std::min_element(std::begin(lanes_.smallest), std::end(lanes_.smallest));
        const Bits largest = *std::max_element(std::begin(lanes_.largest), std::end(lanes_.largest));
        if (smallest > largest) {
            return std::nullopt;
        }
        return ValueRange{value_of(smallest), value_of(largest)};
    }

  private:
    using Lanes = dq::RangeLanes<T>;
    using Bits = typename Lanes::Bits;

    void widen(const std::byte* values, std::size_t groups) {
        const dq::Kernels& kernels = dq::available_kernels().front();
        if constexpr (sizeof(T) == 4) {
            kernels.widen_f32(lanes_, values, groups);
        } else {
            kernels.widen_f64(lanes_, values, groups);
        }
    }
    // `in_order` is its own inverse.
    static double value_of(Bits key) { return static_cast<double>(std::bit_cast<T>(Lanes::in_order(key))); }

    Lanes lanes_;
};

template <class T>
void add_all(RangeFinder<T>& finder, const ArrayView& array, std::size_t dimension, const std::byte* at) {
    const auto item = static_cast<std::int64_t>(sizeof(T));
    if (dimension + 1 < array.dimensions()) {
        for (std::int64_t i = 0; i < array.shape[dimension]; ++i) {
            add_all(finder, array, dimension + 1, at + i * array.strides[dimension]);
        }
        return;
    }
    const std::int64_t count = array.shape[dimension];
    if (array.strides[dimension] == item || count == 1) {
        finder.add(at, count);
        return;
    }
    T row[piece];
    for (std::int64_t begin = 0; begin < count; begin += piece) {
        const std::int64_t length = std::min(piece, count - begin);
        array::copy(MutableArrayView::row_major(row, array.dtype, {length}),
                    {at + begin * array.strides[dimension], array.dtype, {length}, {array.strides[dimension]}});
        finder.add(reinterpret_cast<const std::byte*>(row), length);
    }
}

template <class T>
std::optional<ValueRange> range_of(const ArrayView& array, std::optional<double> fill) {
    RangeFinder<T> finder(fill);
    const auto* const data = static_cast<const std::byte*>(array.data);
    if (is_row_major(array)) {
        finder.add(data, volume(array.shape).value_or(0));
    } else {
        add_all(finder, array, 0, data);
    }
    return finder.range();
}

}  // namespace

std::optional<ValueRange> value_range(const ArrayView& array, std::optional<double> fill) {
    if (is_empty(array.shape)) {
        return std::nullopt;
    }
    ArrayView view = array;
    if (array.dtype == Dtype::c64 || array.dtype == Dtype::c128) {
        // Its parts, real and imaginary, one after the other: the range is that of both.
        view.dtype = array.dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64;
        const auto real = value_range(view, fill);
        view.data = static_cast<const std::byte*>(array.data) + size_of(view.dtype);
        const auto imaginary = value_range(view, fill);
        if (!real || !imaginary) {
            return real ? real : imaginary;
        }
        return ValueRange{std::min(real->smallest, imaginary->smallest), std::max(real->largest, imaginary->largest)};
    }
    if (array.dtype == Dtype::f32) {
        return range_of<float>(view, fill);
    }
    if (array.dtype == Dtype::f64) {
        return range_of<double>(view, fill);
    }
    return std::nullopt;
}

}  // namespace staithe::transform
