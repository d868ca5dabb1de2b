// What stands between the brackets of `variable[...]`, as a selection.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>

#include <staithe/box.hpp>

namespace staithe::python {

/// A selection and which of its dimensions an integer picked: these have a count of one, and do not show in the result.
struct Index {
    Selection selection;
    std::uint32_t dropped = 0;  // a bit per dimension
    bool scalar = false;        // every dimension was picked by an integer: the result is one number
};

/// As NumPy's basic indexing: integers, slices, an ellipsis; also a Box. Nothing if there are new axes, masks or lists
/// of indices, too. Raises IndexError where NumPy does; `what` is indexed, for messages. The shape is a copy: a key of
/// a class of the user's may run code that ends what has the shape.
std::optional<Index> index_from(nanobind::handle key, Extents shape, const char* what);

/// A key of all elements in the place of None.
nanobind::object all_if_none(nanobind::handle key);

/// Axes that go: a whole number or a sequence of them; None: all.
std::optional<Extents> axes_from(nanobind::handle axis);

/// What is left of the selection's shape, or of its strides, without the dropped dimensions.
Extents without_dropped(const Extents& of_selection, std::uint32_t dropped);

/// The strides of an array without the dropped dimensions, as strides of the selection.
Extents with_dropped(const Extents& of_array, const Index& index);

/// A whole number or a sequence of them: an offset, a count, a shape. `what` is for the message.
Extents extents_from(nanobind::handle object, const char* what);

/// A staithe.Box.
Box box_from(nanobind::handle box);
/// The same, or None.
std::optional<Box> box_or_none(nanobind::handle box);

/// As Python sees it: a Box, or slices where a step gets in the way.
nanobind::object to_python(const Box& box);
nanobind::object to_python(const Selection& selection);
nanobind::tuple to_python(Extents extents);

}  // namespace staithe::python
