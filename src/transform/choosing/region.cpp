#include "transform/choosing/region.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "transform/plan.hpp"

namespace staithe::transform {
namespace {

constexpr std::int64_t values_of_a_box = 1024;
constexpr std::int64_t longest_row = 64;
constexpr std::int64_t looked_at_of = 25;
constexpr std::int64_t most_boxes = 128;

/// Near to a cube, but along the last dimension, where neighbours lie side by side.
Extents sample_in(const Extents& shape) {
    Extents box = Extents::filled(shape.size(), 1);
    const std::size_t last = shape.size() - 1;
    box[last] = std::min(shape[last], longest_row);
    for (std::int64_t values = box[last]; values < values_of_a_box;) {
        std::size_t shortest = shape.size();
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const bool grows = box[i] < shape[i];
            shortest = grows && (shortest == shape.size() || box[i] < box[shortest]) ? i : shortest;
        }
        if (shortest == shape.size()) {
            break;
        }
        values /= box[shortest];
        box[shortest] = std::min(shape[shortest], 2 * box[shortest]);
        values *= box[shortest];
    }
    return box;
}

/// Multiples of these, modulo one, fill a line evenly, however many are taken, and no two dimensions alike: powers of
/// the number that Roberts found for so many dimensions (R sequence, 2018).
PerDimension<double> spreads(std::size_t dimensions) {
    double root = 2.0;  // of x^(d + 1) = x + 1
    for (int i = 0; i < 32; ++i) {
        root = std::pow(1.0 + root, 1.0 / static_cast<double>(dimensions + 1));
    }
    PerDimension<double> spreads;
    for (std::size_t i = 0; i < dimensions; ++i) {
        spreads.push_back(std::pow(1.0 / root, static_cast<double>(i + 1)));
    }
    return spreads;
}

ArrayView sample_at(const ArrayView& array, const Extents& box, const PerDimension<double>& spreads,
                    std::int64_t number) {
    ArrayView view = array;
    view.shape = box;
    const auto* first = static_cast<const std::byte*>(array.data);
    for (std::size_t i = 0; i < box.size(); ++i) {
        const double multiple = 0.5 + static_cast<double>(number) * spreads[i];
        const auto free = static_cast<double>(array.shape[i] - box[i] + 1);
        first += static_cast<std::int64_t>(free * (multiple - std::floor(multiple))) * array.strides[i];
    }
    view.data = first;
    return view;
}

}  // namespace

Region look_at(const ArrayView& array, const codecs::Bound& bound, std::optional<double> fill, Scratch& scratch) {
    Region region{.bytes = size_in_bytes(array.shape, array.dtype).value_or(0)};
    const std::int64_t values = volume(array.shape).value_or(0);
    const std::int64_t boxes = std::min(values / (looked_at_of * values_of_a_box), most_boxes);
    if (boxes == 0) {
        return region;
    }
    codecs::EncodeOptions options;
    options.fill = fill;
    options.bound = bound.kind == codecs::Bound::Kind::absolute ? bound : codecs::Bound::exact();
    const Extents box = sample_in(array.shape);
    const PerDimension<double> apart = spreads(box.size());
    auto plan = plan_for(sample_at(array, box, apart, 0), options);  // the others are like that one
    if (!plan) {
        return region;
    }
    std::vector<std::byte> coded;
    for (std::int64_t i = 0; i < boxes; ++i) {
        plan->array = sample_at(array, box, apart, i);
        for (std::int64_t tile = 0; tile < plan->tiles; ++tile) {
            if (!encode_tile(*plan, tile, scratch, coded)) {
                return region;
            }
        }
    }
    region.share =
        static_cast<double>(coded.size()) / static_cast<double>(boxes * size_in_bytes(box, array.dtype).value_or(1));
    return region;
}

}  // namespace staithe::transform
