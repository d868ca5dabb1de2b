#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <utility>

#include "names.hpp"
#include "numpy.hpp"
#include "selection.hpp"
#include "waiting.hpp"
#include "writing.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

/// A loan and the array over it. The array keeps the memory mapped, but not the loan: that ends with the block.
class LoanObject {
  public:
    LoanObject(StepReference step, std::string variable, Loan loan)
        : step_(std::move(step)), variable_(std::move(variable)), loan_(std::move(loan)) {}

    nb::object enter() {
        if (!loan_ || array_.is_valid()) {
            throw Closed("the loan of '" + variable_ + "' was used before: take a new one");
        }
        array_ = wrap_writable(loan_->array(), loan_->owner());
        return array_;
    }

    void exit(bool publish) {
        if (!loan_) {
            return;
        }
        Loan ending = std::move(*loan_);
        loan_.reset();
        if (array_.is_valid()) {
            // From here on the memory is the readers' or another block's.
            freeze(array_);
            array_.reset();
        }
        if (publish) {
            const Entered entered(step_.writer().turn());
            step_.open_step().publish(std::move(ending));
        }
    }

    [[nodiscard]] std::string describe() const {
        return "<staithe.Loan of " + quoted(variable_) + " in step " + std::to_string(step_.index()) +
               (loan_ ? ">" : ", over>");
    }

  private:
    StepReference step_;
    std::string variable_;
    std::optional<Loan> loan_;
    nb::object array_;
};

LoanObject loan(const WriteStepObject& step, std::string name, nb::handle count, nb::handle shape, nb::handle offset,
                nb::handle dtype, std::optional<std::string> unit, nb::handle attrs, nb::handle error) {
    static_cast<void>(step.open_step());  // where it is over, say so first
    if (count.is_none() && shape.is_none()) {
        throw InvalidArgument("the loan of '" + name + "' needs a count: the shape of the block to lend");
    }
    const PutOptions options = put_options(name, offset, shape, std::move(unit), attrs, error);
    const Extents block = count.is_none() ? *options.shape : extents_from(count, "count");
    const Dtype element = dtype_from(dtype, {&name});
    const Entered entered(step.writer().turn());
    Loan lent = step.open_step().loan(name, element, block, options);
    return {static_cast<const StepReference&>(step), std::move(name), std::move(lent)};
}

}  // namespace

void bind_loan(nb::module_& module, nb::class_<WriteStepObject>& write_step) {
    nb::class_<LoanObject>(module, "Loan", nb::pooled(),
                           R"(A block lent by the stream to compute into. Made by `WriteStep.loan`.

``with step.loan(...) as array:`` gives the array, whose content is undefined at first. When the ``with`` block ends it
is published without a copy, and must not be used any more; when an exception leaves it, the memory goes back.)")
        .def("__enter__", &LoanObject::enter, nb::sig("def __enter__(self) -> numpy.typing.NDArray[typing.Any]"))
        .def(
            "__exit__",
            [](LoanObject& loan, nb::handle type, nb::handle /*value*/, nb::handle /*traceback*/) {
                loan.exit(type.is_none());
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def __exit__(self, *exception: object) -> None"))
        .def("__repr__", &LoanObject::describe);

    write_step.def("loan", &loan, "name"_a, nb::kw_only(), "count"_a = nb::none(), "shape"_a = nb::none(),
                   "offset"_a = nb::none(), "dtype"_a = "f8", "unit"_a = nb::none(), "attrs"_a = nb::none(),
                   "error"_a = nb::none(),
                   nb::sig("def loan(self, name: str, *, count: staithe.typing.Extents | None = None, "
                           "shape: staithe.typing.Extents | None = None, offset: staithe.typing.Extents | None = None, "
                           "dtype: numpy.typing.DTypeLike = 'f8', unit: str | None = None, "
                           "attrs: staithe.typing.Attributes | None = None, error: str | None = None) -> Loan"),
                   R"(Memory of the stream to compute a block in: publishing it copies nothing.

Args:
    name: the variable.
    count: the shape of the block; that of the whole variable if None.
    shape: the shape of the whole variable, as for `put`.
    offset: where the block lies in the variable, as for `put`.
    dtype: anything np.dtype takes.
    unit: the unit of the values, as a text.
    attrs: attributes of the variable.
    error: by how much the values may be off at a reader of another host, as for `put`.

Returns:
    A context manager that gives a writable array, dense in C order, of undefined content. It is published when the
    ``with`` block ends, and given back when an exception leaves it.

Raises:
    InvalidArgument: dtype, count, offset and shape do not go together.
    LimitReached: there is no shared memory left.
    Closed: the step is over.)");
}

}  // namespace staithe::python
