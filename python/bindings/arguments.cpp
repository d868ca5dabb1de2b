#include "arguments.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace nb = nanobind;

namespace staithe::python {
namespace {

// nanobind has no hook for calls that fit no signature. But a callable's vectorcall pointer is its own to set (PEP
// 590), and that is where calls are caught here: it costs those that are right next to nothing.
vectorcallfunc& entry_of(PyObject* function) {
    return *reinterpret_cast<vectorcallfunc*>(reinterpret_cast<char*>(function) +
                                              Py_TYPE(function)->tp_vectorcall_offset);
}

// nanobind has a few entries that all its functions share. What stands for one knows it by its number, so that no call
// has to look it up.
constexpr std::size_t most_entries = 16;
std::array<vectorcallfunc, most_entries> original_entries{};

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

/// Beside Python's flag nanobind has one of its own in the next bit, where it calls a constructor.
std::size_t count_in(std::size_t flagged) {
    return flagged & ~(PY_VECTORCALL_ARGUMENTS_OFFSET | PY_VECTORCALL_ARGUMENTS_OFFSET >> 1);
}

template <std::size_t Entry>
PyObject* call(PyObject* function, PyObject* const* arguments, std::size_t flagged_count, PyObject* names) {
    PyObject* result = original_entries[Entry](function, arguments, flagged_count, names);
    if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
        explain(function, arguments, count_in(flagged_count), names);
    }
    return result;
}

template <std::size_t... Entries>
constexpr auto calls_of(std::index_sequence<Entries...> /*numbers*/) {
    return std::array<vectorcallfunc, sizeof...(Entries)>{&call<Entries>...};
}
constexpr auto calls = calls_of(std::make_index_sequence<most_entries>());

void explain_calls_of(PyObject* function) {
    vectorcallfunc& entry = entry_of(function);
    if (std::find(calls.begin(), calls.end(), entry) != calls.end()) {
        return;  // it has two names
    }
    for (std::size_t i = 0; i < most_entries; ++i) {
        if (original_entries[i] == nullptr || original_entries[i] == entry) {
            original_entries[i] = entry;
            entry = calls[i];
            return;
        }
    }
}

void explain_in(nb::handle scope) {
    for (const nb::handle value : nb::object(scope.attr("__dict__").attr("values")())) {
        if (PyType_Check(value.ptr())) {
            explain_in(value);
        } else if (nb::hasattr(value, "__nb_signature__")) {
            explain_calls_of(value.ptr());
        }
    }
}

}  // namespace

void explain_wrong_calls(const nb::module_& module) { explain_in(module); }

}  // namespace staithe::python
