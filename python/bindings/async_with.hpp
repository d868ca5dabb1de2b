// How `async with` enters and leaves a stream: staithe.asynchronous does it.
#pragma once

#include <nanobind/nanobind.h>

namespace staithe::python {

/// Adds `__aenter__` and `__aexit__`.
class AsyncWith : public nanobind::def_visitor<AsyncWith> {
  public:
    template <class Class, class... Extra>
    void execute(Class& bound, const Extra&... /*extra*/) {
        const auto enter = [](nanobind::handle self) {
            return nanobind::object(nanobind::module_::import_("staithe.asynchronous").attr("enter_stream")(self));
        };
        const auto leave = [](nanobind::handle self, const nanobind::args& exception) {
            return nanobind::object(
                nanobind::module_::import_("staithe.asynchronous").attr("leave_stream")(self, *exception));
        };
        bound.def("__aenter__", enter,
                  nanobind::sig("def __aenter__(self) -> "
                                "collections.abc.Coroutine[typing.Any, typing.Any, typing.Self]"));
        bound.def("__aexit__", leave,
                  nanobind::sig("def __aexit__(self, *exception: object) -> "
                                "collections.abc.Coroutine[typing.Any, typing.Any, None]"));
    }
};

}  // namespace staithe::python
