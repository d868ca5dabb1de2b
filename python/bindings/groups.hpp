// What the ranks of a group tell each other.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

void bind_groups(nanobind::module_& module);

}  // namespace staithe::python
