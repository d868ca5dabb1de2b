// Log lines on their way to Python's logging.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

void bind_log_lines(nanobind::module_& module);

}  // namespace staithe::python
