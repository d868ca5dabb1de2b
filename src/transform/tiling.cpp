#include "transform/tiling.hpp"

#include <algorithm>

#include "base/rounding.hpp"

namespace staithe::transform {
namespace {

// Rows shorter than this would be all beginnings and ends.
constexpr std::int64_t shortest_row = 16;
// Each row costs as much as some ten groups of values, so a tile has them that long where they are, and fewer of them.
constexpr std::int64_t long_row = 128;
// Codecs of blocks take four values along a dimension at a time.
constexpr std::int64_t side_of_block = 4;

/// The dimension that rows will lie along, as `arranged` chooses them.
std::size_t dimension_of_rows(const Extents& shape) {
    for (std::size_t i = shape.size(); i-- > 0;) {
        if (shape[i] >= shortest_row) {
            return i;
        }
    }
    return shape.size() - 1;
}

/// The length of as many parts of an extent as it takes, nearly the same of each: the last one must not be a sliver.
std::int64_t length_of_parts(std::int64_t extent, std::int64_t longest, std::int64_t multiple) {
    if (extent <= longest) {
        return std::max<std::int64_t>(1, extent);
    }
    const bool rounded = longest >= shortest_row;
    const std::int64_t most = rounded ? longest / multiple * multiple : longest;
    const std::int64_t parts = base::quotient_up(extent, most);
    const std::int64_t length = base::quotient_up(extent, parts);
    return rounded ? base::round_up(length, multiple) : length;
}

/// A tile that is at most so long along each dimension, but for the rows.
Extents tile_of_side(const Extents& shape, std::int64_t side, std::size_t rows) {
    Extents tile;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        tile.push_back(i == rows ? length_of_parts(shape[i], std::max(side, long_row), shortest_row)
                                 : length_of_parts(shape[i], side, side_of_block));
    }
    return tile;
}

bool fits(const Extents& tile) { return volume(tile).value_or(tile_values + 1) <= tile_values; }

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
    if (shape.empty()) {
        return {};
    }
    const std::size_t rows = dimension_of_rows(shape);
    std::int64_t low = 1;  // the longest side that fits lies from here …
    std::int64_t high = tile_values;
    while (low < high) {
        const std::int64_t middle = (low + high + 1) / 2;
        if (fits(tile_of_side(shape, middle, rows))) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Extents tile = tile_of_side(shape, low, rows);
    // What rounding left over goes to the rows.
    for (std::size_t i = shape.size(); i-- > 0;) {
        Extents longer = tile;
        longer[i] = std::max(tile[i], std::min(shape[i], 2 * tile[i]));
        if (fits(longer)) {
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
