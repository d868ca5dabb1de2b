// The operators of arrays, on a variable: what its whole array makes of them, so that NumPy's rules hold.
#include <nanobind/stl/string.h>

#include "reading.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

/// That method of the whole array.
nb::object method_of_array(const VariableObject& variable, const char* method) {
    return variable.at(Py_Ellipsis).attr(method);
}

void define_unary(nb::class_<VariableObject>& variable, const char* name, const char* result) {
    const std::string signature = std::string("def ") + name + "(self) -> " + result;
    variable.def(
        name, [name](const VariableObject& self) { return nb::object(method_of_array(self, name)()); },
        nb::sig(signature.c_str()));
}

void define_binary(nb::class_<VariableObject>& variable, const char* name, const char* other) {
    const std::string signature = std::string("def ") + name + "(self, other: " + other + ") -> typing.Any";
    variable.def(
        name,
        [name](const VariableObject& self, nb::handle other) { return nb::object(method_of_array(self, name)(other)); },
        "other"_a.none(), nb::sig(signature.c_str()));
}

/// As str() without a format: only what is one number has formats.
nb::object format(nb::handle self, const std::string& how) {
    return how.empty() ? nb::object(nb::str(self))
                       : nb::object(method_of_array(nb::cast<const VariableObject&>(self), "__format__")(how));
}

}  // namespace

void bind_operators(nb::class_<VariableObject>& variable) {
    for (const char* name : {"__eq__", "__ne__"}) {
        define_binary(variable, name, "object");
    }
    for (const char* name :
         {"__lt__",       "__le__",        "__gt__",      "__ge__",     "__add__",     "__radd__",    "__sub__",
          "__rsub__",     "__mul__",       "__rmul__",    "__matmul__", "__rmatmul__", "__truediv__", "__rtruediv__",
          "__floordiv__", "__rfloordiv__", "__mod__",     "__rmod__",   "__divmod__",  "__rdivmod__", "__pow__",
          "__rpow__",     "__lshift__",    "__rlshift__", "__rshift__", "__rrshift__", "__and__",     "__rand__",
          "__xor__",      "__rxor__",      "__or__",      "__ror__"}) {
        define_binary(variable, name, "typing.Any");
    }
    for (const char* name : {"__neg__", "__pos__", "__abs__", "__invert__"}) {
        define_unary(variable, name, "typing.Any");
    }
    define_unary(variable, "__bool__", "bool");
    define_unary(variable, "__int__", "int");
    define_unary(variable, "__float__", "float");
    define_unary(variable, "__complex__", "complex");
    variable.def("__format__", &format, "how"_a, nb::sig("def __format__(self, how: str, /) -> str"));
    variable.attr("__hash__") = nb::none();  // as of all whose == gives no bool
}

}  // namespace staithe::python
