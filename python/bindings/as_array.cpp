// What a variable has of an array: sizes, conversions, reductions, and the protocols by which libraries take it for
// one.
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "numpy.hpp"
#include "reading.hpp"
#include "selection.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

VariableObject::Elements everything(const VariableObject& variable) {
    return variable.elements({Selection::all(variable.get().shape())});
}

nb::object as_array(const VariableObject& variable, nb::handle dtype, nb::handle copy) {
    auto [array, fresh] = everything(variable);
    const bool must_copy = !copy.is_none() && nb::cast<bool>(copy);
    const bool same = dtype.is_none() || nb::object(array.attr("dtype")).equal(dtype);
    if (!copy.is_none() && !must_copy && (fresh || !same)) {
        throw nb::value_error("the variable does not lie in one block of that dtype: there is no array without a copy");
    }
    if (!same) {
        return array.attr("astype")(dtype);
    }
    if (must_copy) {
        return fresh ? array : nb::object(array.attr("copy")());
    }
    freeze(array);
    return array;
}

nb::object astype(const VariableObject& variable, nb::handle dtype, const std::string& casting) {
    const std::string name = nb::str(variable.name()).c_str();
    const Dtype wanted = dtype_from(dtype, {&name});
    nb::object array = new_array(wanted, variable.get().shape());
    variable.read_into(array, Py_Ellipsis, nb::str(casting.c_str()));
    return array;
}

/// Whether `reduce` makes what NumPy does of that, and few bytes come in place of all elements. NumPy's functions give
/// some options as None.
bool is_made_elsewhere(const Variable& variable, std::string_view method, std::size_t args, const nb::kwargs& options) {
    bool has_known_options = args <= (options.contains("axis") ? 0 : 1);
    for (const auto [key, value] : options) {
        const auto name = nb::cast<std::string_view>(key);
        const bool has_ddof =
            (method == "var" || method == "std") && name == "ddof" && PyNumber_Check(value.ptr()) == 1;
        has_known_options = has_known_options && (value.is_none() || name == "axis" || has_ddof);
    }
    const Dtype dtype = variable.dtype();
    const bool is_complex = dtype == Dtype::c64 || dtype == Dtype::c128 || dtype == Dtype::c256;
    const bool has_order = !is_complex || (method != "min" && method != "max");
    return has_known_options && has_order && variable.comes_from_afar() && volume(variable.shape()).value_or(0) > 0;
}

/// What a variance, or its root, is multiplied by if its sum of squares is shared by so many fewer than all elements
/// that became one. Nothing if none are left.
std::optional<double> factor_of(double ddof, double elements, bool is_root) {
    if (!(elements > ddof)) {
        return std::nullopt;
    }
    const double factor = elements / (elements - ddof);
    return is_root ? std::sqrt(factor) : factor;
}

/// A method that the whole array has, too.
auto of_the_array(const char* method) {
    return [method](const VariableObject& variable, const nb::args& args, const nb::kwargs& options) -> nb::object {
        if (!is_made_elsewhere(variable.get(), method, args.size(), options)) {
            return variable.at(Py_Ellipsis).attr(method)(*args, **options);
        }
        const nb::object axis = args.empty() ? nb::object(options.attr("get")("axis")) : nb::object(args[0]);
        const nb::object one = new_array(variable.get().dtype(), {1});
        one.attr("fill")(0);  // whatever lay there might be no number, of which NumPy warns
        nb::object made = variable.reduce(method, Py_Ellipsis, axes_from(axis));
        if (options.contains("ddof") && !nb::object(options["ddof"]).is_none()) {
            const auto elements =
                static_cast<double>(volume(variable.get().shape()).value_or(0)) / nb::cast<double>(made.attr("size"));
            const auto factor =
                factor_of(nb::cast<double>(options["ddof"]), elements, method == std::string_view("std"));
            if (!factor) {
                return variable.at(Py_Ellipsis).attr(method)(*args, **options);  // and NumPy says so
            }
            made = made * nb::float_(*factor);
        }
        return made.attr("astype")(one.attr(method)().attr("dtype"));  // which may be narrower
    };
}

nb::object dlpack(const VariableObject& variable, const nb::kwargs& options) {
    const auto [array, fresh] = everything(variable);
    // Only since version 1.0 DLPack can say that memory is read-only.
    const bool may_share = options.contains("max_version") && !nb::object(options["max_version"]).is_none();
    const bool may_copy = !options.contains("copy") || nb::object(options["copy"]).is_none();
    return may_share || fresh || !may_copy ? array.attr("__dlpack__")(**options)
                                           : array.attr("copy")().attr("__dlpack__")(**options);
}

std::int64_t size(const VariableObject& variable) { return volume(variable.get().shape()).value_or(0); }

std::int64_t length(const VariableObject& variable) {
    const Extents& shape = variable.get().shape();
    if (shape.empty()) {
        throw nb::type_error("a variable of zero dimensions has no length");
    }
    return shape[0];
}

nb::object rows(nb::pointer_and_handle<VariableObject> self) {
    static_cast<void>(length(*self.p));
    return nb::steal(PySeqIter_New(self.h.ptr()));
}

}  // namespace

void bind_as_array(nb::class_<VariableObject>& variable) {
    variable
        .def_prop_ro(
            "ndim", [](const VariableObject& variable) { return variable.get().shape().size(); },
            "The number of dimensions.")
        .def_prop_ro("size", &size, "The number of elements.")
        .def_prop_ro(
            "nbytes",
            [](const VariableObject& variable) {
                return size(variable) * static_cast<std::int64_t>(size_of(variable.get().dtype()));
            },
            "The bytes of its elements.")
        .def_prop_ro(
            "T", [](const VariableObject& variable) { return nb::object(variable.at(Py_Ellipsis).attr("T")); },
            nb::sig("def T(self) -> numpy.typing.NDArray[typing.Any]"), "All of it, with its dimensions reversed.")
        .def("astype", &astype, "dtype"_a, nb::kw_only(), "casting"_a = "safe",
             nb::sig("def astype(self, dtype: numpy.typing.DTypeLike, *, "
                     "casting: staithe.typing.Casting = 'safe') -> numpy.typing.NDArray[typing.Any]"),
             R"(All of it, as a new array of that dtype, yours to write to. It is converted while it is copied.

Args:
    dtype: anything np.dtype takes that a variable can have.
    casting: what conversions are allowed, as for np.can_cast: "safe" loses nothing, "same_kind" and "unsafe" may.

Raises:
    InvalidArgument: the dtype cannot hold all values of the variable's, and `casting` is "safe".)")
        .def("__len__", &length)
        .def("__iter__", &rows, nb::sig("def __iter__(self) -> collections.abc.Iterator[typing.Any]"))
        .def("__array__", &as_array, "dtype"_a = nb::none(), "copy"_a = nb::none(),
             nb::sig("def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) -> "
                     "numpy.typing.NDArray[typing.Any]"))
        .def(
            "__dlpack_device__", [](const VariableObject&) { return nb::make_tuple(1, 0); },  // memory of the host
            nb::sig("def __dlpack_device__(self) -> tuple[int, int]"))
        .def("__dlpack__", &dlpack, nb::sig("def __dlpack__(self, **options: typing.Any) -> typing.Any"));
    const std::pair<const char*, const char*> reductions[] = {
        {"min", "The smallest of the elements"}, {"max", "The largest of the elements"},
        {"mean", "The mean of the elements"},    {"sum", "The sum of the elements"},
        {"var", "The variance of the elements"}, {"std", "The standard deviation of the elements"}};
    for (const auto& [name, what] : reductions) {
        const std::string signature = std::string("def ") + name +
                                      "(self, axis: int | tuple[int, ...] | None = None, **options: typing.Any) -> "
                                      "typing.Any";
        const std::string description = std::string(what) + ", or of those along an axis; `options` are those of np." +
                                        name +
                                        ".\n\nComputed from the elements, on whichever host they lie: streams keep no "
                                        "statistics.";
        variable.def(name, of_the_array(name), nb::sig(signature.c_str()), description.c_str());
    }
}

}  // namespace staithe::python
