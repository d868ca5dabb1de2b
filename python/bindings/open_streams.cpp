#include "open_streams.hpp"

#include <nanobind/nanobind.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <staithe/error.hpp>

#include "errors.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

// Guarded by the GIL. Never destroyed: stream objects may die after everything else.
std::set<OpenStream*>& open_streams() {
    static auto* const streams = new std::set<OpenStream*>;
    return *streams;
}

struct LastWill {
    Writer writer;
    std::string failure;
};

// Neither is this destroyed.
std::vector<LastWill>& last_wills() {
    static auto* const wills = new std::vector<LastWill>;
    return *wills;
}

void execute(LastWill& will, int exit_code) {
    try {
        if (exit_code == 0) {
            will.writer.close();
        } else {
            const std::string code = "the program ended with exit code " + std::to_string(exit_code);
            will.writer.fail(will.failure.empty() ? code : will.failure);
        }
    } catch (const Error& error) {
        std::fprintf(stderr, "staithe: %s\n", error.what());
    }
}

// Python is gone by now: nothing here may touch it. All at once, since a reader may need one stream's end before it
// comes to another.
void execute_all(int exit_code, void* /*argument*/) {
    std::vector<std::thread> threads;
    for (LastWill& will : last_wills()) {
        try {
            threads.emplace_back([&will, exit_code] { execute(will, exit_code); });
        } catch (const std::system_error&) {
            execute(will, exit_code);  // there are no more threads: one after the other, then
        }
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
}

/// The exception that ends the program, unless it is one of an interactive session, where they end nothing.
nb::object uncaught_exception() {
    const nb::module_ sys = nb::module_::import_("sys");
    if (nb::hasattr(sys, "ps1")) {
        return nb::none();
    }
    const char* const name = nb::hasattr(sys, "last_exc") ? "last_exc" : "last_value";
    return nb::getattr(sys, name, nb::none());
}

/// Whether the streams must end before it is known how the program does: KeyboardInterrupt ends it by a signal, so that
/// nobody comes by; and MPI, which ends with Python, waits for its other ranks, who may wait for a stream to end here.
bool cannot_wait_for_exit_code(nb::handle uncaught) {
    return nb::isinstance(uncaught, PyExc_KeyboardInterrupt) ||
           nb::dict(nb::module_::import_("sys").attr("modules")).contains("mpi4py.MPI");
}

/// `what` is done to each stream that is still open when it comes to it.
template <class What>
void for_each_open_stream(What&& what) {
    for (OpenStream* stream : std::set(open_streams())) {
        if (open_streams().contains(stream)) {
            const nb::object kept = stream->object();
            what(*stream);
        }
    }
}

void end_all_with_program(nb::handle uncaught, bool at_once) {
    const std::string failure = uncaught.is_none() ? "" : line_of(uncaught);
    keep_other_threads_away();
    for_each_open_stream([&](OpenStream& stream) { stream.end_with_program(failure); });
    if (at_once) {
        const Released released;
        execute_all(failure.empty() ? 0 : 1, nullptr);
        last_wills().clear();
    }
    if (!last_wills().empty()) {
        // Only here is the exit code of sys.exit to be had; and what is registered last is called first.
        on_exit(execute_all, nullptr);
    }
}

}  // namespace

void close_at_exit(Writer writer, const std::string& failure) { last_wills().push_back({std::move(writer), failure}); }

void end_what_is_left_of(const std::string& stream) {
    std::erase_if(last_wills(), [&](const LastWill& will) { return will.writer.name() == stream; });
}

void OpenStream::end_with_program(const std::string& /*failure*/) noexcept { close_forgotten(); }

OpenStream::OpenStream() { open_streams().insert(this); }

void OpenStream::withdraw() noexcept { open_streams().erase(this); }

void watch_process() {
    nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
        const nb::object uncaught = uncaught_exception();
        end_all_with_program(uncaught, cannot_wait_for_exit_code(uncaught));
    }));
    nb::dict after_fork;
    after_fork["after_in_child"] = nb::cpp_function([] {
        forget_other_threads();
        last_wills().clear();
        for (OpenStream* stream : open_streams()) {
            stream->forget();
        }
    });
    nb::module_::import_("os").attr("register_at_fork")(**after_fork);
}

void bind_open_streams(nb::module_& module) {
    module.def(
        "end_streams", [](nb::handle uncaught) { end_all_with_program(uncaught, true); }, "uncaught"_a.none(),
        nb::sig("def end_streams(uncaught: BaseException | None) -> None"),
        "End all that is open, as the program ends: by that exception, or well.");
    module.def(
        "end_streams_of_thread",
        [](nb::handle uncaught) {
            for_each_open_stream([&](OpenStream& stream) { stream.end_with_thread(line_of(uncaught)); });
        },
        "uncaught"_a, nb::sig("def end_streams_of_thread(uncaught: BaseException) -> None"),
        "End the streams that this thread writes as failed: by that exception.");
}

}  // namespace staithe::python
