// Calls of spaces that nobody waits for.
#pragma once

#include <nanobind/nanobind.h>

#include <staithe/space.hpp>

namespace staithe::python {

void bind_space_calls(nanobind::module_& module, nanobind::class_<Space>& space);

}  // namespace staithe::python
