#include <nanobind/stl/string.h>

#include <utility>
#include <vector>

#include "names.hpp"
#include "notebook.hpp"
#include "reading.hpp"
#include "values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

const ReadStep& StepObject::get() const {
    if (!step_) {
        throw Closed("step " + std::to_string(index_) + " of stream '" + origin_->stream +
                     "' was released, as it is when the next one is asked for: keep its arrays, they stay valid");
    }
    return *step_;
}

void StepObject::release() {
    step_.reset();
    for (nb::dict* const known : {&variables_, &derived_}) {
        for (auto [name, variable] : *known) {
            nb::cast<VariableObject&>(variable).release();
        }
    }
    // Names of a class of the user's may run code as they go: last.
    variables_.clear();
    derived_.clear();
}

template <class Find>
nb::object StepObject::kept_or(nb::dict& known, const nb::str& text, const Find& find) {
    if (PyObject* kept = PyDict_GetItemWithError(known.ptr(), text.ptr())) {
        return nb::borrow(kept);
    }
    Py_ssize_t size = 0;
    const char* characters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (characters == nullptr) {
        throw nb::python_error();
    }
    auto [name, found] = find(std::string(characters, static_cast<std::size_t>(size)));
    nb::object variable = nb::cast(VariableObject(origin_, index_, std::move(name), std::move(found)));
    known[text] = variable;
    return variable;
}

nb::object StepObject::variable(nb::str name) {
    return kept_or(variables_, name, [&](const std::string& text) -> std::pair<nb::object, Variable> {
        return {name, get().variable(text)};
    });
}

nb::object StepObject::derive(nb::str expression) {
    return kept_or(derived_, expression, [&](const std::string& text) -> std::pair<nb::object, Variable> {
        Variable derived = get().derive(text);
        const std::string& name = derived.name();
        nb::object shown = nb::str(name.data(), name.size());
        return {std::move(shown), std::move(derived)};
    });
}

nb::object StepObject::convert(nb::str name, nb::str unit) {
    const nb::object conversion = nb::module_::import_("staithe.labelled.units").attr("conversion");
    return derive(nb::str(conversion(variable(std::move(name)), std::move(unit))));
}

namespace {

// keys(), values() and items() are those of every other Mapping.
nb::object view(nb::handle step, const char* kind) { return nb::module_::import_("collections.abc").attr(kind)(step); }

nb::object variable_or(StepObject& step, nb::object name, nb::object otherwise) {
    const bool has = nb::isinstance<nb::str>(name) && step.get().has(nb::cast<std::string>(name));
    return has ? step.variable(nb::borrow<nb::str>(name)) : otherwise;
}

std::string describe_step(const StepObject& step) {
    const std::vector<std::string> names = step.released() ? std::vector<std::string>() : step.get().variables();
    const std::string variables = names.empty() ? "" : ": " + some_of(names);
    return "<staithe.Step " + std::to_string(step.index()) + " of '" + step.origin().stream + "'" +
           (step.released() ? ", released" : variables) + ">";
}

}  // namespace

void bind_step(nb::module_& module) {
    nb::class_<StepObject>(module, "Step", nb::pooled(), nb::sig("class Step(collections.abc.Mapping[str, Variable])"),
                           R"(A complete step: a mapping of names to variables.

It is released when the reader is asked for the next one. Arrays of it stay valid, and pin the step in the
writer's queue, as long as they live.)")
        .def("__getitem__", &StepObject::variable, "name"_a, nb::sig("def __getitem__(self, name: str) -> Variable"))
        .def(
            "__contains__",
            [](const StepObject& step, nb::handle name) {
                return nb::isinstance<nb::str>(name) && step.get().has(nb::cast<std::string>(name));
            },
            nb::sig("def __contains__(self, name: object) -> bool"))
        .def(
            "__iter__",
            [](const StepObject& step) {
                nb::list names;
                for (const std::string& name : step.get().variables()) {
                    names.append(name);
                }
                return nb::iter(names);
            },
            nb::sig("def __iter__(self) -> collections.abc.Iterator[str]"))
        .def("__len__", [](const StepObject& step) { return step.get().variables().size(); })
        .def(
            "keys", [](nb::handle step) { return view(step, "KeysView"); },
            nb::sig("def keys(self) -> collections.abc.KeysView[str]"), "The names of the variables.")
        .def(
            "values", [](nb::handle step) { return view(step, "ValuesView"); },
            nb::sig("def values(self) -> collections.abc.ValuesView[Variable]"), "The variables.")
        .def(
            "items", [](nb::handle step) { return view(step, "ItemsView"); },
            nb::sig("def items(self) -> collections.abc.ItemsView[str, Variable]"), "Names and variables.")
        .def("get", &variable_or, "name"_a, "default"_a = nb::none(),
             nb::sig("def get(self, name: str, default: typing.Any = None) -> typing.Any"),
             "The variable of that name, or `default`.")
        .def(
            "derive", &StepObject::derive, "expression"_a, nb::sig("def derive(self, expression: str) -> Variable"),
            R"doc(A variable that is computed from those of this step, element by element, when its elements are asked for.

    step.derive("speed = sqrt(u**2 + v**2)").max()

The syntax is Python's, as numexpr has it: arithmetic, comparisons, `&`, `|`, `^` and `~`, `where(u > 0, u, 0)`, and
functions by NumPy's names: sqrt, exp, log, sin, arctan2, abs, minimum, isnan, real, ... Names that are not Python's
stand in quotes: `'velocity x' * 2`. Shapes go together as NumPy broadcasts them, local arrays block by block.
Whole numbers are computed in 64 bits, half precision in single; from there on dtypes combine as NumPy's do. What is
made on the way is a few KiB at a time.

Brackets take parts, by NumPy's basic indexing with steps forwards: `T[::4, ::4]`, `v[..., 0]`, `(u * v)[1:]`; of local
arrays from each by its own shape. `stack(u, v, axis=0)` and `concatenate(u, v, axis=0)`, as all of an expression,
make one variable of several, which are arrays or computed: of the dtype that all have, else of what they would be
computed in; what is stacked is broadcast first. What nothing is computed of keeps its dtype.

Args:
    expression: "name = ...", "name [unit] = ...", or what would follow the "=", which then is the name, too.

Returns:
    A variable like all others: its blocks are those of the variables that it is made of, as far as they are in it.

Raises:
    InvalidArgument: the text is no such expression, and where; or its variables do not go together, or lack an index.
    NotFound: the step has no such variable.)doc")
        .def("convert", &StepObject::convert, "name"_a, "unit"_a,
             nb::sig("def convert(self, name: str, unit: str) -> Variable"),
             R"doc(A variable in another unit, by pint's names of units: it is derived from the one of that name.

    step.convert("T", "degC").mean()

Args:
    name: a variable that has a unit.
    unit: such as "km/h", "degC" or "1/cm".

Returns:
    A variable of the same name, of single or double precision, computed when its elements are asked for.

Raises:
    InvalidArgument: it has no unit, or none that becomes this one by a factor and an offset.
    NotFound: the step has no such variable; or pint is not installed.)doc")
        .def_prop_ro("index", &StepObject::index, "The step's number, counted by the writer from 0.")
        .def_prop_ro(
            "writers", [](const StepObject& step) { return step.get().writers(); },
            "How many ranks wrote it; of a recording 1, unless it has local arrays of several.")
        .def_prop_ro(
            "attrs", [](const StepObject& step) { return read_only(step.get().attributes()); },
            nb::sig("def attrs(self) -> types.MappingProxyType[str, typing.Any]"),
            "The attributes of the step, read-only; where writer ranks disagree, the lower rank's.")
        .def(
            "to_xarray",
            [](nb::handle step, nb::handle names, nb::handle isel, bool decode_times) {
                return nb::object(
                    nb::module_::import_("staithe.labelled").attr("to_xarray")(step, names, isel, decode_times));
            },
            "names"_a = nb::none(), nb::kw_only(), "isel"_a = nb::none(), "decode_times"_a = true,
            nb::sig("@overload\n"
                    "def to_xarray(self, names: str, *, "
                    "isel: collections.abc.Mapping[str, int | slice] | None = None, decode_times: bool = True) "
                    "-> xarray.DataArray: ...\n"
                    "@typing.overload\n"
                    "def to_xarray(self, names: list[str] | tuple[str, ...] | None = None, *, "
                    "isel: collections.abc.Mapping[str, int | slice] | None = None, decode_times: bool = True) "
                    "-> xarray.Dataset"),
            R"(The variables as an xarray.Dataset, with the dims, coordinates, units and attrs that they were put with.

What lies in one block is not copied: it is read-only, and pins the step in the writer's queue for as long as the
Dataset or a part of it lives. What lies in several is copied together; times, texts and indexes are copied always.

Args:
    names: the variables to take, with their coordinates; all if None. A single name, not in a list, gives its DataArray.
    isel: slices or integers by dimension: nothing else is read.
    decode_times: make times of numbers in units like "seconds since 2000-01-01".

Returns:
    The Dataset, its attrs those of the step. Units are the attribute "units". Dimensions that have no names get them
    from the variable: "x_dim_0".

Raises:
    ImportError: xarray is not installed.
    InvalidArgument: variables do not go together in a Dataset, or one is several local arrays: select others by name;
        or there is no dimension that `isel` names.
    NotFound: the step has no such variable, or no writer rank wrote some of the elements.
    IndexError: an integer is out of bounds.
    Closed: the step was released.)")
        .def("release", &StepObject::release,
             "Give the step back before the next one is asked for. Its arrays stay valid, and pin it still.")
        .def(
            "_ipython_key_completions_", [](nb::handle step) { return nb::list(step); },
            nb::sig("def _ipython_key_completions_(self) -> list[str]"))
        .def(Html("of_step"))
        .def("__repr__", &describe_step);
}

}  // namespace staithe::python
