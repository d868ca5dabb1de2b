// Names in messages and in what repr() says: as staithe.names shows them.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

namespace staithe::python {

/// Kept for as long as the interpreter lives, for errors come until its end.
inline nanobind::handle names_module() {
    static const nanobind::handle cached = nanobind::module_::import_("staithe.names").release();
    return cached;
}

/// With what a terminal would act on escaped.
inline nanobind::str printable(nanobind::handle text) {
    return nanobind::borrow<nanobind::str>(nanobind::object(names_module().attr("printable")(text)));
}
inline std::string printable(const std::string& text) {
    return printable(nanobind::str(text.data(), text.size())).c_str();
}

/// The first ten, and how many more there are.
inline std::string some_of(const std::vector<std::string>& names) {
    nanobind::list list;
    for (const std::string& name : names) {
        list.append(name);
    }
    return nanobind::str(nanobind::object(names_module().attr("some")(list))).c_str();
}

/// In quotes as well.
inline std::string quoted(nanobind::handle name) { return nanobind::repr(name).c_str(); }
inline std::string quoted(const std::string& name) { return quoted(nanobind::str(name.data(), name.size())); }

}  // namespace staithe::python
