#include <staithe/array_view.hpp>

#include <string>

namespace staithe {
namespace {

// Unsigned, so that a shape with a zero beside huge lengths wraps harmlessly: it has no element to address.
std::int64_t product(std::int64_t a, std::int64_t b) {
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Whether the elements lie densely, dimensions one inside the other from the one that is `inwards(0)`.
template <class Inwards>
bool is_dense(const ArrayView& view, const Inwards& inwards) {
    std::int64_t dense = size_of(view.dtype);
    for (std::size_t i = 0; i < view.dimensions(); ++i) {
        const std::size_t dimension = inwards(i);
        if (view.shape[dimension] != 1 && view.strides[dimension] != dense) {
            return is_empty(view.shape);
        }
        dense = product(dense, view.shape[dimension]);
    }
    return true;
}

std::int64_t offset_of_first(const Extents& strides, const Selection& selection) {
    std::int64_t bytes = 0;
    for (std::size_t i = 0; i < selection.size(); ++i) {
        bytes += strides[i] * selection[i].start;
    }
    return bytes;
}

Extents strides_of(const Extents& strides, const Selection& selection) {
    Extents result = strides;
    for (std::size_t i = 0; i < selection.size(); ++i) {
        // A single element needs no way to the next; its step may be any number.
        result[i] = selection[i].count > 1 ? strides[i] * selection[i].step : strides[i];
    }
    return result;
}

}  // namespace

Extents row_major_strides(const Extents& shape, std::int64_t item_size) noexcept {
    Extents strides = Extents::filled(shape.size(), item_size);
    for (std::size_t i = shape.size(); i-- > 1;) {
        strides[i - 1] = product(strides[i], shape[i]);
    }
    return strides;
}

Extents column_major_strides(const Extents& shape, std::int64_t item_size) noexcept {
    Extents strides = Extents::filled(shape.size(), item_size);
    for (std::size_t i = 1; i < shape.size(); ++i) {
        strides[i] = product(strides[i - 1], shape[i - 1]);
    }
    return strides;
}

std::optional<std::int64_t> size_in_bytes(const Extents& shape, Dtype dtype) noexcept {
    const auto elements = volume(shape);
    if (!elements) {
        return std::nullopt;
    }
    std::int64_t bytes = 0;
    return __builtin_mul_overflow(*elements, size_of(dtype), &bytes) ? std::nullopt : std::optional(bytes);
}

bool is_row_major(const ArrayView& view) noexcept {
    return is_dense(view, [last = view.dimensions() - 1](std::size_t i) { return last - i; });
}

bool is_column_major(const ArrayView& view) noexcept {
    return is_dense(view, [](std::size_t i) { return i; });
}

ArrayView slice(const ArrayView& view, const Selection& selection) noexcept {
    const auto* first = static_cast<const std::byte*>(view.data);
    if (!is_empty(selection)) {
        first += offset_of_first(view.strides, selection);
    }
    return {first, view.dtype, shape_of(selection), strides_of(view.strides, selection)};
}

MutableArrayView slice(const MutableArrayView& view, const Selection& selection) noexcept {
    auto* first = static_cast<std::byte*>(view.data);
    if (!is_empty(selection)) {
        first += offset_of_first(view.strides, selection);
    }
    return {first, view.dtype, shape_of(selection), strides_of(view.strides, selection)};
}

std::size_t ArrayView::count_for_span(Dtype element) const {
    if (element != dtype) {
        throw InvalidArgument(std::string("the array is ") + name_of(dtype) + ", it gives no span of " +
                              name_of(element));
    }
    if (!is_row_major(*this)) {
        throw InvalidArgument(
            "the array of shape " + to_string(shape) +
            " does not lie densely in C order, so that no span shows it: copy it, or go by its strides");
    }
    return static_cast<std::size_t>(volume(shape).value_or(0));
}

namespace {

template <class View>
View with_shape(const View& view, const Extents& shape) {
    if (volume(view.shape) != volume(shape)) {
        throw InvalidArgument("an array of shape " + to_string(view.shape) + " has not as many elements as the shape " +
                              to_string(shape));
    }
    if (!is_row_major(view)) {
        throw InvalidArgument("the array of shape " + to_string(view.shape) +
                              " does not lie densely in C order: it keeps its shape");
    }
    return View::row_major(view.data, view.dtype, shape);
}

}  // namespace

ArrayView reshaped(const ArrayView& view, const Extents& shape) { return with_shape(view, shape); }
MutableArrayView reshaped(const MutableArrayView& view, const Extents& shape) { return with_shape(view, shape); }

}  // namespace staithe
