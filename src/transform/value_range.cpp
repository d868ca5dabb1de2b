#include "transform/value_range.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "array/strided_copy.hpp"

namespace staithe::transform {
namespace {

// Rows that do not lie densely are copied here, piece by piece.
constexpr std::int64_t piece = 4096;

/// Works on the bits: integers of their order compare and select without branches, where floating-point numbers with
/// NaN among them do not.
template <class T>
class RangeFinder {
  public:
    using Bits = std::conditional_t<sizeof(T) == 4, std::int32_t, std::int64_t>;

    explicit RangeFinder(std::optional<double> fill)
        // Without fill something that does not count anyway. Zeros of both signs are one value.
        : fill_(fill ? std::bit_cast<Bits>(static_cast<T>(*fill)) : infinity),
          same_fill_(fill == 0.0 ? std::bit_cast<Bits>(-static_cast<T>(*fill)) : fill_) {}

    void add(const std::byte* values, std::int64_t count) {
        Bits smallest = smallest_;
        Bits largest = largest_;
        const Bits fill = fill_;
        const Bits same_fill = same_fill_;
        for (std::int64_t i = 0; i < count; ++i) {
            Bits bits;
            std::memcpy(&bits, values + i * static_cast<std::int64_t>(sizeof(Bits)), sizeof(bits));
            const Bits magnitude = bits & magnitude_mask;
            const bool counts = magnitude < infinity && bits != fill && bits != same_fill;
            const Bits key = bits ^ ((bits >> (8 * sizeof(Bits) - 1)) & magnitude_mask);
            smallest = counts && key < smallest ? key : smallest;
            largest = counts && key > largest ? key : largest;
        }
        smallest_ = smallest;
        largest_ = largest;
    }

    [[nodiscard]] std::optional<ValueRange> range() const {
        if (smallest_ > largest_) {
            return std::nullopt;
        }
        return ValueRange{value_of(smallest_), value_of(largest_)};
    }

  private:
    static constexpr Bits magnitude_mask = std::numeric_limits<Bits>::max();
    static constexpr Bits infinity = std::bit_cast<Bits>(std::numeric_limits<T>::infinity());

    static double value_of(Bits key) {
        return static_cast<double>(std::bit_cast<T>(key ^ ((key >> (8 * sizeof(Bits) - 1)) & magnitude_mask)));
    }

    const Bits fill_;
    const Bits same_fill_;
    Bits smallest_ = std::numeric_limits<Bits>::max();
    Bits largest_ = std::numeric_limits<Bits>::min();
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
