#include "transform/expression/tiles.hpp"

#include <algorithm>

#include "base/rounding.hpp"

namespace staithe::transform::expression {

Tiles::Tiles(const Extents& shape, std::int64_t most) : shape_(shape) {
    if (shape.empty()) {
        return;
    }
    along_ = shape.size() - 1;
    std::int64_t of_each = 1;  // of its indices
    while (along_ > 0 && of_each * shape[along_] <= most) {
        of_each *= shape[along_--];
    }
    const std::int64_t whole = shape[along_];
    const std::int64_t most_rows = std::max<std::int64_t>(most / of_each, 1);
    const std::int64_t cuts = base::quotient_up(whole, most_rows);
    rows_ = base::quotient_up(whole, cuts);  // tiles of about the same size
    count_ = cuts_along();
    for (std::size_t i = 0; i < along_; ++i) {
        count_ *= shape[i];
    }
}

std::int64_t Tiles::cuts_along() const { return base::quotient_up(shape_[along_], rows_); }

Box Tiles::at(std::int64_t index) const {
    Box box = Box::whole(shape_);
    if (shape_.empty()) {
        return box;
    }
    const std::int64_t cuts = cuts_along();
    box.offset[along_] = index % cuts * rows_;
    box.count[along_] = std::min(rows_, shape_[along_] - box.offset[along_]);
    index /= cuts;
    for (std::size_t i = along_; i-- > 0;) {
        box.offset[i] = index % shape_[i];
        box.count[i] = 1;
        index /= shape_[i];
    }
    return box;
}

bool Tiles::are_dense(const ArrayView& view) const {
    std::int64_t stride = size_of(view.dtype);
    for (std::size_t i = shape_.size(); i-- > along_;) {
        if (shape_[i] > 1 && view.strides[i] != stride) {
            return false;
        }
        stride *= shape_[i];
    }
    return true;
}

bool is_aligned(const ArrayView& view) {
    const auto alignment = std::min<std::int64_t>(size_of(view.dtype), 16);
    const auto fits = [&](std::int64_t place) { return place % alignment == 0; };
    return fits(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(view.data))) &&
           std::ranges::all_of(view.strides, fits);
}

}  // namespace staithe::transform::expression
