#include "space_batches.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "numpy.hpp"
#include "values.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

void put_in_batch(SpaceBatch& batch, const std::string& variable, nb::handle array, nb::handle offset, nb::handle shape,
                  std::optional<std::int64_t> version, std::string unit, nb::handle attributes, bool complete,
                  std::optional<bool> overlap, bool persist) {
    const InputArray input = input_array(array, {&variable});
    const SpacePut options =
        what_is_said(offset, shape, version, std::move(unit), attributes, complete, overlap, persist);
    without_gil([&] { batch.put(variable, input.view, options); });
}

SpaceBatchGet get_in_batch(SpaceBatch& batch, const std::string& variable, std::optional<std::int64_t> version,
                           nb::handle box) {
    const SpaceGet options = what_to_get(version, box, std::nullopt);
    return without_gil([&] { return batch.get(variable, options); });
}

nb::object array_of(const SpaceBatchGet& got) {
    SpaceArray array = without_gil([&] { return got.get(); });
    return wrap(array.view.array, std::move(array.view.owner));
}

nb::list failures_of(const SpaceBatch& batch) {
    nb::list list;
    for (const SpacePutFailure& failure : batch.failures()) {
        list.append(nb::make_tuple(failure.place, failure.variable, failure.version, failure.message));
    }
    return list;
}

}  // namespace

void bind_space_batches(nb::module_& module, nb::class_<Space>& space) {
    nb::class_<SpaceBatchGet>(module, "SpaceBatchGet", "What a batch is to get, as staithe.space_batches wraps it.")
        .def("result", &array_of, nb::sig("def result(self) -> numpy.typing.NDArray[typing.Any]"),
             "The array, for which the batch is sent if need be.");
    nb::class_<SpaceBatch>(module, "SpaceBatch", "Blocks that are put together, as staithe.space_batches wraps them.")
        .def("put", &put_in_batch, "name"_a, "array"_a, nb::kw_only(), "offset"_a.none(), "shape"_a.none(),
             "version"_a.none(), "unit"_a, "attributes"_a.none(), "complete"_a, "overlap"_a.none(), "persist"_a = false,
             "Puts a block.")
        .def("get", &get_in_batch, "name"_a, nb::kw_only(), "version"_a.none(), "box"_a.none(),
             nb::sig("def get(self, name: str, *, version: int | None, box: object) -> SpaceBatchGet"),
             "Gets an array.")
        .def(
            "send", [](SpaceBatch& self) { without_gil([&] { self.send(); }); }, "Sends what is left.")
        .def_prop_ro("pending", &SpaceBatch::pending, "Blocks, and gets, that are not sent yet.")
        .def("failures", &failures_of, nb::sig("def failures(self) -> list[tuple[int, str, int | None, str]]"),
             "What was refused of what was sent last.");
    nb::class_<SpaceWatch>(module, "SpaceWatch", "Versions as they are completed, as staithe.space_watches wraps it.")
        .def("next", [](SpaceWatch& self) { return without_gil([&] { return self.next(); }); }, "The next one.");
    space.def(
        "watch",
        [](const Space& self, const std::string& name, bool oldest, std::optional<double> timeout) {
            return without_gil([&] { return self.watch(name, {.oldest = oldest, .timeout = timeout}); });
        },
        "name"_a, "oldest"_a, "timeout"_a.none(), "To see versions as they are completed.");
    space.def(
        "batch", [](Space& self) { return without_gil([&] { return self.batch(); }); }, "To put many small blocks.");
}

}  // namespace staithe::python
