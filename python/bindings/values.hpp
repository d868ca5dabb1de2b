// Attributes: Python values to Staithe's and back.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include <staithe/value.hpp>

namespace staithe::python {

/// None, bool, int, float, str, lists, tuples and dicts of these, NumPy scalars and arrays. InvalidArgument names the
/// attribute if it is anything else.
Value value_from_python(nanobind::handle object, const std::string& attribute);

/// From a mapping of names to values; None is empty.
Attributes attributes_from_python(nanobind::handle mapping);

nanobind::object to_python(const Value& value);
nanobind::dict to_python(const Attributes& attributes);
/// As they are shown to readers: a mapping that refuses changes, which would go nowhere.
nanobind::object read_only(const Attributes& attributes);

}  // namespace staithe::python
