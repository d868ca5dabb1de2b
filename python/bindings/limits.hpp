// What this process may hold and holds, for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

void bind_limits(nanobind::module_& module);

}  // namespace staithe::python
