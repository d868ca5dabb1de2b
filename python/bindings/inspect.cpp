#include "inspect.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include <staithe/inspect.hpp>
#include <staithe/version.hpp>

#include "values.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

void bind_inspect(nb::module_& module) {
    module.attr("VERSION") = STAITHE_VERSION;
    module.def("run_directory", &run_directory, "Where this process looks for streams.");
    module.def(
        "stream_names",
        [](const std::optional<std::string>& address, double timeout) {
            return without_gil([&] { return stream_names(address, timeout); });
        },
        "address"_a.none() = nb::none(), "timeout"_a = 5.0, "The names of the streams that are open now.");
    module.def(
        "describe",
        [](const std::string& stream, double timeout) {
            return to_python(without_gil([&] { return describe(stream, timeout); }));
        },
        "stream"_a, "timeout"_a, nb::sig("def describe(stream: str, timeout: float) -> dict[str, typing.Any]"),
        "What a stream's director says of it.");
}

}  // namespace staithe::python
