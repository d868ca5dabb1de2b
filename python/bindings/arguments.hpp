// Wrong calls say what is wrong with them.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

/// From now on the functions and methods that `module` has so far raise a TypeError that names the argument at fault,
/// by staithe.arguments, rather than nanobind's list of signatures.
void explain_wrong_calls(const nanobind::module_& module);

}  // namespace staithe::python
