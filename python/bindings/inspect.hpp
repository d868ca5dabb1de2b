// Looking at live streams from Python.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

void bind_inspect(nanobind::module_& module);

}  // namespace staithe::python
