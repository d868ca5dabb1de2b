#include "transform/expression/merge.hpp"

#include "transform/expression/broadcast.hpp"
#include "transform/expression/kinds.hpp"

namespace staithe::transform::expression {
namespace {

tl::unexpected<base::Failure> no_shape_in_common(const Extents& a, const Extents& b) {
    return base::fail(ErrorCode::invalid_argument, "one has the shape {}, another {}: they do not go together",
                      to_string(a), to_string(b));
}

base::Result<std::size_t> axis_among(std::int64_t axis, std::size_t dimensions) {
    const auto count = static_cast<std::int64_t>(dimensions);
    if (axis >= count || axis < -count) {
        return base::fail(ErrorCode::invalid_argument, "there is no axis {} among {} dimensions", axis, count);
    }
    return static_cast<std::size_t>(axis < 0 ? axis + count : axis);
}

base::Result<Merge::Placed> stacked(std::int64_t axis, std::span<const Extents> shapes) {
    Extents common = shapes.front();
    for (const Extents& shape : shapes) {
        const auto both = broadcast(common, shape);
        if (!both) {
            return no_shape_in_common(common, shape);
        }
        common = *both;
    }
    if (common.size() == max_dimensions) {
        return base::fail(ErrorCode::invalid_argument, "no array has more than {} dimensions", max_dimensions);
    }
    const auto at = axis_among(axis, common.size() + 1);
    if (!at) {
        return base::fail(at);
    }
    Box place;
    for (std::size_t i = 0; i <= common.size(); ++i) {
        place.offset.push_back(0);
        place.count.push_back(i == *at ? 1 : common[i < *at ? i : i - 1]);
    }
    Merge::Placed placed{.shape = place.count, .new_axis = *at};
    placed.shape[*at] = static_cast<std::int64_t>(shapes.size());
    for (; place.offset[*at] < placed.shape[*at]; ++place.offset[*at]) {
        placed.places.push_back(place);
    }
    return placed;
}

base::Result<Merge::Placed> concatenated(std::int64_t axis, std::span<const Extents> shapes) {
    const auto at = axis_among(axis, shapes.front().size());
    if (!at) {
        return base::fail(at);
    }
    Merge::Placed placed{.shape = shapes.front()};
    placed.shape[*at] = 0;
    for (const Extents& shape : shapes) {
        Extents others = shape;
        if (shape.size() == placed.shape.size()) {
            others[*at] = placed.shape[*at];
        }
        if (others != placed.shape) {
            return no_shape_in_common(shapes.front(), shape);
        }
        Box place = Box::whole(shape);
        place.offset[*at] = placed.shape[*at];
        placed.places.push_back(place);
        if (__builtin_add_overflow(placed.shape[*at], shape[*at], &placed.shape[*at])) {
            return base::fail(ErrorCode::invalid_argument, "together they are longer than any array");
        }
    }
    return placed;
}

}  // namespace

base::Result<Merge::Placed> Merge::place(std::span<const Extents> shapes) const {
    return stacks ? stacked(axis, shapes) : concatenated(axis, shapes);
}

std::optional<Merge> merge_of(std::string_view function) {
    return function == "stack" || function == "concatenate" ? std::optional(Merge{.stacks = function == "stack"})
                                                            : std::nullopt;
}

Dtype merged(Dtype a, Dtype b) { return a == b ? a : common(widened(a), widened(b)); }

}  // namespace staithe::transform::expression
