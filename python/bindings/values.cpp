#include "values.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>

#include "numpy.hpp"

namespace nb = nanobind;

namespace staithe::python {
namespace {

std::string text(nb::handle object) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
    if (data == nullptr) {
        throw nb::python_error();
    }
    return {data, static_cast<std::size_t>(size)};
}

// Lists and dicts may contain themselves.
class RecursionGuard {
  public:
    RecursionGuard() {
        if (Py_EnterRecursiveCall(" in an attribute of a stream") != 0) {
            throw nb::python_error();
        }
    }
    RecursionGuard(const RecursionGuard&) = delete;
    RecursionGuard& operator=(const RecursionGuard&) = delete;
    ~RecursionGuard() { Py_LeaveRecursiveCall(); }
};

Value integer(nb::handle object, const std::string& attribute) {
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(object.ptr(), &overflow);
    if (overflow != 0) {
        throw InvalidArgument("attribute '" + attribute + "' holds integers of 64 bits: pass a larger one as a string");
    }
    if (value == -1 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return static_cast<std::int64_t>(value);
}

/// A mapping as a dict; none if it is none.
std::optional<nb::dict> dict_of(nb::handle mapping) {
    if (PyDict_Check(mapping.ptr())) {
        return nb::borrow<nb::dict>(mapping);
    }
    nb::dict copied;
    if (!nb::hasattr(mapping, "keys") || PyDict_Update(copied.ptr(), mapping.ptr()) < 0) {
        PyErr_Clear();
        return std::nullopt;
    }
    return copied;
}

Attributes map_from_python(const nb::dict& mapping, const std::string& outer) {
    Attributes result;
    for (auto [key, item] : mapping) {
        const nb::object value = nb::borrow(item);  // what is asked of it may change the mapping
        if (!PyUnicode_Check(key.ptr())) {
            std::string message = outer.empty() ? "attributes" : "attribute '" + outer + "'";
            message += " must be named by strings, not ";
            throw InvalidArgument(message += nb::type_name(key.type()).c_str());
        }
        std::string name = text(key);
        Value held = value_from_python(value, outer.empty() ? name : outer + "." + name);
        result.insert_or_assign(std::move(name), std::move(held));
    }
    return result;
}

}  // namespace

Value value_from_python(nb::handle object, const std::string& attribute) {
    PyObject* raw = object.ptr();
    if (object.is_none()) {
        return nullptr;
    }
    if (PyBool_Check(raw)) {
        return raw == Py_True;
    }
    if (PyLong_Check(raw)) {
        return integer(object, attribute);
    }
    if (PyFloat_Check(raw)) {
        return PyFloat_AS_DOUBLE(raw);
    }
    if (PyUnicode_Check(raw)) {
        return text(object);
    }
    const RecursionGuard guard;
    if (const nb::object plain = plain_python(object); plain.is_valid()) {
        return value_from_python(plain, attribute);
    }
    if (PyList_Check(raw) || PyTuple_Check(raw)) {
        List list;
        for (const nb::handle element : object) {
            list.push_back(value_from_python(element, attribute));
        }
        return list;
    }
    if (const std::optional<nb::dict> mapping = dict_of(object)) {
        return map_from_python(*mapping, attribute);
    }
    throw InvalidArgument("attribute '" + attribute + "' cannot be of type " + nb::type_name(object.type()).c_str() +
                          ": it may be None, a bool, int, float or str, or a list or dict of such");
}

Attributes attributes_from_python(nb::handle mapping) {
    if (mapping.is_none()) {
        return {};
    }
    const std::optional<nb::dict> dict = dict_of(mapping);
    if (!dict) {
        throw InvalidArgument(std::string("attrs must be a dict, not ") + nb::type_name(mapping.type()).c_str());
    }
    return map_from_python(*dict, "");
}

std::optional<codecs::Bound> bound_from_python(nb::handle text) {
    if (text.is_none()) {
        return std::nullopt;
    }
    if (!nb::isinstance<nb::str>(text)) {
        throw InvalidArgument(
            std::string("an error is a text such as '1e-3 rel', or a mapping from names of variables to "
                        "such texts, not ") +
            nb::type_name(text.type()).c_str());
    }
    return codecs::parse_bound(nb::cast<std::string>(text));
}

Errors errors_from_python(nb::handle error) {
    Errors errors;
    if (nb::isinstance(error, nb::module_::import_("collections.abc").attr("Mapping"))) {
        for (const nb::handle item : error.attr("items")()) {
            errors.emplace(nb::cast<std::string>(nb::str(item[0])),
                           bound_from_python(item[1]).value_or(codecs::Bound::exact()));
        }
    } else if (const auto all = bound_from_python(error)) {
        errors.emplace("*", *all);
    }
    return errors;
}

nb::object to_python(const Value& value) {
    return std::visit(
        []<class T>(const T& held) -> nb::object {
            if constexpr (std::is_same_v<T, std::nullptr_t>) {
                return nb::none();
            } else if constexpr (std::is_same_v<T, std::string>) {
                return nb::str(held.data(), held.size());
            } else if constexpr (std::is_same_v<T, List>) {
                nb::list list;
                for (const Value& element : held) {
                    list.append(to_python(element));
                }
                return list;
            } else if constexpr (std::is_same_v<T, Attributes>) {
                return to_python(held);
            } else {
                return nb::cast(held);
            }
        },
        value.storage());
}

nb::dict to_python(const Attributes& attributes) {
    nb::dict result;
    for (const auto& [name, value] : attributes) {
        result[nb::str(name.data(), name.size())] = to_python(value);
    }
    return result;
}

nb::object read_only(const Attributes& attributes) { return nb::steal(PyDictProxy_New(to_python(attributes).ptr())); }

}  // namespace staithe::python
