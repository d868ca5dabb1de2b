// Some elements of an array, as an array: NumPy's views by slices, without the memory.
#pragma once

#include <cstddef>
#include <span>

#include <staithe/array_view.hpp>

#include "base/result.hpp"
#include "transform/expression/subscripts.hpp"

namespace staithe::transform::expression {

struct Part {
    static constexpr std::size_t new_dimension = max_dimensions;

    [[nodiscard]] static Part whole(const Extents& shape);
    /// Of an array of that shape. `invalid_argument` says which subscript it does not have.
    [[nodiscard]] static base::Result<Part> selected(std::span<const Subscript> subscripts, const Extents& shape);

    Extents shape{};
    PerDimension<std::size_t> dimensions{};  // of the array, in its order, for each of its own; or new ones
    Selection selection{};                   // of the array; one index of each dimension that is gone

    /// The elements of the array from which a selection of something is computed to which the part is broadcast.
    [[nodiscard]] Selection selected_by(const Selection& of_whole) const;
    /// By dimension of what the part is broadcast to: that of the array, of which a selection has this shape, along
    /// which its elements follow each other; `new_dimension` where one serves all.
    [[nodiscard]] PerDimension<std::size_t> along(const Extents& selected, std::size_t dimensions_of_whole) const;
    /// Elements of the array that were so selected, repeated so that they have the shape of that selection.
    [[nodiscard]] ArrayView spread(const ArrayView& elements, const Extents& as) const;
    /// From which a part of something is computed to which this one is broadcast.
    [[nodiscard]] Part cut_by(const Part& outer) const;
};

}  // namespace staithe::transform::expression
