// The Python class RunningReduction.
#include <staithe/running_reduction.hpp>

#include <nanobind/stl/string.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "numpy.hpp"
#include "reading.hpp"
#include "selection.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

/// For threads, which take turns.
class RunningReductionObject {
  public:
    RunningReductionObject(const std::string& how, nb::handle axis) : axes_(axes_from(axis)), running_(how) {}

    void add(const VariableObject& variable, nb::handle selection) {
        const auto next = variable.to_reduce(all_if_none(selection), axes_);
        without_gil([&] {
            const std::lock_guard turn(mutex_);
            running_.add(next.variable, next.selection, next.axes);
        });
    }
    [[nodiscard]] nb::object result() const {
        View view = without_gil([&] {
            const std::lock_guard turn(mutex_);
            return running_.result();
        });
        return scalar_if_0d(wrap(view.array, std::move(view.owner)));
    }
    [[nodiscard]] std::int64_t steps() const {
        return without_gil([&] {
            const std::lock_guard turn(mutex_);
            return running_.steps();
        });
    }

  private:
    std::optional<Extents> axes_;  // of what is selected each time
    mutable std::mutex mutex_;
    RunningReduction running_;
};

}  // namespace

void bind_running_reduction(nb::module_& module) {
    nb::class_<RunningReductionObject>(module, "RunningReduction",
                                       R"doc(What becomes of the elements of many steps, as they come.

Such as the mean of a field over time::

    mean = staithe.RunningReduction("mean", axis=())
    for step in staithe.reader("melt"):
        mean.add(step["T"])
    field = mean.result()

Each step's elements are looked at where they lie, as `Variable.reduce` does it, and none is kept: what is kept is as large
as the result, for "var" and "std" three times that. Threads may share one, and take turns.

Args:
    how: "sum", "mean", "min", "max", "var", "std", or "histogram(BINS, LEAST, GREATEST)".
    axis: the dimension of what is added that goes, or several; (): none, so that each element has a result of its own, over
        time; None: all, so that all elements of all steps have one.

Raises:
    InvalidArgument: there is no such reduction, or `axis` is made of something else than whole numbers.)doc")
        .def(
            "__init__",
            [](RunningReductionObject* self, const std::string& how, nb::handle axis) {
                new (self) RunningReductionObject(how, axis);
            },
            "how"_a, nb::kw_only(), "axis"_a = nb::none(),
            nb::sig("def __init__(self, how: staithe.typing.Reduction, *, "
                    "axis: int | collections.abc.Sequence[int] | None = None) -> None"))
        .def("add", &RunningReductionObject::add, "variable"_a, "selection"_a = nb::none(),
             nb::sig("def add(self, variable: Variable, selection: staithe.typing.Selection | None = None) -> None"),
             R"(Add the selected elements of a step's variable, or of a derived one.

Args:
    variable: of any stream or recording. Its shape may be another one each time along the dimensions that go; none of its
        elements are needed.
    selection: as for `Variable.reduce`.

Raises:
    InvalidArgument: the dtype, or the shape of what becomes of it, is another one than before; and as by
        `Variable.reduce`. Nothing was added then, nor after any other error.
    NotFound, PeerLost, Timeout, Closed: as by indexing.)")
        .def("result", &RunningReductionObject::result, nb::sig("def result(self) -> typing.Any"),
             R"(What has become of all that was added so far; more can be added then.

Returns:
    A read-only array of its own, or a scalar: as of `Variable.reduce`, of the elements of all steps.

Raises:
    InvalidArgument: nothing was added; or no elements, of which there are but sums and histograms.)")
        .def_prop_ro("steps", &RunningReductionObject::steps, "How many times something was added.");
}

}  // namespace staithe::python
