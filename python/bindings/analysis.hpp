// A Python analysis that runs in the simulation's own thread.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

#include <staithe/analysis.hpp>

namespace staithe::python {

/// Calls start, step and finish of the Python object. What they raise passes through the library to the caller.
std::shared_ptr<Analysis> inline_analysis(nanobind::object analysis, const std::string& stream);

}  // namespace staithe::python
