// Boxes and selections: which elements of an n-dimensional array are meant, and their algebra.
//
// An `Extents` holds one 64-bit number per dimension, a `Box` an offset and a count per dimension, a `Selection` a
// slice (start, step, count) per dimension. All are plain values of at most `max_dimensions` dimensions that never
// allocate, may be copied bytewise and used from any thread. Zero dimensions mean one element (a scalar); a count of
// zero means none. More dimensions than that throw `InvalidArgument`; nothing else throws or blocks.
//
// Functions expect boxes and selections that `fits` accepted, which itself takes any numbers.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

#include <staithe/error.hpp>
#include <staithe/export.hpp>

namespace staithe {

inline constexpr std::size_t max_dimensions = 8;

/// In braces, an integer of any type: sizes of containers are unsigned, and braces do not narrow.
struct AnyInteger {
    // NOLINTNEXTLINE(google-explicit-constructor): it stands for the number
    constexpr AnyInteger(std::integral auto number) : value(static_cast<std::int64_t>(number)) {}
    // NOLINTNEXTLINE(google-explicit-constructor)
    constexpr operator std::int64_t() const { return value; }
    std::int64_t value;
};

/// What stands for a `T` in braces.
template <class T>
using InBraces = std::conditional_t<std::is_same_v<T, std::int64_t>, AnyInteger, T>;

/// One `T` per dimension, stored inline.
template <class T>
class PerDimension {
  public:
    using value_type = T;

    constexpr PerDimension() = default;
    constexpr PerDimension(std::initializer_list<InBraces<T>> values) { assign(values); }
    constexpr explicit PerDimension(std::span<const InBraces<T>> values) { assign(values); }
    constexpr explicit PerDimension(std::span<const T> values)
        requires(!std::is_same_v<T, InBraces<T>>)
    {
        assign(values);
    }

    [[nodiscard]] static constexpr PerDimension filled(std::size_t dimensions, const T& value) {
        PerDimension result;
        result.resize(dimensions);
        std::fill(result.begin(), result.end(), value);
        return result;
    }

    [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] constexpr T* data() noexcept { return values_.data(); }
    [[nodiscard]] constexpr const T* data() const noexcept { return values_.data(); }
    [[nodiscard]] constexpr T& operator[](std::size_t dimension) noexcept { return values_[dimension]; }
    [[nodiscard]] constexpr const T& operator[](std::size_t dimension) const noexcept { return values_[dimension]; }
    [[nodiscard]] constexpr T* begin() noexcept { return data(); }
    [[nodiscard]] constexpr T* end() noexcept { return data() + size_; }
    [[nodiscard]] constexpr const T* begin() const noexcept { return data(); }
    [[nodiscard]] constexpr const T* end() const noexcept { return data() + size_; }

    constexpr void push_back(const T& value) {
        resize(size_ + 1);
        values_[size_ - 1] = value;
    }

    /// New dimensions get the default value.
    constexpr void resize(std::size_t dimensions) {
        if (dimensions > max_dimensions) {
            throw InvalidArgument("an array has at most 8 dimensions");
        }
        // Unused places are at their default, so that equal values are equal bytes.
        for (std::size_t i = dimensions; i < size_; ++i) {
            values_[i] = T{};
        }
        size_ = dimensions;
    }

    friend constexpr bool operator==(const PerDimension& a, const PerDimension& b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

  private:
    constexpr void assign(const auto& values) {
        resize(values.size());
        std::copy(values.begin(), values.end(), begin());
    }

    std::array<T, max_dimensions> values_{};
    std::size_t size_ = 0;
};

/// A shape, an offset, or strides.
using Extents = PerDimension<std::int64_t>;

/// A hyper-rectangle of a variable.
struct Box {
    Extents offset{};
    Extents count{};

    /// The box that covers an array of this shape.
    [[nodiscard]] static constexpr Box whole(const Extents& shape) { return {Extents::filled(shape.size(), 0), shape}; }
    [[nodiscard]] constexpr std::size_t dimensions() const noexcept { return count.size(); }
    friend constexpr bool operator==(const Box&, const Box&) = default;
};

/// The indices start, start + step, … (`count` of them). The step may be negative, but not zero.
struct Slice {
    std::int64_t start = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;

    friend constexpr bool operator==(const Slice&, const Slice&) = default;
};

/// What a reader asks for: a slice per dimension.
class Selection : public PerDimension<Slice> {
  public:
    using PerDimension::PerDimension;
    constexpr explicit Selection(const Box& box) {
        for (std::size_t i = 0; i < box.dimensions(); ++i) {
            push_back({box.offset[i], 1, box.count[i]});
        }
    }
    /// Everything of an array of this shape.
    [[nodiscard]] static constexpr Selection all(const Extents& shape) { return Selection(Box::whole(shape)); }
};

static_assert(std::is_trivially_copyable_v<Extents> && std::is_trivially_copyable_v<Box> &&
              std::is_trivially_copyable_v<Selection>);

/// The number of elements. Nothing if it does not fit 63 bits or a count is negative.
[[nodiscard]] STAITHE_API std::optional<std::int64_t> volume(const Extents& count) noexcept;

/// The counts of a selection: the shape of what it selects.
[[nodiscard]] STAITHE_API Extents shape_of(const Selection& selection) noexcept;

/// No element: some count is zero (or less).
[[nodiscard]] STAITHE_API bool is_empty(const Extents& count) noexcept;
[[nodiscard]] STAITHE_API bool is_empty(const Box& box) noexcept;
[[nodiscard]] STAITHE_API bool is_empty(const Selection& selection) noexcept;

/// Whether every element lies in an array of that shape; false too if dimensions differ, a count is negative or a
/// step zero. Safe with any numbers: what has passed it may be given to all other functions.
[[nodiscard]] STAITHE_API bool fits(const Box& box, const Extents& shape) noexcept;
[[nodiscard]] STAITHE_API bool fits(const Selection& selection, const Extents& shape) noexcept;

/// The common elements; nothing if there are none or the dimensions differ.
[[nodiscard]] STAITHE_API std::optional<Box> intersect(const Box& a, const Box& b) noexcept;

/// Whether every element of `inner` is in `outer`; an empty `inner` always is, if the dimensions agree.
[[nodiscard]] STAITHE_API bool contains(const Box& outer, const Box& inner) noexcept;

/// The smallest box that holds all selected elements.
[[nodiscard]] STAITHE_API Box bounding_box(const Selection& selection) noexcept;

/// The box that selects the same elements in the same order; nothing if a step gets in the way.
[[nodiscard]] STAITHE_API std::optional<Box> as_box(const Selection& selection) noexcept;

/// For messages: "(100, 6)", "[0:100, 3:6]", "[0:100:2, 5::-1]".
[[nodiscard]] STAITHE_API std::string to_string(const Extents& extents);
[[nodiscard]] STAITHE_API std::string to_string(const Box& box);
[[nodiscard]] STAITHE_API std::string to_string(const Selection& selection);

}  // namespace staithe
