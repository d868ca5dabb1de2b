#include "transform/expression/part.hpp"

#include <algorithm>

namespace staithe::transform::expression {
namespace {

/// A single element is there for all that are selected.
Slice selected_of(std::int64_t length, const Slice& slice) {
    return length == 1 ? Slice{0, 1, std::min<std::int64_t>(slice.count, 1)} : slice;
}

/// Of those that one slice selects, those that another does. Nothing may have been selected anywhere.
Slice composed(const Slice& outer, const Slice& inner) {
    if (inner.count <= 0) {
        return {0, 1, 0};
    }
    return {outer.start + outer.step * inner.start, inner.count > 1 ? outer.step * inner.step : 1, inner.count};
}

/// As Python clips slices: what lies beyond the array is not there.
Slice clipped(const Subscript& subscript, std::int64_t length) {
    const auto place = [length](std::int64_t index) {
        return std::clamp<std::int64_t>(index < 0 ? index + length : index, 0, length);
    };
    const std::int64_t first = place(subscript.start.value_or(0));
    const std::int64_t end = place(subscript.stop.value_or(length));
    if (first >= end) {
        return {0, 1, 0};
    }
    const std::int64_t count = (end - first - 1) / subscript.step + 1;
    return {first, count > 1 ? subscript.step : 1, count};
}

/// Takes one dimension after the other.
class Selecting {
  public:
    explicit Selecting(const Extents& shape) : shape_(shape) {}

    base::Result<Part> select(std::span<const Subscript> subscripts) {
        const auto count_of = [subscripts](Subscript::Kind kind) {
            return static_cast<std::size_t>(std::ranges::count(subscripts, kind, &Subscript::kind));
        };
        const std::size_t indices = count_of(Subscript::Kind::index);
        const std::size_t own = indices + count_of(Subscript::Kind::slice);
        if (own > shape_.size()) {
            return base::fail(ErrorCode::invalid_argument, "fewer dimensions than the {} that are selected from", own);
        }
        const std::size_t dimensions = shape_.size() - indices + count_of(Subscript::Kind::new_dimension);
        if (dimensions > max_dimensions) {
            return base::fail(ErrorCode::invalid_argument, "and no array has {} dimensions", dimensions);
        }
        for (const Subscript& each : subscripts) {
            switch (each.kind) {
                case Subscript::Kind::ellipsis: take_whole(shape_.size() - own); break;
                case Subscript::Kind::slice: take(clipped(each, length())); break;
                case Subscript::Kind::new_dimension: add(); break;
                case Subscript::Kind::index:
                    if (*each.start >= length() || *each.start < -length()) {
                        return base::fail(ErrorCode::invalid_argument, "and no index {} in dimension {}", *each.start,
                                          next());
                    }
                    part_.selection.push_back({*each.start < 0 ? *each.start + length() : *each.start, 1, 1});
                    break;
            }
        }
        take_whole(shape_.size() - next());
        return part_;
    }

  private:
    [[nodiscard]] std::size_t next() const { return part_.selection.size(); }
    [[nodiscard]] std::int64_t length() const { return shape_[next()]; }

    void take(const Slice& slice) {
        part_.dimensions.push_back(next());
        part_.selection.push_back(slice);
        part_.shape.push_back(slice.count);
    }
    void take_whole(std::size_t dimensions) {
        for (; dimensions > 0; --dimensions) {
            take({0, 1, length()});
        }
    }
    void add() {
        part_.dimensions.push_back(Part::new_dimension);
        part_.shape.push_back(1);
    }

    const Extents shape_;
    Part part_;
};

}  // namespace

Part Part::whole(const Extents& shape) {
    Part part{.shape = shape, .selection = Selection::all(shape)};
    for (std::size_t i = 0; i < shape.size(); ++i) {
        part.dimensions.push_back(i);
    }
    return part;
}

base::Result<Part> Part::selected(std::span<const Subscript> subscripts, const Extents& shape) {
    return Selecting(shape).select(subscripts);
}

Selection Part::selected_by(const Selection& of_whole) const {
    Selection own = selection;
    for (std::size_t i = 1; i <= shape.size(); ++i) {
        const std::size_t dimension = dimensions[shape.size() - i];
        if (dimension != new_dimension) {
            // What has more dimensions than the whole is a single element.
            const Slice asked = i <= of_whole.size() ? of_whole[of_whole.size() - i] : Slice{0, 1, 1};
            own[dimension] = composed(selection[dimension], selected_of(shape[shape.size() - i], asked));
        }
    }
    return own;
}

PerDimension<std::size_t> Part::along(const Extents& selected, std::size_t dimensions_of_whole) const {
    auto along = PerDimension<std::size_t>::filled(dimensions_of_whole, new_dimension);
    const std::size_t both = std::min(dimensions_of_whole, shape.size());
    for (std::size_t i = 1; i <= both; ++i) {
        const std::size_t dimension = dimensions[shape.size() - i];
        if (dimension != new_dimension && selected[dimension] != 1) {
            along[dimensions_of_whole - i] = dimension;
        }
    }
    return along;
}

ArrayView Part::spread(const ArrayView& elements, const Extents& as) const {
    ArrayView view{elements.data, elements.dtype, as, Extents::filled(as.size(), 0)};
    const auto along = this->along(elements.shape, as.size());
    for (std::size_t i = 0; i < as.size(); ++i) {
        if (along[i] != new_dimension) {
            view.strides[i] = elements.strides[along[i]];
        }
    }
    return view;
}

Part Part::cut_by(const Part& outer) const {
    Part part{.selection = selected_by(outer.selection)};
    const std::size_t first = outer.selection.size() - shape.size();  // of the whole's dimensions that are its own, too
    for (const std::size_t dimension : outer.dimensions) {
        if (dimension == new_dimension) {
            part.shape.push_back(1);
            part.dimensions.push_back(new_dimension);
        } else if (dimension >= first) {
            const std::size_t own = dimension - first;
            part.shape.push_back(selected_of(shape[own], outer.selection[dimension]).count);
            part.dimensions.push_back(dimensions[own]);
        }
    }
    return part;
}

}  // namespace staithe::transform::expression
