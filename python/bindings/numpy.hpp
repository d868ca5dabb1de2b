// NumPy arrays in and out. The one file that sees NumPy's C interface is numpy.cpp: it is the quickest way, and
// the only one that knows long doubles, half precision and bool alike. NumPy itself is imported when it is first
// needed.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include <staithe/array_view.hpp>

namespace staithe::python {

/// An array that was handed in, and what keeps it alive.
struct InputArray {
    ArrayView view;
    nanobind::object owner;
};

/// Whose array it is, for messages: a variable's, or one that no stream knows of, called `role`.
struct Subject {
    const std::string* variable = nullptr;
    const char* role = "";

    [[nodiscard]] std::string text() const;
};

/// What np.asarray makes of `object`, in the machine's byte order. InvalidArgument names the subject if its
/// elements are no numbers. Masks are not looked at.
InputArray input_array(nanobind::handle object, const Subject& subject);
/// Whether it is of a class that derives from ndarray, as masked arrays are.
bool is_derived_array(nanobind::handle object);

/// An ndarray that can be written to: InvalidArgument if `object` is none, or is read-only or of foreign byte order.
MutableArrayView output_array(nanobind::handle object);

/// InvalidArgument unless `object` is an ndarray that can be written to.
void check_writable(nanobind::handle object);
/// Whether the elements of an array are just of this type, in the machine's byte order.
bool is_of(Dtype dtype, nanobind::handle array);
bool has_shape(nanobind::handle array, const Extents& shape);
/// Whether NumPy converts one to the other at that casting: None stands for "safe".
bool can_cast(Dtype from, nanobind::handle array, nanobind::handle casting);
/// The same memory as an array of no derived class, whose methods are NumPy's own.
nanobind::object plain_array(nanobind::handle array);
/// Copies an array into another of the same shape, and converts its elements piece by piece.
void assign(nanobind::handle to, nanobind::handle from);

/// A new array in C order; its elements are undefined.
nanobind::object new_array(Dtype dtype, const Extents& shape);

/// An array over memory that `owner` keeps. It is the array's `base`, so every array made of it keeps it too.
nanobind::object wrap(const ArrayView& view, std::shared_ptr<const void> owner);
nanobind::object wrap_writable(const MutableArrayView& view, std::shared_ptr<const void> owner);

/// Makes an array read-only for good.
void freeze(nanobind::handle array);

/// An array of zero dimensions as NumPy's scalar; any other as it is.
nanobind::object scalar_if_0d(nanobind::object array);

bool is_array(nanobind::handle object);
/// The plain Python value of an array or one of NumPy's scalars: lists, numbers, str. Invalid if it has none.
nanobind::object plain_python(nanobind::handle object);

/// Anything that np.dtype takes.
Dtype dtype_from(nanobind::handle object, const Subject& subject);
nanobind::object dtype_object(Dtype dtype);

}  // namespace staithe::python
