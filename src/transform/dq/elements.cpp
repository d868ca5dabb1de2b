#include "transform/dq/elements.hpp"

#include <algorithm>

#include "transform/tiling.hpp"

namespace staithe::transform::dq {
namespace {

/// The elements that a dtype is made of: complex numbers are pairs, what has no arithmetic here is bytes.
struct Composition {
    Dtype element;
    std::int64_t parts;
};

Composition composition_of(Dtype dtype) {
    switch (dtype) {
        case Dtype::c64: return {Dtype::f32, 2};
        case Dtype::c128: return {Dtype::f64, 2};
        case Dtype::f128:
        case Dtype::c256: return {Dtype::u8, size_of(dtype)};
        default: return {dtype, 1};
    }
}

}  // namespace

Elements exact_elements(Dtype element) {
    switch (element) {
        case Dtype::f32: return Elements::exact_f32;
        case Dtype::f64: return Elements::exact_f64;
        case Dtype::i8: return Elements::exact_i8;
        case Dtype::i16: return Elements::exact_i16;
        case Dtype::u16:
        case Dtype::f16: return Elements::exact_u16;
        case Dtype::i32:
        case Dtype::u32: return Elements::exact_32;
        case Dtype::i64:
        case Dtype::u64: return Elements::exact_64;
        default: return Elements::exact_u8;
    }
}

namespace {

template <class View>
std::optional<View> elements_of(const View& tile) {
    const Composition made_of = composition_of(tile.dtype);
    View view = tile;
    view.dtype = made_of.element;
    if (made_of.parts > 1) {
        if (view.dimensions() == max_dimensions) {
            return std::nullopt;
        }
        view.shape.push_back(made_of.parts);
        view.strides.push_back(size_of(made_of.element));
    }
    return arranged(view);
}

}  // namespace

std::optional<ArrayView> by_elements(const ArrayView& tile) { return elements_of(tile); }
std::optional<MutableArrayView> by_elements(const MutableArrayView& tile) { return elements_of(tile); }

TileRows rows_of(const ArrayView& view) {
    TileRows rows;
    const std::size_t dimensions = view.dimensions();
    const std::size_t kept = std::min<std::size_t>(dimensions, 4);
    for (std::size_t i = 0; i < kept; ++i) {
        rows.count[3 - i] = static_cast<std::size_t>(view.shape[dimensions - 1 - i]);
        if (i > 0) {
            rows.stride[3 - i] = static_cast<std::ptrdiff_t>(view.strides[dimensions - 1 - i]);
        }
    }
    for (std::size_t i = kept; i < dimensions; ++i) {
        rows.count[0] *= static_cast<std::size_t>(view.shape[dimensions - 1 - i]);
    }
    return rows;
}

bool is_direct(const ArrayView& view) {
    const std::int64_t item = size_of(view.dtype);
    const auto aligned = [item](std::int64_t stride) { return stride % item == 0; };
    return view.dimensions() <= 4 && (view.dimensions() == 0 || view.strides[view.dimensions() - 1] == item) &&
           reinterpret_cast<std::uintptr_t>(view.data) % static_cast<std::uintptr_t>(item) == 0 &&
           std::all_of(view.strides.begin(), view.strides.end(), aligned);
}

MutableArrayView dense(const ArrayView& like, Scratch& scratch) {
    const auto bytes = static_cast<std::size_t>(size_in_bytes(like.shape, like.dtype).value_or(0));
    return MutableArrayView::row_major(scratch.get(Scratch::Use::gathered, bytes), like.dtype, like.shape);
}

}  // namespace staithe::transform::dq
