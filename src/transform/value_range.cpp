#include "transform/value_range.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <mutex>
#include <vector>

#include "array/strided_copy.hpp"
#include "transform/dq/kernels.hpp"
#include "transform/parallel.hpp"
#include "transform/tiling.hpp"

namespace staithe::transform {
namespace {

// Rows that do not lie densely are copied here, piece by piece.
constexpr std::int64_t piece = 4096;

template <class T>
class RangeFinder {
  public:
    explicit RangeFinder(std::optional<double> fill) { lanes_.counted = dq::CountedValues<T>(fill); }

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

std::optional<ValueRange> of_both(const std::optional<ValueRange>& a, const std::optional<ValueRange>& b) {
    if (!a || !b) {
        return a ? a : b;
    }
    return ValueRange{std::min(a->smallest, b->smallest), std::max(a->largest, b->largest)};
}

/// The array in pieces of about as many values as a tile has, cut along its longest dimension; one that is dense is one
/// long row.
std::vector<ArrayView> pieces_of(const ArrayView& array) {
    const std::int64_t values = volume(array.shape).value_or(0);
    const ArrayView whole = is_row_major(array) ? ArrayView::row_major(array.data, array.dtype, {values}) : array;
    const auto longest = static_cast<std::size_t>(
        std::distance(whole.shape.begin(), std::max_element(whole.shape.begin(), whole.shape.end())));
    const std::int64_t extent = whole.shape[longest];
    const std::int64_t step = std::max<std::int64_t>(1, tile_values / (values / extent));
    std::vector<ArrayView> pieces;
    for (std::int64_t begin = 0; begin < extent; begin += step) {
        Box box = Box::whole(whole.shape);
        box.offset[longest] = begin;
        box.count[longest] = std::min(step, extent - begin);
        pieces.push_back(slice(whole, Selection(box)));
    }
    return pieces;
}

}  // namespace

std::optional<ValueRange> value_range(const ArrayView& array, std::optional<double> fill, int threads) {
    if (is_empty(array.shape)) {
        return std::nullopt;
    }
    if (array.dtype == Dtype::c64 || array.dtype == Dtype::c128) {
        // Its parts, real and imaginary, one after the other: the range is that of both.
        ArrayView part = array;
        part.dtype = array.dtype == Dtype::c64 ? Dtype::f32 : Dtype::f64;
        const auto real = value_range(part, fill, threads);
        part.data = static_cast<const std::byte*>(array.data) + size_of(part.dtype);
        return of_both(real, value_range(part, fill, threads));
    }
    if (array.dtype != Dtype::f32 && array.dtype != Dtype::f64) {
        return std::nullopt;
    }
    std::mutex mutex;
    std::optional<ValueRange> range;
    const auto widen = [&](const ArrayView& piece, Scratch& /*scratch*/) -> base::Result<> {
        const auto found = piece.dtype == Dtype::f32 ? range_of<float>(piece, fill) : range_of<double>(piece, fill);
        const std::lock_guard lock(mutex);
        range = of_both(range, found);
        return {};
    };
    static_cast<void>(for_each(pieces_of(array), threads, nullptr, widen));  // it takes no memory that could run out
    return range;
}

}  // namespace staithe::transform
