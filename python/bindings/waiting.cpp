#include "waiting.hpp"

#include <staithe/waiting.hpp>

namespace nb = nanobind;

namespace staithe::python {

thread_local bool Released::here = false;

void watch_for_signals() {
    set_interruption_check([] {
        if (!Released::is_here()) {
            return false;
        }
        const nb::gil_scoped_acquire acquired;
        return PyErr_CheckSignals() != 0;  // true: a handler raised, and the exception waits to be seen
    });
}

}  // namespace staithe::python
