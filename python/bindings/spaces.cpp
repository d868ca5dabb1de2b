// The Python classes Space and Server, as C++ has them: staithe.spaces puts the public face on them.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include <staithe/server.hpp>
#include <staithe/space.hpp>

#include "numpy.hpp"
#include "selection.hpp"
#include "space_batches.hpp"
#include "space_calls.hpp"
#include "space_locks.hpp"
#include "spaces.hpp"
#include "values.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
SpacePut what_is_said(nb::handle offset, nb::handle shape, std::optional<std::int64_t> version, std::string unit,
                      nb::handle attributes, bool complete, std::optional<bool> overlap, bool persist) {
    SpacePut options{.version = version,
                     .unit = std::move(unit),
                     .attributes = attributes_from_python(attributes),
                     .complete = complete,
                     .overlap = overlap,
                     .persist = persist};
    if (!offset.is_none()) {
        options.offset = extents_from(offset, "offset");
    }
    if (!shape.is_none()) {
        options.shape = extents_from(shape, "shape");
    }
    return options;
}

SpaceGet what_to_get(std::optional<std::int64_t> version, nb::handle box, std::optional<double> timeout) {
    return {.version = version, .box = box_or_none(box), .timeout = timeout};
}

namespace {

std::int64_t put_block(Space& space, const std::string& variable, nb::handle array, nb::handle offset, nb::handle shape,
                       std::optional<std::int64_t> version, std::string unit, nb::handle attributes, bool complete,
                       std::optional<bool> overlap, bool persist) {
    const InputArray input = input_array(array, {&variable});
    const SpacePut options =
        what_is_said(offset, shape, version, std::move(unit), attributes, complete, overlap, persist);
    return without_gil([&] { return space.put(variable, input.view, options); });
}

nb::list list_of(const std::vector<Box>& boxes) {
    nb::list list;
    for (const Box& box : boxes) {
        list.append(to_python(box));
    }
    return list;
}

nb::object get_array(const Space& space, const std::string& variable, std::optional<std::int64_t> version,
                     nb::handle box, std::optional<double> timeout, std::optional<std::int64_t> completion) {
    SpaceGet options = what_to_get(version, box, timeout);
    options.completion = completion;
    SpaceArray array = without_gil([&] { return space.get(variable, options); });
    return wrap(array.view.array, std::move(array.view.owner));
}

void get_into(const Space& space, const std::string& variable, nb::handle out, std::optional<std::int64_t> version,
              nb::handle box, std::optional<double> timeout) {
    const SpaceGet options = what_to_get(version, box, timeout);
    const MutableArrayView destination = output_array(out);
    without_gil([&] { space.read(variable, destination, options); });
}

nb::object reduce(const Space& space, const std::string& variable, const std::string& how,
                  std::optional<std::vector<std::int64_t>> axes, std::optional<std::int64_t> version, nb::handle box,
                  std::optional<double> timeout) {
    const SpaceReduce options{std::move(axes), what_to_get(version, box, timeout)};
    SpaceReduction reduced = without_gil([&] { return space.reduce(variable, how, options); });
    return scalar_if_0d(wrap(reduced.view.array, std::move(reduced.view.owner)));
}

nb::object version_listed(const SpaceVersion& version, nb::handle make) {
    return make(version.version, version.complete, version.blocks, version.bytes, dtype_object(version.dtype),
                to_python(version.shape), version.unit, read_only(version.attributes), version.completion);
}

}  // namespace

void bind_spaces(nb::module_& module) {
    nb::class_<SpaceQueryResult>(module, "SpaceQueryResult",
                                 "Where a condition holds, as staithe.space_results has it.")
        .def_ro("version", &SpaceQueryResult::version, "Of which version.")
        .def_ro("variables", &SpaceQueryResult::variables, "That the condition names.")
        .def_ro("completions", &SpaceQueryResult::completions, "Of the version, for each of the variables.")
        .def_ro("elements", &SpaceQueryResult::elements, "How many match.")
        .def_prop_ro(
            "boxes", [](const SpaceQueryResult& self) { return list_of(self.boxes); },
            nb::sig("def boxes(self) -> list[staithe.box.Box]"), "That they are in.")
        .def(
            "__getstate__",
            [](const SpaceQueryResult& self) {
                return nb::make_tuple(self.version, self.variables, self.completions, self.elements,
                                      list_of(self.boxes));
            },
            nb::sig("def __getstate__(self) -> tuple[typing.Any, ...]"), "To be pickled.")
        .def(
            "__setstate__",
            [](SpaceQueryResult& self, const nb::tuple& state) {
                new (&self) SpaceQueryResult{nb::cast<std::int64_t>(state[0]),
                                             nb::cast<std::vector<std::string>>(state[1]),
                                             {},
                                             nb::cast<std::int64_t>(state[3]),
                                             nb::cast<std::vector<std::int64_t>>(state[2])};
                for (const nb::handle box : nb::cast<nb::list>(state[4])) {
                    self.boxes.push_back(box_from(box));
                }
            },
            nb::sig("def __setstate__(self, state: tuple[typing.Any, ...]) -> None"), "From that.");
    nb::class_<Space> space(module, "Space", "A space, as staithe.spaces wraps it.");
    space.def_prop_ro("name", &Space::name, "Its name.")
        .def_prop_ro("kept_by", &Space::kept_by, "Who keeps it.")
        .def("put", &put_block, "name"_a, "array"_a, nb::kw_only(), "offset"_a.none(), "shape"_a.none(),
             "version"_a.none(), "unit"_a, "attributes"_a.none(), "complete"_a, "overlap"_a.none(), "persist"_a = false,
             "Puts a block.")
        .def("get", &get_array, "name"_a, nb::kw_only(), "version"_a.none(), "box"_a.none(), "timeout"_a.none(),
             "completion"_a.none() = nb::none(),
             nb::sig("def get(self, name: str, *, version: int | None, box: object, timeout: float | None, completion: "
                     "int | None = None) -> numpy.typing.NDArray[typing.Any]"),
             "Gets an array.")
        .def(
            "get_into", &get_into, "name"_a, "out"_a, nb::kw_only(), "version"_a.none(), "box"_a.none(),
            "timeout"_a.none(),
            nb::sig("def get_into(self, name: str, out: numpy.typing.NDArray[typing.Any], *, version: int | None, box: "
                    "object, timeout: float | None) -> None"),
            "Gets the elements into an array.")
        .def(
            "reduce", &reduce, "name"_a, "how"_a, nb::kw_only(), "axes"_a.none(), "version"_a.none(), "box"_a.none(),
            "timeout"_a.none(),
            nb::sig("def reduce(self, name: str, how: str, *, axes: collections.abc.Sequence[int] | None, version: int "
                    "| None, box: object, timeout: float | None) -> typing.Any"),
            "Reduces an array.")
        .def(
            "blocks",
            [](const Space& self, const std::string& name, std::optional<std::int64_t> version, nb::handle box,
               std::optional<double> timeout) {
                const SpaceGet options = what_to_get(version, box, timeout);
                return list_of(without_gil([&] { return self.blocks(name, options); }));
            },
            "name"_a, nb::kw_only(), "version"_a.none(), "box"_a.none(), "timeout"_a.none(),
            nb::sig("def blocks(self, name: str, *, version: int | None, box: object, timeout: float | None) -> "
                    "list[staithe.box.Box]"),
            "The pieces that an array is put together of.")
        .def(
            "names",
            [](const Space& self, const std::string& pattern) {
                return without_gil([&] { return self.names(pattern); });
            },
            "pattern"_a, "The names of variables.")
        .def(
            "containers",
            [](const Space& self, const std::string& pattern) {
                return without_gil([&] { return self.containers(pattern); });
            },
            "pattern"_a, "The names of containers.")
        .def(
            "remove_container",
            [](Space& self, const std::string& path) {
                return without_gil([&] { return self.remove_container(path); });
            },
            "path"_a, "Removes all variables in it.")
        .def(
            "set_attributes",
            [](Space& self, const std::string& path, nb::handle attributes) {
                const Attributes changed = attributes_from_python(attributes);
                without_gil([&] { self.set_attributes(path, changed); });
            },
            "path"_a, "attributes"_a, "Sets attributes of a container.")
        .def(
            "attributes",
            [](const Space& self, const std::string& path) {
                return to_python(without_gil([&] { return self.attributes(path); }));
            },
            "path"_a, nb::sig("def attributes(self, path: str) -> dict[str, typing.Any]"),
            "The attributes of a container.")
        .def(
            "versions",
            [](const Space& self, const std::string& name, nb::handle make) {
                nb::list list;
                for (const SpaceVersion& version : without_gil([&] { return self.versions(name); })) {
                    list.append(version_listed(version, make));
                }
                return list;
            },
            "name"_a, "make"_a,
            nb::sig("def versions(self, name: str, make: type[staithe.space_results.Version]) -> "
                    "list[staithe.space_results.Version]"),
            "The versions of a variable.")
        .def(
            "query",
            [](const Space& self, const std::string& condition, std::optional<std::int64_t> version,
               std::optional<std::int64_t> most) {
                return without_gil([&] { return self.query(condition, {.version = version, .most = most}); });
            },
            "condition"_a, "version"_a.none(), "most"_a.none(),
            nb::sig("def query(self, condition: str, version: int | None, most: int | None) -> SpaceQueryResult"),
            "Where a condition holds.")
        .def(
            "values",
            [](const Space& self, const SpaceQueryResult& hits, const std::string& name) {
                SpaceArray array = without_gil([&] { return self.values(hits, name); });
                return wrap(array.view.array, std::move(array.view.owner));
            },
            "hits"_a, "name"_a,
            nb::sig("def values(self, hits: SpaceQueryResult, name: str) -> numpy.typing.NDArray[typing.Any]"),
            "The elements that match.")
        .def(
            "remove",
            [](Space& self, const std::string& name, std::optional<std::int64_t> version) {
                without_gil([&] { self.remove(name, version); });
            },
            "name"_a, "version"_a.none(), "Removes a version, or the variable.")
        .def(
            "keep",
            [](Space& self, const std::string& name, std::optional<std::int64_t> versions,
               std::optional<std::int64_t> bytes, std::optional<double> seconds) {
                without_gil([&] { self.keep(name, {.versions = versions, .bytes = bytes, .seconds = seconds}); });
            },
            "name"_a, "versions"_a.none(), "bytes"_a.none(), "seconds"_a.none(), "Which versions are kept.")
        .def("close", &Space::close, "Lets go of it.");
    bind_space_locks(module, space);
    bind_space_batches(module, space);
    bind_space_calls(module, space);
    nb::class_<Server>(module, "Server", "A server of spaces: it answers until it goes.")
        .def(
            "describe", [](const Server& self) { return to_python(without_gil([&] { return self.describe(); })); },
            nb::sig("def describe(self) -> dict[str, typing.Any]"), "What it has.")
        .def("is_dismissed", &Server::is_dismissed, "It has been drained.")
        .def("fileno", &Server::dismissal, "A descriptor that is readable once it has been.");
    module.def(
        "open_space",
        [](const std::string& name, int rank, int size, std::optional<double> timeout,
           std::optional<std::string> server) {
            SpaceOptions options{.timeout = timeout, .server = std::move(server)};
            options.group.rank = rank;
            options.group.size = size;
            return without_gil([&] { return std::make_unique<Space>(name, options); });
        },
        "name"_a, "rank"_a, "size"_a, "timeout"_a.none(), "server"_a.none(), "Opens a space.");
    module.def(
        "open_server",
        [](const std::string& name, int rank, int size, std::optional<std::string> listen,
           std::optional<std::string> spill, std::optional<std::int64_t> spill_bytes, std::optional<int> cores,
           int replicas) {
            return without_gil([&] {
                return std::make_unique<Server>(ServerOptions{name,
                                                              {.rank = rank, .size = size},
                                                              std::move(listen),
                                                              std::move(spill),
                                                              spill_bytes,
                                                              cores,
                                                              replicas});
            });
        },
        "name"_a, "rank"_a = 0, "size"_a = 1, "listen"_a = nb::none(), "spill"_a = nb::none(),
        "spill_bytes"_a = nb::none(), "cores"_a = nb::none(), "replicas"_a = 1, "Opens a server.");
    [[maybe_unused]] const nb::class_<DeviceServer> device(module, "DeviceServer",
                                                           "A process that encodes for others, until it goes.");
    module.def(
        "open_device",
        [](const std::string& name, std::optional<std::string> listen, std::optional<int> cores) {
            return without_gil(
                [&] { return std::make_unique<DeviceServer>(DeviceOptions{name, std::move(listen), cores}); });
        },
        "name"_a, "listen"_a = nb::none(), "cores"_a = nb::none(), "Opens a device.");
    module.def(
        "describe_devices",
        [](const std::optional<std::string>& address, double timeout) {
            const auto devices = without_gil([&] { return describe_devices(address, timeout); });
            return to_python(List(devices.begin(), devices.end()));
        },
        "address"_a = nb::none(), "timeout"_a = 5.0,
        nb::sig("def describe_devices(address: str | None = None, timeout: float = 5.0) -> list[dict[str, "
                "typing.Any]]"),
        "What the devices say of themselves.");
    module.def(
        "describe_server",
        [](const std::string& name, double timeout) {
            return to_python(without_gil([&] { return describe_server(name, timeout); }));
        },
        "name"_a, "timeout"_a, nb::sig("def describe_server(name: str, timeout: float) -> dict[str, typing.Any]"),
        "What a server says of itself.");
    module.def(
        "drain_server",
        [](const std::string& name, bool drops_kept, double timeout) {
            return without_gil([&] { return drain_server(name, drops_kept, timeout); });
        },
        "name"_a, "drops_kept"_a, "timeout"_a, "Lets a server take in no more; what somebody needs of it, or it goes.");
    module.def(
        "server_names",
        [](const std::optional<std::string>& address) { return without_gil([&] { return server_names(address); }); },
        "address"_a = nb::none(), "The servers that there are.");
}

}  // namespace staithe::python
