#include "waiting.hpp"

#include <staithe/options.hpp>

namespace nb = nanobind;

namespace staithe::python {

void watch_for_signals() {}

}  // namespace staithe::python
