#include "array/decomposition.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace staithe::array {
namespace {

/// Looks for the grid of exactly `size` cells with the least surface between them, by trying every factorisation.
class GridSearch {
  public:
    explicit GridSearch(const Extents& shape) : shape_(shape), grid_(Extents::filled(shape.size(), 1)) {}

    std::optional<Extents> run(std::int64_t size) {
        try_dimension(0, size, 0.0);
        return best_;
    }

  private:
    // A cell's surface over its volume is the sum over dimensions of grid / shape, but for a constant factor.
    void try_dimension(std::size_t dimension, std::int64_t left, double surface) {
        // The margin keeps the first of equals, whatever the rounding.
        if (surface >= least_surface_ * (1.0 - 1e-12)) {
            return;
        }
        if (dimension == shape_.size()) {
            if (left == 1) {
                best_ = grid_;
                least_surface_ = surface;
            }
            return;
        }
        const std::int64_t length = shape_[dimension];
        // Most cuts first: among equals the earlier dimension is cut, which keeps rows whole.
        for (std::int64_t parts = std::min(left, length); parts >= 1; --parts) {
            if (left % parts == 0) {
                grid_[dimension] = parts;
                try_dimension(dimension + 1, left / parts,
                              surface + static_cast<double>(parts) / static_cast<double>(length));
            }
        }
    }

    Extents shape_;
    Extents grid_;
    std::optional<Extents> best_;
    double least_surface_ = std::numeric_limits<double>::infinity();
};

}  // namespace

Range balanced_part(std::int64_t length, std::int64_t rank, std::int64_t size) noexcept {
    const std::int64_t each = length / size;
    const std::int64_t longer = length % size;  // so many parts have one more
    return {rank * each + std::min(rank, longer), each + (rank < longer ? 1 : 0)};
}

Extents process_grid(const Extents& shape, std::int64_t size) noexcept {
    const std::int64_t elements = volume(shape).value_or(std::numeric_limits<std::int64_t>::max());
    for (std::int64_t parts = std::min(size, elements); parts > 1; --parts) {
        if (const auto grid = GridSearch(shape).run(parts)) {
            return *grid;
        }
    }
    return Extents::filled(shape.size(), 1);
}

Box block_share(const Extents& shape, std::int64_t rank, std::int64_t size) noexcept {
    const Extents grid = process_grid(shape, size);
    Box share = Box::whole(shape);
    std::int64_t left = rank;
    for (std::size_t i = shape.size(); i-- > 0;) {
        const auto [first, count] = balanced_part(shape[i], left % grid[i], grid[i]);
        share.offset[i] = first;
        share.count[i] = count;
        left /= grid[i];
    }
    const bool beyond_grid = left > 0;
    if (beyond_grid && !shape.empty()) {
        return {Extents::filled(shape.size(), 0), Extents::filled(shape.size(), 0)};
    }
    return share;
}

Box count_share(const Extents& shape, std::int64_t rank, std::int64_t size) noexcept {
    Box share = Box::whole(shape);
    if (!shape.empty()) {
        const auto [first, count] = balanced_part(shape[0], rank, size);
        share.offset[0] = first;
        share.count[0] = count;
    }
    return share;
}

Selection round_share(const Extents& shape, std::int64_t rank, std::int64_t size) noexcept {
    Selection share = Selection::all(shape);
    if (!shape.empty()) {
        share[0] = rank < shape[0] ? Slice{rank, size, (shape[0] - rank - 1) / size + 1} : Slice{0, size, 0};
    }
    return share;
}

Range process_share(std::int64_t writers, std::int64_t rank, std::int64_t size) noexcept {
    return balanced_part(writers, rank, size);
}

}  // namespace staithe::array
