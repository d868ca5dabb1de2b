// How notebooks show an object: staithe.notebook makes the HTML.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

/// Adds `_repr_html_`, made by that function of staithe.notebook.
class Html : public nanobind::def_visitor<Html> {
  public:
    explicit Html(const char* function) : function_(function) {}

    template <class Class, class... Extra>
    void execute(Class& bound, const Extra&... /*extra*/) {
        const auto make = [function = function_](nanobind::handle self) {
            return nanobind::object(nanobind::module_::import_("staithe.notebook").attr(function)(self));
        };
        bound.def("_repr_html_", make, nanobind::sig("def _repr_html_(self) -> str"));
    }

  private:
    const char* function_;
};

}  // namespace staithe::python
