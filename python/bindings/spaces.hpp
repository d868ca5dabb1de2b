// The Python classes of spaces and their servers.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

void bind_spaces(nanobind::module_& module);

}  // namespace staithe::python
