#include "limits.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>

#include <staithe/limits.hpp>

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

void bind_limits(nb::module_& module) {
    using Amount = std::optional<std::int64_t>;
    module.def(
        "parse_bytes", [](const std::string& text) { return parse_bytes(text); }, "text"_a,
        "Bytes from a text such as \"256 MiB\".");
    module.def(
        "set_limits",
        [](Amount memory, Amount descriptors, Amount connections, Amount bytes_in_flight, Amount prefetch) {
            set_limits({memory, descriptors, connections, bytes_in_flight, prefetch});
        },
        "memory"_a = nb::none(), "descriptors"_a = nb::none(), "connections"_a = nb::none(),
        "bytes_in_flight"_a = nb::none(), "prefetch"_a = nb::none(),
        nb::sig("def set_limits(memory: int | None = None, descriptors: int | None = None, "
                "connections: int | None = None, bytes_in_flight: int | None = None, prefetch: int | None = None) -> "
                "None"),
        "Replace the limits that were set before.");
    module.def(
        "limits",
        [] {
            const Limits now = limits();
            return nb::make_tuple(now.memory, now.descriptors, now.connections, now.bytes_in_flight, now.prefetch);
        },
        nb::sig("def limits() -> tuple[int | None, int | None, int | None, int | None, int | None]"),
        "The limits that hold, in the order of set_limits.");
    module.def(
        "usage",
        [] {
            const Usage now = usage();
            return nb::make_tuple(now.memory, now.descriptors, now.connections, now.bytes_in_flight, now.prefetch);
        },
        nb::sig("def usage() -> tuple[int, int, int, int, int]"),
        "What this process holds, in the order of set_limits.");
}

}  // namespace staithe::python
