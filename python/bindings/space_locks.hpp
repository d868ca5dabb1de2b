// Locks and loans of spaces.
#pragma once

#include <nanobind/nanobind.h>

#include <staithe/space.hpp>

namespace staithe::python {

void bind_space_locks(nanobind::module_& module, nanobind::class_<Space>& space);

}  // namespace staithe::python
