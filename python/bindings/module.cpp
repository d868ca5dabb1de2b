// staithe._core: the C++ interface as Python sees it. The package `staithe` puts the public face on it.
//
// The objects of the inner loop (steps, variables, arrays) are C++ all through; what happens once a stream (opening,
// loading analyses) is Python. Docstrings and signatures here are the source of python/staithe/_core.pyi.
#include <nanobind/nanobind.h>

#include "arguments.hpp"
#include "codecs.hpp"
#include "errors.hpp"
#include "groups.hpp"
#include "inspect.hpp"
#include "limits.hpp"
#include "log_lines.hpp"
#include "open_streams.hpp"
#include "reading.hpp"
#include "recorders.hpp"
#include "spaces.hpp"
#include "waiting.hpp"
#include "writing.hpp"

NB_MODULE(_core, module) {
    namespace py = staithe::python;
    module.doc() = "The C++ library, as the package staithe uses it.";
    nanobind::set_leak_warnings(false);  // users may end a program with streams open
    py::watch_for_signals();
    py::bind_log_lines(module);  // before watch_process: at the end of Python what comes first is undone last
    py::watch_process();
    py::bind_errors(module);
    py::bind_open_streams(module);
    py::bind_groups(module);
    py::bind_writer(module);
    auto write_step = py::bind_write_step(module);
    py::bind_loan(module, write_step);
    py::bind_reader(module);
    py::bind_variable(module);
    py::bind_step(module);
    py::bind_running_reduction(module);
    py::bind_recorders(module);
    py::bind_inspect(module);
    py::bind_spaces(module);
    py::bind_limits(module);
    py::bind_codecs(module);
    py::explain_wrong_calls(module);
}
