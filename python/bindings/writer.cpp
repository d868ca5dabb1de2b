#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "analysis.hpp"
#include "async_with.hpp"
#include "errors.hpp"
#include "notebook.hpp"
#include "values.hpp"
#include "waiting.hpp"
#include "writing.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

namespace {

Writer opened_anew(const std::string& stream, const WriterOptions& options) {
    end_what_is_left_of(stream);
    return without_gil([&] { return Writer(stream, options); });
}

}  // namespace

WriterObject::WriterObject(const std::string& stream, const WriterOptions& options)
    : writer_(opened_anew(stream, options)),
      timeout_(options.timeout),
      name_(stream),
      group_(options.group),
      placement_(writer_->placement()) {}

WriterObject::~WriterObject() {
    withdraw();
    close_forgotten();
}

nb::object WriterObject::object() { return nb::find(*this); }

void WriterObject::warn_of_forgotten() const noexcept {
    const nb::error_scope keep_other_error;
    if (PyErr_ResourceWarning(nullptr, 1, "the writer of stream '%s' was never closed", name_.c_str()) < 0) {
        PyErr_WriteUnraisable(nullptr);
    }
}

void WriterObject::close_forgotten() noexcept {
    if (!writer_ || turn_.taken()) {
        return;  // taken: a thread that was left behind at the program's end
    }
    warn_of_forgotten();  // by the user's code, which may have closed it
    if (!writer_) {
        return;
    }
    if (step_) {
        fail_for_open_step();
    } else if (!analyses_ && writer_->statistics().unread > 0) {
        last_statistics_ = writer_->statistics();
        close_at_exit(*std::exchange(writer_, std::nullopt), "");  // where readers can be waited for
    } else {
        shut_down();
    }
}

void WriterObject::end_as_failed(const std::string& reason) noexcept {
    try {
        fail(reason);
    } catch (const Error& error) {
        std::fprintf(stderr, "staithe: %s\n", error.what());
    } catch (nb::python_error& error) {  // Ctrl-C while it waits for readers
        error.discard_as_unraisable("the end of a stream");
    }
}

void WriterObject::fail_for_open_step() noexcept {
    end_as_failed("step " + std::to_string(index_) + " was neither ended nor abandoned");
}

void WriterObject::end_with_thread(const std::string& failure) noexcept {
    if (writer_ && !turn_.taken() && last_user_ == std::this_thread::get_id()) {
        end_as_failed(failure);
    }
}

void WriterObject::end_with_program(const std::string& failure) noexcept {
    if (!writer_ || turn_.taken()) {
        return;  // taken: a thread that was left behind at the program's end
    }
    if (failure.empty()) {
        warn_of_forgotten();  // by the user's code, which may have closed it
    }
    if (!writer_) {
        return;
    }
    if (step_ && failure.empty()) {
        fail_for_open_step();
        return;
    }
    if (!analyses_) {
        step_.reset();
        last_statistics_ = writer_->statistics();
        close_at_exit(*std::exchange(writer_, std::nullopt), failure);
        return;
    }
    // Analyses end in Python: the exit code comes too late for them.
    try {
        failure.empty() ? close() : fail(failure);
    } catch (const Error& error) {
        std::fprintf(stderr, "staithe: %s\n", error.what());
    } catch (nb::python_error& error) {
        error.discard_as_unraisable("the end of an analysis");
    }
}

Writer& WriterObject::opened() {
    if (!writer_) {
        throw Closed("the writer of stream '" + name_ + "' is closed: open a new one to write again");
    }
    return *writer_;
}

std::int64_t WriterObject::begin_step(std::optional<double> timeout) {
    Writer& writer = opened();
    const Entered entered(turn_);
    last_user_ = std::this_thread::get_id();
    step_.emplace(OpenStep{without_gil([&] { return writer.begin_step(timeout); }), {}});
    return index_ = step_->step.index();
}

OpenStep& WriterObject::open_step(std::int64_t step) {
    if (!is_open(step)) {
        throw Closed("step " + std::to_string(step) + " of stream '" + name_ + "' is over: nothing can be added to it");
    }
    return *step_;
}

OpenStep WriterObject::take_step(std::int64_t step) {
    OpenStep taken = std::move(open_step(step));
    step_.reset();
    return taken;
}

void WriterObject::end_step(std::int64_t step) {
    turn_.await();  // for a put of another thread: the step must not stay, neither ended nor abandoned
    const Entered entered(turn_);
    OpenStep ending = take_step(step);
    ending.arrivals.wait();
    // Analyses that run in here wait for the other ranks, which may be threads of this process.
    without_gil_if(analyses_, [&] { ending.step.end(); });
}

void WriterObject::abandon_step(std::int64_t step) {
    turn_.await();
    const Entered entered(turn_);
    OpenStep ending = take_step(step);
    ending.arrivals.settle();
    ending.step.abandon();
}

void WriterObject::attach(nb::object analysis) {
    Writer& writer = opened();
    const Entered entered(turn_);
    analyses_ = true;
    without_gil([&, held = inline_analysis(std::move(analysis), name_)]() mutable { writer.attach(std::move(held)); });
}

void WriterObject::close() {
    if (!writer_) {
        return;
    }
    const Entered entered(turn_);
    if (step_) {
        throw InvalidArgument("stream '" + name_ + "': end or abandon step " + std::to_string(index_) +
                              " before closing");
    }
    Writer closing = std::move(*writer_);
    writer_.reset();
    try {
        without_gil([&] { closing.close(); });
    } catch (...) {
        last_statistics_ = closing.statistics();
        throw;
    }
    last_statistics_ = closing.statistics();
}

void WriterObject::fail(const std::string& reason) {
    if (!writer_) {
        return;
    }
    const Entered entered(turn_);
    step_.reset();
    Writer failing = *std::exchange(writer_, std::nullopt);
    without_gil([&] { failing.fail(reason); });
    last_statistics_ = failing.statistics();
}

namespace {

/// None, sys.exit() and a generator that nobody asks for more are no failures.
bool is_failure(nb::handle exception) {
    if (nb::isinstance(exception, PyExc_SystemExit)) {
        const nb::object code = exception.attr("code");
        return !code.is_none() && !code.equal(nb::int_(0));
    }
    return !exception.is_none() && !nb::isinstance(exception, PyExc_GeneratorExit);
}

}  // namespace

void WriterObject::leave(nb::handle type, nb::handle exception) {
    if (is_failure(exception.is_none() ? type : exception)) {
        fail(exception.is_none() ? nb::str(type.attr("__name__")).c_str() : line_of(exception));
        return;
    }
    try {
        close();
    } catch (...) {
        shut_down();
        throw;
    }
}

void WriterObject::shut_down() noexcept {
    if (!writer_ || turn_.taken()) {
        return;  // taken: a thread that was left behind at the program's end
    }
    step_.reset();
    std::optional<Writer> closing = std::exchange(writer_, std::nullopt);
    last_statistics_ = closing->statistics();
    const Released released;
    closing.reset();
}

void WriterObject::forget() noexcept {
    if (step_) {
        step_->arrivals.forget();
    }
    step_.reset();
    writer_.reset();
}

int WriterObject::watch() {
    Writer& writer = opened();
    const Entered entered(turn_);
    return without_gil([&] { return writer.descriptor(); });
}

std::int64_t WriterObject::next_step() { return opened().next_step(); }

WriterStatistics WriterObject::statistics() const { return writer_ ? writer_->statistics() : last_statistics_; }

namespace {

std::unique_ptr<WriterObject> open_writer(
    const std::string& stream, int rank, int size, const std::string& group, std::optional<int> queue_steps,
    std::optional<std::int64_t> queue_bytes, std::optional<int> readers, std::int64_t reserve,
    std::optional<double> timeout, nb::handle attrs, std::optional<std::string> placement,
    std::optional<std::string> overflow, std::optional<std::string> spill_directory,
    std::optional<std::int64_t> spill_bytes, std::optional<std::int64_t> keep_steps,
    std::optional<std::int64_t> keep_bytes, bool resume, std::optional<std::string> listen,
    std::optional<std::string> address, nb::handle error, std::optional<std::string> codec) {
    WriterOptions options;
    options.group = {rank, size, group};
    options.queue_steps = queue_steps;
    options.queue_bytes = queue_bytes;
    options.readers = readers;
    options.reserve_bytes = reserve;
    options.timeout = timeout;
    options.attributes = attributes_from_python(attrs);
    options.placement = std::move(placement);
    options.overflow = std::move(overflow);
    options.spill_directory = std::move(spill_directory);
    options.spill_bytes = spill_bytes;
    options.keep_steps = keep_steps;
    options.keep_bytes = keep_bytes;
    options.resume = resume;
    options.listen = std::move(listen);
    options.address = std::move(address);
    options.error = errors_from_python(error);
    options.codec = std::move(codec);
    return std::make_unique<WriterObject>(stream, options);
}

/// Of asyncio, in this thread. Who has not imported that has none.
bool event_loop_runs() {
    static PyObject* const name = PyUnicode_InternFromString("asyncio");
    const nb::object asyncio = nb::steal(PyImport_GetModule(name));
    return asyncio.is_valid() && !asyncio.attr("_get_running_loop")().is_none();
}

std::string describe_writer(const WriterObject& writer) {
    return "<staithe.Writer of '" + writer.name() + "', rank " + std::to_string(writer.group().rank) + " of " +
           std::to_string(writer.group().size) + ", " + std::to_string(writer.statistics().steps) + " steps written" +
           (writer.closed() ? ", closed>" : ">");
}

nb::dict writer_statistics(const WriterObject& writer) {
    const WriterStatistics statistics = writer.statistics();
    nb::dict result;
    result["steps"] = statistics.steps;
    result["bytes"] = statistics.bytes;
    result["stall_seconds"] = statistics.stall_seconds;
    result["pool_bytes"] = statistics.pool_bytes;
    result["dropped"] = statistics.dropped;
    result["spilled_steps"] = statistics.spilled_steps;
    result["spilled_bytes"] = statistics.spilled_bytes;
    result["unread"] = statistics.unread;
    result["compressed_steps"] = statistics.compressed_steps;
    result["compressed_bytes"] = statistics.compressed_bytes;
    return result;
}

}  // namespace

void bind_writer(nb::module_& module) {
    nb::class_<WriterObject>(module, "Writer",
                             R"(One rank's end of a stream that is written. Made by `staithe.writer`.

Leaving its ``with`` block closes it, an exception ends the stream as failed. One thread at a time may use a writer and its step.)")
        .def(
            "step",
            [](nb::pointer_and_handle<WriterObject> self, std::optional<double> timeout) {
                WriteStepObject step(nb::borrow(self.h), *self.p, timeout);
                if (!event_loop_runs()) {
                    step.open(timeout);
                }
                return step;
            },
            "timeout"_a = nb::none(), R"(Open the next step, as soon as the queue has room for it.

Use it as ``with out.step() as step:``. The step is published when the block ends, and abandoned when an
exception leaves it. All ranks of the writer group go through the same steps.

Where an event loop of asyncio runs, the step is opened as its block is entered, or by the first use of it: ``async
with out.step() as step:`` lets other tasks run until the queue has room.

Args:
    timeout: seconds to wait for room; the writer's own timeout if None.

Raises:
    Timeout: the queue stayed full: the message says which readers hold steps.
    InvalidArgument: the last step was neither ended nor abandoned.
    PeerLost: rank 0 of the writer group died.
    Closed: the writer is closed.)")
        .def("close", &WriterObject::close, R"(End the stream: readers get the steps that are complete, then the end.

Waits until the expected readers have joined, and all ranks of the writer group have closed. Closing again does
nothing.

Raises:
    Timeout: not all expected readers joined in time. The writer is closed all the same.
    InvalidArgument: a step was neither ended nor abandoned: its data would be lost.)")
        .def("fail", &WriterObject::fail, "reason"_a,
             R"(End the stream as failed: readers get the steps that are complete, then WriterFailed with the reason.

So do the other ranks of the writer group when they next wait. An exception that leaves the ``with`` block does this,
and one that ends the program. It waits for readers that are just coming, a fifth of a second at most. A step that is
open is lost. On a closed writer it does nothing.

Args:
    reason: why; its first line is what readers are shown.)")
        .def("attach", &WriterObject::attach, "analysis"_a,
             nb::sig("def attach(self, analysis: staithe.analyses.Analysis) -> None"),
             R"(Run an analysis in this thread at the end of every step from now on.

This is what `staithe.writer` does with the analyses it is given. All ranks of the group attach the same ones, in the
same order, before the first step.)")
        .def("stats", &writer_statistics, nb::sig("def stats(self) -> staithe.typing.WriterStats"),
             R"(What this rank did so far.

Returns:
    ``steps`` published, the ``bytes`` in them, ``stall_seconds`` waited for room in the queue, ``pool_bytes`` of
    shared memory held; steps ``dropped`` by the overflow policy, summed over the reader groups; ``spilled_steps`` and
    the ``spilled_bytes`` in them, which went to files; of rank 0, the steps that are ``unread``: kept for readers that
    are expected and have not come; ``compressed_steps``, which were encoded to have room in memory, and the
    ``compressed_bytes`` that these take.)")
        .def(
            "__enter__", [](nb::handle self) { return nb::borrow(self); },
            nb::sig("def __enter__(self) -> typing.Self"))
        .def(
            "__exit__",
            [](WriterObject& writer, nb::handle type, nb::handle value, nb::handle /*traceback*/) {
                writer.leave(type, value);
            },
            nb::arg().none(), nb::arg().none(), nb::arg().none(),
            nb::sig("def __exit__(self, *exception: object) -> None"))
        .def(AsyncWith())
        .def_prop_ro("name", &WriterObject::name, "The stream's name.")
        .def_prop_ro(
            "rank", [](const WriterObject& writer) { return writer.group().rank; },
            "This rank within the writer group.")
        .def_prop_ro(
            "size", [](const WriterObject& writer) { return writer.group().size; }, "How many ranks write the stream.")
        .def_prop_ro("placement", &WriterObject::placement, nb::sig("def placement(self) -> staithe.typing.Placement"),
                     "Where the blocks live: 'producer' or 'inline'.")
        .def_prop_ro("next_step", &WriterObject::next_step,
                     "The number of the step that is opened next. Not 0 at first for a writer that resumed.")
        .def_prop_ro("closed", &WriterObject::closed, "Whether the writer is closed.")
        .def(Html("of_writer"))
        .def("__repr__", &describe_writer);

    module.def("watch_writer", &WriterObject::watch, "stream"_a,
               "The descriptor tells of room for a step, until the next call.");
    module.def("open_writer", &open_writer, "stream"_a, "rank"_a, "size"_a, "group"_a, "queue_steps"_a.none(),
               "queue_bytes"_a.none(), "readers"_a.none(), "reserve"_a, "timeout"_a.none(), "attrs"_a.none(),
               "placement"_a.none(), "overflow"_a.none(), "spill_directory"_a.none(), "spill_bytes"_a.none(),
               "keep_steps"_a.none(), "keep_bytes"_a.none(), "resume"_a, "listen"_a.none(), "address"_a.none(),
               "error"_a.none(), "codec"_a.none(),
               "What staithe.writer() calls once it has made sense of its arguments.");
}

}  // namespace staithe::python
