// C++ errors become Python exceptions here, by one table.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

/// Fills the table from `staithe.errors.BY_CODE`; an error code without a class fails the import.
void bind_errors(nanobind::module_& module);

}  // namespace staithe::python
