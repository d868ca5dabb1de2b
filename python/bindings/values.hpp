// Attributes: Python values to Staithe's and back.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include <staithe/options.hpp>
#include <staithe/value.hpp>

namespace staithe::python {

/// None, bool, int, float, str, lists, tuples and dicts of these, NumPy scalars and arrays. InvalidArgument names the
/// attribute if it is anything else.
Value value_from_python(nanobind::handle object, const std::string& attribute);

/// From a mapping of names to values; None is empty.
Attributes attributes_from_python(nanobind::handle mapping);

/// A text such as "1e-3 rel"; None: nothing. InvalidArgument if it is no bound.
std::optional<codecs::Bound> bound_from_python(nanobind::handle text);
/// Such a text, of all variables, or a mapping from names to such texts; None is empty.
Errors errors_from_python(nanobind::handle error);

nanobind::object to_python(const Value& value);
nanobind::dict to_python(const Attributes& attributes);
/// As they are shown to readers: a mapping that refuses changes, which would go nowhere.
nanobind::object read_only(const Attributes& attributes);

}  // namespace staithe::python
