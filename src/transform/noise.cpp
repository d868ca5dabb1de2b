#include "transform/noise.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "array/strided_copy.hpp"
#include "transform/dq/kernels.hpp"

namespace staithe::transform {
namespace {

template <class T>
double mean_square(const std::byte* values, const std::byte* decoded, std::size_t count, std::optional<double> fill,
                   double noise) {
    // Squares of 64 values at a time are added up in the precision of the values.
    constexpr double rounding = 1e-5;
    dq::ErrorLanes<T> lanes;
    lanes.counted = dq::CountedValues<T>(fill);
    lanes.scale = static_cast<T>(1 / noise);
    if (!std::isnormal(lanes.scale)) {
        return std::numeric_limits<double>::infinity();
    }
    const auto add = [&lanes](const std::byte* x, const std::byte* y, std::size_t groups) {
        const dq::Kernels& kernels = dq::available_kernels().front();
        if constexpr (sizeof(T) == 4) {
            kernels.add_errors_f32(lanes, x, y, groups);
        } else {
            kernels.add_errors_f64(lanes, x, y, groups);
        }
    };
    const std::size_t groups = count / dq::group;
    add(values, decoded, groups);
    if (const std::size_t rest = count % dq::group; rest > 0) {
        T last[2][dq::group];
        std::fill_n(&last[0][0], 2 * dq::group, std::numeric_limits<T>::infinity());  // which does not count
        std::memcpy(last[0], values + groups * sizeof(last[0]), rest * sizeof(T));
        std::memcpy(last[1], decoded + groups * sizeof(last[0]), rest * sizeof(T));
        add(reinterpret_cast<const std::byte*>(last[0]), reinterpret_cast<const std::byte*>(last[1]), 1);
    }
    const double sum = std::accumulate(std::begin(lanes.squares), std::end(lanes.squares), 0.0);
    const auto counted = std::accumulate(std::begin(lanes.count), std::end(lanes.count), std::int64_t{0});
    return sum == 0.0 ? 0.0 : sum / static_cast<double>(counted) * (1 + rounding);
}

}  // namespace

double mean_square_error(const ArrayView& tile, const ArrayView& decoded, std::optional<double> fill, double noise,
                         Scratch& scratch) {
    const auto bytes = static_cast<std::size_t>(size_in_bytes(tile.shape, tile.dtype).value_or(0));
    ArrayView dense = tile;
    if (!is_row_major(tile)) {
        const auto gathered =
            MutableArrayView::row_major(scratch.get(Scratch::Use::gathered, bytes), tile.dtype, tile.shape);
        array::copy(gathered, tile);
        dense = gathered;
    }
    const auto* const values = static_cast<const std::byte*>(dense.data);
    const auto* const others = static_cast<const std::byte*>(decoded.data);
    if (tile.dtype == Dtype::f32 || tile.dtype == Dtype::c64) {
        return mean_square<float>(values, others, bytes / sizeof(float), fill, noise);
    }
    return mean_square<double>(values, others, bytes / sizeof(double), fill, noise);
}

}  // namespace staithe::transform
