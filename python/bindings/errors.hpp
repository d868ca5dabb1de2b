// C++ errors become Python exceptions here, by one table.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace staithe::python {

/// Fills the table from `staithe.errors.BY_CODE`; an error code without a class fails the import.
/// "ValueError: the pressure is negative": an exception in one line.
std::string line_of(nanobind::handle exception);

void bind_errors(nanobind::module_& module);

}  // namespace staithe::python
