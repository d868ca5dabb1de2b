#include "space_locks.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "numpy.hpp"
#include "selection.hpp"
#include "values.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

/// A loan and the array over it, which keeps the memory mapped but not the loan.
class SpaceLoanObject {
  public:
    explicit SpaceLoanObject(SpaceLoan loan)
        : loan_(std::move(loan)), array_(wrap_writable(loan_->array(), loan_->owner())) {}

    [[nodiscard]] nb::object array() const { return array_; }

    /// The loan, whose memory is not this program's to write to any more.
    SpaceLoan end() {
        if (!loan_) {
            throw Closed("this loan is over: take a new one");
        }
        freeze(array_);
        SpaceLoan ending = *std::move(loan_);
        loan_.reset();
        return ending;
    }

  private:
    std::optional<SpaceLoan> loan_;
    nb::object array_;
};

SpaceLoanObject lend(Space& space, const std::string& variable, nb::handle box, std::optional<std::int64_t> version,
                     nb::handle shape, nb::handle dtype, std::optional<std::string> unit, nb::handle attributes,
                     bool complete, bool persist, std::optional<double> timeout) {
    SpaceLend options{.box = box_or_none(box),
                      .version = version,
                      .unit = std::move(unit),
                      .attributes = attributes_from_python(attributes),
                      .complete = complete,
                      .persist = persist,
                      .timeout = timeout};
    if (!dtype.is_none()) {
        options.dtype = dtype_from(dtype, {&variable});
    }
    if (!shape.is_none()) {
        options.shape = extents_from(shape, "shape");
    }
    return SpaceLoanObject(without_gil([&] { return space.loan(variable, options); }));
}

}  // namespace

void bind_space_locks(nb::module_& module, nb::class_<Space>& space) {
    nb::class_<SpaceLock>(module, "SpaceLock", "A lock, as staithe.space_locks wraps it.")
        .def("release", [](SpaceLock& self) { without_gil([&] { self.release(); }); }, "Releases it.");
    nb::class_<SpaceLoanObject>(module, "SpaceLoan", "A block that is lent, as staithe.space_locks wraps it.")
        .def_prop_ro("array", &SpaceLoanObject::array, nb::sig("def array(self) -> numpy.typing.NDArray[typing.Any]"),
                     "To compute in.")
        .def(
            "give_back",
            [](SpaceLoanObject& self) {
                SpaceLoan ending = self.end();
                without_gil([&] { const SpaceLoan last = std::move(ending); });
            },
            "Ends it without a put.");
    space
        .def(
            "lock",
            [](Space& self, const std::string& name, bool writes, nb::handle box, std::optional<double> timeout,
               double lease) {
                const SpaceLockOptions options{.box = box_or_none(box), .timeout = timeout, .lease = lease};
                const auto mode = writes ? SpaceLockMode::write : SpaceLockMode::read;
                return without_gil([&] { return self.lock(name, mode, options); });
            },
            "name"_a, nb::kw_only(), "writes"_a, "box"_a.none(), "timeout"_a.none(), "lease"_a,
            nb::sig("def lock(self, name: str, *, writes: bool, box: object, timeout: float | None, lease: float) -> "
                    "SpaceLock"),
            "Takes a lock.")
        .def("lend", &lend, "name"_a, nb::kw_only(), "box"_a.none(), "version"_a.none(), "shape"_a.none(),
             "dtype"_a.none(), "unit"_a.none(), "attributes"_a.none(), "complete"_a, "persist"_a, "timeout"_a.none(),
             "Lends a block.")
        .def(
            "publish",
            [](Space& self, SpaceLoanObject& loan) {
                SpaceLoan ending = loan.end();
                return without_gil([&] { return self.publish(std::move(ending)); });
            },
            "loan"_a, "Puts a block that was lent.");
}

}  // namespace staithe::python
