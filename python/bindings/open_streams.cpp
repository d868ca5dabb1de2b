#include "open_streams.hpp"

#include <set>

namespace nb = nanobind;

namespace staithe::python {
namespace {

// Guarded by the GIL. Never destroyed: stream objects may die after everything else.
std::set<OpenStream*>& open_streams() {
    static auto* const streams = new std::set<OpenStream*>;
    return *streams;
}

}  // namespace

OpenStream::OpenStream() { open_streams().insert(this); }

OpenStream::~OpenStream() { open_streams().erase(this); }

void bind_open_streams(nb::module_& module) {
    module.def(
        "close_all",
        [] {
            for (OpenStream* stream : open_streams()) {
                stream->shut_down();
            }
        },
        "Close every open stream of this process, without waiting for anyone.");
    module.def(
        "forget_all",
        [] {
            for (OpenStream* stream : open_streams()) {
                stream->forget();
            }
        },
        "Give up every stream object of a forked process: they go on in its parent.");
    nb::module_::import_("atexit").attr("register")(module.attr("close_all"));
    nb::dict after_fork;
    after_fork["after_in_child"] = module.attr("forget_all");
    nb::module_::import_("os").attr("register_at_fork")(**after_fork);
}

}  // namespace staithe::python
