#include "arguments.hpp"

#include <string_view>
#include <unordered_map>

namespace nb = nanobind;

namespace staithe::python {
namespace {

// nanobind has no hook for calls that fit no signature. But a callable's vectorcall pointer is its own to set (PEP
// 590), and that is where calls are caught here: it costs those that are right next to nothing.
vectorcallfunc& entry_of(PyObject* function) {
    return *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function) +
                                              Py_TYPE(function)->tp_vectorcall_offset);
}

// Never given back: functions may be called until the interpreter is gone.
std::unordered_map<PyObject*, vectorcallfunc>& original_entries() {
    static auto& entries = *new std::unordered_map<PyObject*, vectorcallfunc>;
    return entries;
}

bool fits_no_signature(nb::handle error) {
    const nb::str message(error);
    return std::string_view(message.c_str()).find("(): incompatible function arguments") != std::string_view::npos;
}

// A Python error is set, and stays, explained or not.
void explain(nb::handle function, PyObject* const* arguments, std::size_t count, PyObject* names) {
    nb::python_error raised;
    if (!fits_no_signature(raised.value())) {
        raised.restore();
        return;
    }
    try {
        nb::list positional;
        for (std::size_t i = 0; i < count; ++i) {
            positional.append(nb::handle(arguments[i]));
        }
        nb::dict keywords;
        for (std::size_t i = 0; names != nullptr && i < static_cast<std::size_t>(PyTuple_GET_SIZE(names)); ++i) {
            keywords[nb::handle(PyTuple_GET_ITEM(names, static_cast<Py_ssize_t>(i)))] =
                nb::handle(arguments[count + i]);
        }
        const nb::object text =
            nb::module_::import_("staithe.arguments").attr("explain")(function, nb::tuple(positional), keywords);
        PyErr_SetObject(PyExc_TypeError, text.ptr());
    } catch (nb::python_error& error) {
        error.discard_as_unraisable("explaining a wrong call");
        raised.restore();
    }
}

PyObject* call(PyObject* function, PyObject* const* arguments, std::size_t flagged_count, PyObject* names) {
    PyObject* result = original_entries().find(function)->second(function, arguments, flagged_count, names);
    if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
        explain(function, arguments, static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count)), names);
    }
    return result;
}

void explain_in(nb::handle scope) {
    for (const nb::handle value : nb::object(scope.attr("__dict__").attr("values")())) {
        if (PyType_Check(value.ptr())) {
            explain_in(value);
        } else if (nb::hasattr(value, "__nb_signature__")) {
            original_entries().emplace(value.ptr(), entry_of(value.ptr()));
            entry_of(value.ptr()) = call;
        }
    }
}

}  // namespace

void explain_wrong_calls(const nb::module_& module) { explain_in(module); }

}  // namespace staithe::python
