// Numbers and structures of C as the C++ interface has them. All throw InvalidArgument for what cannot be.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <staithe/staithe.h>
#include <staithe/array_view.hpp>
#include <staithe/box.hpp>
#include <staithe/dtype.hpp>
#include <staithe/group.hpp>

namespace staithe::capi {

[[nodiscard]] Dtype dtype_of(staithe_dtype dtype);

/// `dimensions` numbers; NULL will do if there are none.
[[nodiscard]] Extents extents_of(const int64_t* numbers, int64_t dimensions, const char* name);
/// The same, of numbers that may be NULL.
[[nodiscard]] std::optional<Extents> given_extents(const int64_t* numbers, int64_t dimensions, const char* name);
/// Dimensions that are reduced; NULL: all.
[[nodiscard]] std::optional<std::vector<std::int64_t>> given_axes(const int64_t* axes, std::size_t count);
[[nodiscard]] Selection selection_of(const staithe_selection& selection);
/// One that may be NULL.
[[nodiscard]] std::optional<Selection> given_selection(const staithe_selection* selection);
/// Of a selection without steps.
[[nodiscard]] Box box_of(const staithe_selection& selection);
/// One that may be NULL.
[[nodiscard]] std::optional<Box> given_box(const staithe_selection* selection);
[[nodiscard]] Group group_of(const staithe_group& group);

/// A number that may be STAITHE_UNSET.
[[nodiscard]] std::optional<std::int64_t> given_number(std::int64_t number) noexcept;
[[nodiscard]] std::optional<double> given_number(double number) noexcept;
/// A text that may be NULL.
[[nodiscard]] std::optional<std::string> given_text(const char* text);
/// For fields that C++ has as int.
[[nodiscard]] std::optional<int> given_int(std::int64_t number, const char* name);

/// How the elements of a block lie in memory.
struct Layout {
    std::optional<Extents> strides;
    bool column_major = false;
};
/// The array that a put describes. Its strides go no further than its shape, which the library checks.
[[nodiscard]] ArrayView array_of(const void* data, Dtype dtype, const Extents& count, const Layout& layout);
/// Where an array of that shape is to be written.
[[nodiscard]] MutableArrayView destination_of(void* destination, staithe_dtype dtype, const Extents& shape,
                                              const int64_t* strides);

void write_extents(const Extents& extents, int64_t* numbers) noexcept;
[[nodiscard]] staithe_group to_c(const Group& group) noexcept;
[[nodiscard]] staithe_selection to_c(const Selection& selection) noexcept;
[[nodiscard]] staithe_array to_c(const ArrayView& array) noexcept;

/// A text of the caller's own, for staithe_text_free.
[[nodiscard]] char* new_text(const std::string& text);

}  // namespace staithe::capi
