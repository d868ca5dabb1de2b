#include "transform/tiling.hpp"

#include <algorithm>

namespace staithe::transform {
namespace {

// Rows shorter than this would be all beginnings and ends.
constexpr std::int64_t shortest_row = 16;

std::int64_t values_in(const Extents& shape, std::int64_t side) {
    std::int64_t values = 1;
    for (const std::int64_t extent : shape) {
        values *= std::min(extent, side);
        if (values > tile_values) {
            return values;
        }
    }
    return values;
}

template <class View>
View arrange(const View& tile) {
    View result = tile;
    result.shape.resize(0);
    result.strides.resize(0);
    std::size_t rows_end = tile.dimensions();
    const bool has_long =
        std::any_of(tile.shape.begin(), tile.shape.end(), [](std::int64_t extent) { return extent >= shortest_row; });
    while (has_long && tile.shape[rows_end - 1] < shortest_row) {
        --rows_end;
    }
    const auto take = [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            if (tile.shape[i] != 1) {
                result.shape.push_back(tile.shape[i]);
                result.strides.push_back(tile.strides[i]);
            }
        }
    };
    take(rows_end, tile.dimensions());
    take(0, rows_end);
    return result;
}

}  // namespace

Extents tile_shape(const Extents& shape) {
    std::int64_t low = 1;  // the longest side that fits lies from here …
    std::int64_t high = tile_values;
    while (low < high) {
        const std::int64_t middle = (low + high + 1) / 2;
        if (values_in(shape, middle) <= tile_values) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    const std::int64_t side = low > shortest_row ? low / shortest_row * shortest_row : low;
    Extents tile;
    for (const std::int64_t extent : shape) {
        // As many as it takes, of nearly one length: the last of them must not be a sliver.
        const std::int64_t count = std::max<std::int64_t>(1, (extent + side - 1) / side);
        std::int64_t length = (extent + count - 1) / count;
        if (side >= shortest_row) {
            length = (length + shortest_row - 1) / shortest_row * shortest_row;
        }
        tile.push_back(std::max<std::int64_t>(1, std::min({extent, side, length})));
    }
    // What rounding left over goes to the rows.
    for (std::size_t i = shape.size(); i-- > 0;) {
        Extents longer = tile;
        longer[i] = std::max(tile[i], std::min(shape[i], 2 * tile[i]));
        if (volume(longer).value_or(tile_values + 1) <= tile_values) {
            tile = longer;
        }
    }
    return tile;
}

Extents tile_counts(const Extents& shape, const Extents& tile) {
    Extents counts;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        counts.push_back((shape[i] + tile[i] - 1) / tile[i]);
    }
    return counts;
}

Box tile_box(const Extents& shape, const Extents& tile, std::int64_t number) {
    const Extents counts = tile_counts(shape, tile);
    Box box = Box::whole(shape);
    for (std::size_t i = shape.size(); i-- > 0;) {
        box.offset[i] = number % counts[i] * tile[i];
        box.count[i] = std::min(tile[i], shape[i] - box.offset[i]);
        number /= counts[i];
    }
    return box;
}

void for_each_tile_in(const Box& box, const Extents& shape, const Extents& tile,
                      const std::function<void(std::int64_t)>& call) {
    if (is_empty(box)) {
        return;
    }
    const Extents counts = tile_counts(shape, tile);
    Extents first;
    Extents last;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        first.push_back(box.offset[i] / tile[i]);
        last.push_back((box.offset[i] + box.count[i] - 1) / tile[i]);
    }
    for (Extents at = first;;) {
        std::int64_t number = 0;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            number = number * counts[i] + at[i];
        }
        call(number);
        std::size_t i = shape.size();
        while (i > 0 && at[i - 1] == last[i - 1]) {
            --i;
            at[i] = first[i];
        }
        if (i == 0) {
            return;
        }
        ++at[i - 1];
    }
}

ArrayView arranged(const ArrayView& tile) { return arrange(tile); }
MutableArrayView arranged(const MutableArrayView& tile) { return arrange(tile); }

}  // namespace staithe::transform
