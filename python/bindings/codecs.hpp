// Codecs, as staithe.codecs uses them.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

void bind_codecs(nanobind::module_& module);

}  // namespace staithe::python
