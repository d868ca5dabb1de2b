#include "open_streams.hpp"

#include <nanobind/nanobind.h>

#include <set>

#include "pin.hpp"
#include "waiting.hpp"

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

void watch_process() {
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
        keep_other_threads_away();
        for (OpenStream* stream : std::set(open_streams())) {
            if (open_streams().contains(stream)) {
                stream->close_forgotten();
            }
        }
    }));
    nb::dict after_fork;
    after_fork["after_in_child"] = nb::cpp_function([] {
        ++fork_count;
        for (OpenStream* stream : open_streams()) {
            stream->forget();
        }
    });
    nb::module_::import_("os").attr("register_at_fork")(**after_fork);
}

}  // namespace staithe::python
