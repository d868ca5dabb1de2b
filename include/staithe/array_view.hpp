// Views of arrays in memory: where the elements lie, without owning them.
//
// A view is a pointer to element (0, 0, …), a dtype, a shape, and the distance in bytes between neighbours along each
// dimension: any order, zero (broadcast) and negative distances, and unaligned addresses are fine. Views own nothing:
// the memory must outlive them. Plain values; nothing here throws (but for more than 8 dimensions) or blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <staithe/box.hpp>
#include <staithe/dtype.hpp>
#include <staithe/export.hpp>

namespace staithe {

/// Strides in bytes, the last dimension running fastest (C order). The bytes of the array must fit 63 bits.
[[nodiscard]] STAITHE_API Extents row_major_strides(const Extents& shape, std::int64_t item_size) noexcept;

/// Strides in bytes, the first dimension running fastest (Fortran order).
[[nodiscard]] STAITHE_API Extents column_major_strides(const Extents& shape, std::int64_t item_size) noexcept;

/// The bytes of all elements; nothing if they do not fit 63 bits or a count is negative.
[[nodiscard]] STAITHE_API std::optional<std::int64_t> size_in_bytes(const Extents& shape, Dtype dtype) noexcept;

/// An array that is read.
struct ArrayView {
    const void* data = nullptr;
    Dtype dtype = Dtype::u8;
    Extents shape{};
    Extents strides{};  // in bytes

    [[nodiscard]] static ArrayView row_major(const void* data, Dtype dtype, const Extents& shape) noexcept {
        return {data, dtype, shape, row_major_strides(shape, size_of(dtype))};
    }
    [[nodiscard]] std::size_t dimensions() const noexcept { return shape.size(); }
};

/// An array that is written.
struct MutableArrayView {
    void* data = nullptr;
    Dtype dtype = Dtype::u8;
    Extents shape{};
    Extents strides{};  // in bytes

    [[nodiscard]] static MutableArrayView row_major(void* data, Dtype dtype, const Extents& shape) noexcept {
        return {data, dtype, shape, row_major_strides(shape, size_of(dtype))};
    }
    [[nodiscard]] std::size_t dimensions() const noexcept { return shape.size(); }
    // NOLINTNEXTLINE(google-explicit-constructor): whoever may write may read
    operator ArrayView() const noexcept { return {data, dtype, shape, strides}; }
};

/// Whether the elements lie densely in C order (Fortran order); dimensions of length 1 do not matter.
[[nodiscard]] STAITHE_API bool is_row_major(const ArrayView& view) noexcept;
[[nodiscard]] STAITHE_API bool is_column_major(const ArrayView& view) noexcept;

/// The selected elements of a view, in place. The selection must fit the view's shape.
[[nodiscard]] STAITHE_API ArrayView slice(const ArrayView& view, const Selection& selection) noexcept;
[[nodiscard]] STAITHE_API MutableArrayView slice(const MutableArrayView& view, const Selection& selection) noexcept;

}  // namespace staithe
