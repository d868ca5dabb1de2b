// The Python class Recorder.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

void bind_recorders(nanobind::module_& module);

}  // namespace staithe::python
