#include "errors.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

#include <staithe/error.hpp>

#include "names.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

// Python classes by error code. Never given back: errors may come until the interpreter is gone.
std::array<PyObject*, error_code_count> class_of_code{};

void translate(const std::exception_ptr& exception, void* /*payload*/) {
    try {
        std::rethrow_exception(exception);
    } catch (const Error& error) {
        const std::string_view what = error.what();
        const nb::object message =
            nb::steal(PyUnicode_DecodeUTF8(what.data(), static_cast<Py_ssize_t>(what.size()), "backslashreplace"));
        PyErr_SetObject(class_of_code[static_cast<std::size_t>(error.code())], printable(message).ptr());
    }
}

}  // namespace

std::string line_of(nb::handle exception) {
    std::string line = nb::type_name(exception.type()).c_str();
    const std::string text = nb::str(exception).c_str();
    return text.empty() ? line : line + ": " + text.substr(0, text.find('\n'));
}

void bind_errors(nb::module_& module) {
    const nb::object classes = nb::module_::import_("staithe.errors").attr("BY_CODE");
    for (std::size_t code = 0; code < error_code_count; ++code) {
        class_of_code[code] = nb::object(classes[name_of(static_cast<ErrorCode>(code))]).release().ptr();
    }
    static_cast<void>(names_module());  // while modules can be imported
    nb::register_exception_translator(translate);
    module.def(
        "error_codes",
        [] {
            nb::list names;
            for (std::size_t code = 0; code < error_code_count; ++code) {
                names.append(name_of(static_cast<ErrorCode>(code)));
            }
            return names;
        },
        nb::sig("def error_codes() -> list[str]"), "The names of all error codes, in their order.");
    module.def(
        "raise_error",
        [](std::size_t code, const std::string& message) { throw Error(static_cast<ErrorCode>(code), message); },
        "code"_a, "message"_a, nb::sig("def raise_error(code: int, message: str) -> typing.NoReturn"),
        "Raise the error of place `code` in error_codes(), as the library would.");
}

}  // namespace staithe::python
