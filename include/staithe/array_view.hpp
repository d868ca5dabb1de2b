// Views of arrays in memory: where the elements lie, without owning them.
//
// A view is a pointer to element (0, 0, …), a dtype, a shape, and the distance in bytes between neighbours along each
// dimension: any order, zero (broadcast) and negative distances, and unaligned addresses are fine. Views own nothing:
// the memory must outlive them. Plain values; nothing here blocks, and what throws says so (besides more than 8
// dimensions).
//
// `view_of` makes one of what C++ programs have: numbers, containers, spans, arrays, and views like std::mdspan.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

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

    /// The elements one after the other. InvalidArgument if they are no `T`, or do not lie densely in C order.
    template <class T>
    [[nodiscard]] std::span<const T> span() const {
        return {static_cast<const T*>(data), count_for_span(dtype_of<T>())};
    }

  private:
    [[nodiscard]] STAITHE_API std::size_t count_for_span(Dtype element) const;
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

namespace detail {

/// What a fixed number of elements is made of: a number, an array of numbers, an array of such arrays.
template <class T>
struct FixedArray {
    using ElementType = T;
    static constexpr std::int64_t volume = 1;
    static void append_shape(Extents&) {}
};
template <class T, std::size_t Count>
struct FixedArray<T[Count]> {
    using ElementType = typename FixedArray<T>::ElementType;
    static constexpr std::int64_t volume = static_cast<std::int64_t>(Count) * FixedArray<T>::volume;
    static void append_shape(Extents& shape) {
        shape.push_back(static_cast<std::int64_t>(Count));
        FixedArray<T>::append_shape(shape);
    }
};
template <class T, std::size_t Count>
struct FixedArray<std::array<T, Count>> : FixedArray<T[Count]> {};
template <class T, std::size_t Count>
struct FixedArray<const std::array<T, Count>> : FixedArray<const T[Count]> {};

template <class T>
concept Fixed = Element<typename FixedArray<T>::ElementType>;

/// std::vector, std::span, … of numbers or of arrays of numbers.
template <class T>
concept Contiguous = std::ranges::contiguous_range<T> && std::ranges::sized_range<T> &&
                     Fixed<std::remove_reference_t<std::ranges::range_reference_t<T>>>;

/// How many numbers one item of a container has.
template <class Container>
inline constexpr std::int64_t elements_per_item =
    FixedArray<std::remove_reference_t<std::ranges::range_reference_t<Container>>>::volume;

/// std::mdspan, and what looks like it.
template <class T>
concept Multidimensional = requires(const T& view, std::size_t dimension) {
    view.extents();
    { view.extent(dimension) } -> std::convertible_to<std::int64_t>;
    { view.stride(dimension) } -> std::convertible_to<std::int64_t>;
    { T::rank() } -> std::convertible_to<std::size_t>;
    requires Element<std::remove_reference_t<decltype(*view.data_handle())>>;
};

template <class T>
concept View = std::convertible_to<T&, ArrayView>;

/// Text is contiguous characters, too, but not an array of numbers to anyone who writes it.
template <class T>
concept Text = std::convertible_to<T&, std::string_view>;

template <class T>
concept Owner = !View<T> && !Multidimensional<T> && !std::ranges::borrowed_range<T>;

template <class E>
using ViewOf = std::conditional_t<std::is_const_v<E>, ArrayView, MutableArrayView>;

template <class T>
auto view_of_elements(T* first, std::optional<std::size_t> count) {
    using E = typename FixedArray<T>::ElementType;
    // Made where it stays: a copy of what was just written keeps the processor waiting.
    ViewOf<E> view{reinterpret_cast<E*>(first), dtype_of<E>()};
    if (count) {
        view.shape.push_back(static_cast<std::int64_t>(*count));
    }
    FixedArray<T>::append_shape(view.shape);
    view.strides = row_major_strides(view.shape, sizeof(E));
    return view;
}

template <class T>
auto view_of_multidimensional(const T& array) {
    using E = std::remove_pointer_t<decltype(array.data_handle())>;
    ViewOf<E> view{array.data_handle(), dtype_of<E>()};
    if constexpr (T::rank() > 0) {
        for (std::size_t i = 0; i < T::rank(); ++i) {
            view.shape.push_back(static_cast<std::int64_t>(array.extent(i)));
            view.strides.push_back(static_cast<std::int64_t>(array.stride(i)) * static_cast<std::int64_t>(sizeof(E)));
        }
    }
    return view;
}

}  // namespace detail

/// Where the numbers of `array` lie: a MutableArrayView if they may be written, else an ArrayView. It may be
/// - a number or a complex number: no dimensions;
/// - std::vector, std::span or another contiguous range of them: one dimension;
/// - std::array or a C array of them: a dimension for each that are nested. So a std::vector<std::array<double, 3>> of
///   n points has the shape (n, 3);
/// - std::mdspan, or what has rank(), extents(), extent(i), stride(i) and data_handle() as that: its own shape, and
///   strides in any order;
/// - a view: itself.
/// What owns its numbers needs a name: the view of a temporary would dangle, and is not compiled.
template <class A>
[[nodiscard]] auto view_of(A&& array) {
    using Array = std::remove_reference_t<A>;
    static_assert(std::is_lvalue_reference_v<A> || !detail::Owner<Array>,
                  "the view of a temporary would dangle: give it a name");
    static_assert(!std::is_pointer_v<Array>, "a pointer does not say how many numbers there are: give the shape, too");
    static_assert(!detail::Text<Array>, "text is no array: make it an attribute");
    if constexpr (std::convertible_to<Array&, MutableArrayView>) {
        return MutableArrayView(array);
    } else if constexpr (detail::View<Array>) {
        return ArrayView(array);
    } else if constexpr (detail::Multidimensional<std::remove_cv_t<Array>>) {
        return detail::view_of_multidimensional(array);
    } else if constexpr (detail::Fixed<Array>) {
        return detail::view_of_elements(std::addressof(array), std::nullopt);
    } else if constexpr (detail::Contiguous<Array>) {
        return detail::view_of_elements(std::ranges::data(array), std::ranges::size(array));
    } else {
        static_assert(detail::Contiguous<Array>,
                      "no array of numbers that lie one after the other: neither a number, nor a contiguous range of "
                      "numbers (std::vector but of bool, std::array, std::span, …), nor a view like std::mdspan");
    }
}

/// The same numbers in another shape, in C order. InvalidArgument if there are not as many, or they do not lie densely
/// in C order.
[[nodiscard]] STAITHE_API ArrayView reshaped(const ArrayView& view, const Extents& shape);
[[nodiscard]] STAITHE_API MutableArrayView reshaped(const MutableArrayView& view, const Extents& shape);

/// Numbers in C order that have that shape: what `view_of` takes, or a pointer to the first.
template <class A>
[[nodiscard]] auto view_of(A&& array, const Extents& shape) {
    if constexpr (std::is_pointer_v<std::decay_t<A>> && !std::is_array_v<std::remove_reference_t<A>>) {
        using E = std::remove_pointer_t<std::decay_t<A>>;
        static_assert(Element<E>, "the pointer is not to numbers: name their dtype, in an ArrayView");
        return detail::ViewOf<E>::row_major(array, dtype_of<E>(), shape);
    } else {
        return reshaped(view_of(std::forward<A>(array)), shape);
    }
}

}  // namespace staithe
