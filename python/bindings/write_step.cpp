#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <exception>
#include <optional>
#include <utility>

#include "devices.hpp"
#include "names.hpp"
#include "numpy.hpp"
#include "selection.hpp"
#include "values.hpp"
#include "waiting.hpp"
#include "writing.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

namespace {

nb::module_ labelled_module() { return nb::module_::import_("staithe.labelled"); }

}  // namespace

nb::handle WriteStepObject::coordinates() {
    if (!coordinates_.is_valid()) {
        coordinates_ = labelled_module().attr("Coordinates")(writer().group().rank);
    }
    return coordinates_;
}

WriteStepObject::~WriteStepObject() {
    if (is_open()) {
        try {
            abandon();
        } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): nobody is left who could act on it
        }
    }
}

PutOptions put_options(const std::string& variable, nb::handle offset, nb::handle shape,
                       std::optional<std::string> unit, nb::handle attrs, nb::handle error) {
    PutOptions options;
    if (!offset.is_none()) {
        options.offset = extents_from(offset, "offset");
    }
    if (!shape.is_none()) {
        options.shape = extents_from(shape, "shape");
    }
    options.unit = std::move(unit).value_or("");
    try {
        options.attributes = attributes_from_python(attrs);
        options.error = bound_from_python(error);
    } catch (const InvalidArgument& error) {
        throw InvalidArgument(Subject{&variable}.text() + ": " + error.what());
    }
    return options;
}

namespace {

/// The attributes of a step that is being written: they can be set, and that is all.
class StepAttributes : public StepReference {
  public:
    explicit StepAttributes(StepReference step) : StepReference(std::move(step)) {}
};

bool may_be_masked(nb::handle array) {
    return is_derived_array(array) || PyList_Check(array.ptr()) || PyTuple_Check(array.ptr());
}

/// The array that is put in its place if it is masked; the value that stands for what was is noted in the attributes.
nb::object without_mask(nb::handle array, nb::handle fill, const std::string& name, Attributes& attributes) {
    const nb::object both = nb::module_::import_("staithe.masks").attr("filled")(array, fill, Subject{&name}.text());
    if (!fill.is_none() && !attributes.emplace("_FillValue", value_from_python(both[1], "_FillValue")).second) {
        throw InvalidArgument("variable " + quoted(name) + ": give fill= or the attribute _FillValue, not both");
    }
    return both[0];
}

/// Whether it is neither labelled nor on a device, as the types tell that most arrays have.
bool is_plain(nb::handle array) {
    return is_array(array) || PyList_Check(array.ptr()) || PyTuple_Check(array.ptr()) || PyFloat_Check(array.ptr()) ||
           PyLong_Check(array.ptr());
}

nb::object to_python(const std::optional<Extents>& extents) {
    return extents ? nb::object(python::to_python(*extents)) : nb::none();
}

/// The copy may be under way when this returns.
void put_from_device(const StepReference& step, const std::string& name, nb::handle on_device, PutOptions&& options,
                     nb::handle fill) {
    if (!fill.is_none()) {  // devices have no masked arrays: it only names the value
        const nb::object none = new_array(dtype_from(on_device.attr("dtype"), {&name}), {0});
        static_cast<void>(without_mask(none, fill, name, options.attributes));
    }
    const Entered entered(step.writer().turn());
    OpenStep& open = step.writer().open_step(step.index());
    put_from_device(open.step, open.arrivals, name, on_device, std::move(options));
}

using Self = nb::pointer_and_handle<WriteStepObject>;

void put(Self self, const std::string& name, nb::handle array, nb::handle offset, nb::handle shape,
         std::optional<std::string> unit, nb::handle attrs, nb::handle fill, nb::handle error) {
    if (array.is_none()) {
        throw InvalidArgument("variable " + quoted(name) + " would be None: leave out of a step what is not there");
    }
    static_cast<void>(self.p->open_step());  // where it is over, say so first
    PutOptions options = put_options(name, offset, shape, unit, attrs, error);
    if (!is_plain(array)) {
        if (nb::cast<bool>(labelled_module().attr("put")(self.h, self.p->coordinates(), name, array,
                                                         to_python(options.offset), to_python(options.shape), unit,
                                                         attrs, fill, error))) {
            return;
        }
        if (const nb::object on_device = device_array(array, name); !on_device.is_none()) {
            put_from_device(*self.p, name, on_device, std::move(options), fill);
            return;
        }
    }
    nb::object plain = nb::borrow(array);
    if (!fill.is_none() || may_be_masked(array)) {
        plain = without_mask(array, fill, name, options.attributes);
    }
    const InputArray input = input_array(plain, {&name});
    const bool is_long = size_in_bytes(input.view.shape, input.view.dtype).value_or(0) >= long_copy_bytes;
    const Entered entered(self.p->writer().turn());
    WriteStep& open = self.p->open_step();  // only now: what the user's code above has done may have ended it
    without_gil_if(is_long, [&] { open.put(name, input.view, options); });
}

void put_shortly(Self self, const std::string& name, nb::handle array) {
    put(self, name, array, nb::none(), nb::none(), std::nullopt, nb::none(), nb::none(), nb::none());
}

void put_dataset(Self self, nb::handle dataset, nb::handle offset, nb::handle shape) {
    (void)self.p->open_step();
    labelled_module().attr("put_dataset")(self.h, self.p->coordinates(), dataset, offset, shape);
}

void set(const StepAttributes& step, const std::string& name, Value value) {
    const Entered entered(step.writer().turn());
    step.open_step().set_attribute(name, std::move(value));
}

void set_attribute(const StepAttributes& step, const std::string& name, nb::handle value) {
    set(step, name, value_from_python(value, name));
}

void set_attributes(const StepAttributes& step, nb::handle mapping) {
    for (auto& [name, value] : attributes_from_python(mapping)) {
        set(step, name, std::move(value));
    }
}

std::string describe(const StepReference& step, const char* what) {
    if (!step.was_opened()) {
        return std::string("<staithe.") + what + " of '" + step.writer().name() + "', to be opened>";
    }
    return std::string("<staithe.") + what + " " + std::to_string(step.index()) + " of '" + step.writer().name() + "'" +
           (step.is_open() ? ">" : ", over>");
}

}  // namespace

nb::class_<WriteStepObject> bind_write_step(nb::module_& module) {
    nb::class_<StepAttributes>(module, "StepAttributes", "The attributes of a step that is being written.",
                               nb::pooled())
        .def("__setitem__", &set_attribute, "name"_a, "value"_a.none(),
             nb::sig("def __setitem__(self, name: str, value: staithe.typing.Attribute) -> None"))
        .def("update", &set_attributes, "attributes"_a,
             nb::sig("def update(self, attributes: staithe.typing.Attributes) -> None"), "Set all of these.")
        .def("__repr__", [](const StepAttributes& step) { return describe(step, "StepAttributes"); });

    nb::class_<WriteStepObject> write_step(module, "WriteStep", nb::pooled(),
                                           R"(A step that is being written: readers see all of it or none.

Made by `Writer.step`, as ``with out.step() as step:``.)");
    write_step
        .def("put", &put, "name"_a, "array"_a.none(), nb::kw_only(), "offset"_a = nb::none(), "shape"_a = nb::none(),
             "unit"_a = nb::none(), "attrs"_a = nb::none(), "fill"_a = nb::none(), "error"_a = nb::none(),
             nb::sig("def put(self, name: str, "
                     "array: numpy.typing.ArrayLike | staithe.typing.CudaArray | staithe.typing.DlpackArray, *, "
                     "offset: staithe.typing.Extents | None = None, shape: staithe.typing.Extents | None = None, "
                     "unit: str | None = None, "
                     "attrs: staithe.typing.Attributes | None = None, "
                     "fill: float | numpy.generic | None = None, error: str | None = None) -> None"),
             R"(Copy an array into the step: it may change as soon as this returns.

An array of a GPU is copied while the program goes on, and the end of the step waits for that. What its program does
next on the array's stream comes after the copy, and so may change it.

With neither `offset` nor `shape`, the array of a group's only rank is the whole variable; in a group of
several, each rank's array is a local one of its own.

Args:
    name: the variable.
    array: anything np.asarray takes, of 0 to 8 dimensions and any strides and byte order: bool, integers of 8 to
        64 bits, float16 to longdouble, complex64 to clongdouble. An xarray.DataArray keeps dims, units and attrs, and
        its coordinates are put with it, as variables of their own; a quantity of pint keeps its unit. Or an array of a
        GPU, by ``__cuda_array_interface__`` or DLPack, as CuPy, PyTorch, JAX and Numba have them.
    offset: where the block lies in the variable, a number per dimension; zeros if only `shape` is given. Coordinates
        are then parts, too.
    shape: the shape of the whole variable; every rank gives the same.
    unit: the unit of the values, as a text. What an array says of its unit must agree.
    attrs: attributes of the variable, beside those of a DataArray.
    fill: the value that stands for "none here"; the attribute ``_FillValue`` says so to readers. What a masked array
        masks is put as this value.
    error: by how much the values may be off at a reader of another host, where that has them there sooner, as in
        `staithe.writer`, and in the place of what is said there.

Raises:
    InvalidArgument: dtype, offset, shape and array do not go together, or not with other blocks of this step; `fill`
        is no value of the array's dtype; elements are masked and there is no `fill`; units do not agree; the error is
        none that can be; or a coordinate is not the one that another variable of the step has under that name.
    AlreadyExists: the variable was put before in this step, without or with the same offset.
    LimitReached: there is no shared memory left.
    SystemFailure: CUDA's driver cannot copy from a GPU, or cannot be loaded.
    Closed: the step is over.)")
        .def("__setitem__", &put_shortly, "name"_a, "array"_a.none(),
             nb::sig("def __setitem__(self, name: str, "
                     "array: numpy.typing.ArrayLike | staithe.typing.CudaArray | staithe.typing.DlpackArray) -> None"),
             "``step[\"x\"] = x`` is ``step.put(\"x\", x)``.")
        .def("put_dataset", &put_dataset, "dataset"_a, nb::kw_only(), "offset"_a = nb::none(), "shape"_a = nb::none(),
             nb::sig("def put_dataset(self, dataset: xarray.Dataset, *, "
                     "offset: collections.abc.Mapping[typing.Any, int] | None = None, "
                     "shape: collections.abc.Mapping[typing.Any, int] | None = None) -> None"),
             R"(Copy all variables and coordinates of an xarray.Dataset into the step; its attrs become the step's.

`Step.to_xarray` gives it back. Numbers, times and texts can be put, with indexes of one level.

Args:
    dataset: all of it, or this rank's part.
    offset: where the part begins in the whole, by dimension; 0 along those that are not named.
    shape: the lengths of the whole by dimension; along those that are not named the part is the whole.

Raises:
    InvalidArgument: an attribute, a dtype or an index is none that streams hold: the message names the variable; or a
        coordinate is not the one that another variable of the step has under that name.
    AlreadyExists: a variable was put before in this step.
    LimitReached: there is no shared memory left.
    Closed: the step is over.)")
        .def_prop_ro(
            "attrs",
            [](const WriteStepObject& step) {
                step.open(step.timeout());
                return StepAttributes(static_cast<const StepReference&>(step));
            },
            "The step's attributes: ``step.attrs[\"time\"] = 0.5``.")
        .def_prop_ro(
            "index", [](const WriteStepObject& step) { return step.index(); }, "The step's number, counted from 0.")
        .def(
            "end", [](const WriteStepObject& step) { step.end(); },
            R"(Publish the step; analyses that are attached to the writer run in here.

Leaving the ``with`` block does this.

Raises:
    SystemFailure: an array of a GPU could not be copied: the step is abandoned.)")
        .def(
            "abandon", [](const WriteStepObject& step) { step.abandon(); },
            R"(Drop the step: readers never see it, and its number is not used again.

An exception that leaves the ``with`` block does this.)")
        .def(
            "__enter__",
            [](nb::pointer_and_handle<WriteStepObject> self) {
                self.p->open(self.p->timeout());
                return nb::borrow(self.h);
            },
            nb::sig("def __enter__(self) -> typing.Self"))
        .def(
            "__aenter__",
            [](nb::pointer_and_handle<WriteStepObject> self) {
                const std::optional<double> timeout =
                    self.p->timeout() ? self.p->timeout() : self.p->writer().timeout();
                return nb::module_::import_("staithe.asynchronous")
                    .attr("enter_step")(self.h, self.p->owner(), timeout);
            },
            nb::sig("def __aenter__(self) -> collections.abc.Coroutine[typing.Any, typing.Any, typing.Self]"))
        .def(
            "__aexit__",
            [](nb::handle self, nb::args exception) {
                return nb::module_::import_("staithe.asynchronous").attr("leave_step")(self, *exception);
            },
            nb::sig("def __aexit__(self, *exception: object) -> "
                    "collections.abc.Coroutine[typing.Any, typing.Any, None]"))
        .def(
            "__exit__",
            [](const WriteStepObject& step, nb::handle type, nb::handle /*value*/, nb::handle /*traceback*/) {
                if (!step.is_open()) {
                    return;  // ended or abandoned within the block
                }
                if (type.is_none()) {
                    step.end();
                } else {
                    step.abandon();
                }
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def __exit__(self, *exception: object) -> None"))
        .def("__repr__", [](const WriteStepObject& step) { return describe(step, "WriteStep"); });
    module.def(
        "open_write_step", [](const WriteStepObject& step, double timeout) { step.open(timeout); }, "step"_a,
        "timeout"_a, "Open it, if it is not.");
    return write_step;
}

}  // namespace staithe::python
