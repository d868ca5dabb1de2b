#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include <memory>
#include <utility>

#include "reading.hpp"
#include "values.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

ReaderObject::ReaderObject(const std::string& stream, const ReaderOptions& options)
    : reader_(without_gil([&] { return Reader(stream, options); })),
      origin_(std::make_shared<const Origin>(Origin{stream, options.group})),
      attributes_(reader_->attributes()),
      writers_(reader_->writers()) {}

nb::object ReaderObject::next(std::optional<double> timeout) {
    if (ended_) {
        return {};
    }
    if (!reader_) {
        throw Closed("the reader of stream '" + origin_->stream + "' is closed: open a new one to read again");
    }
    if (std::optional<ReadStep> step = wait_for_step(timeout)) {
        last_step_ = nb::cast(StepObject(origin_, *std::move(step)));
        return last_step_;
    }
    ended_ = true;
    close_forgotten();
    return {};
}

std::optional<ReadStep> ReaderObject::wait_for_step(std::optional<double> timeout) {
    const Entered entered(busy_);
    if (last_step_.is_valid()) {
        nb::cast<StepObject&>(last_step_).release();
        last_step_.reset();
    }
    return without_gil([&] { return reader_->next(timeout); });
}

void ReaderObject::close() {
    if (!reader_) {
        return;
    }
    const Entered entered(busy_);
    last_step_.reset();
    Reader closing = *std::exchange(reader_, std::nullopt);
    last_statistics_ = closing.statistics();
    without_gil([&] { closing.close(); });
}

void ReaderObject::close_forgotten() noexcept {
    if (!reader_ || busy_) {
        return;  // busy: a thread that was left behind at the program's end
    }
    last_step_.reset();
    std::optional<Reader> closing = std::exchange(reader_, std::nullopt);
    last_statistics_ = closing->statistics();
    const Released released;
    closing.reset();
}

void ReaderObject::forget() noexcept {
    if (reader_) {
        leak(*std::exchange(reader_, std::nullopt));
    }
}

ReaderStatistics ReaderObject::statistics() const { return reader_ ? reader_->statistics() : last_statistics_; }

namespace {

std::unique_ptr<ReaderObject> open_reader(const std::string& stream, int rank, int size, const std::string& group,
                                          std::optional<double> timeout, std::optional<std::string> program) {
    ReaderOptions options;
    options.group = {rank, size, group};
    options.timeout = timeout;
    options.program = std::move(program).value_or("");
    return std::make_unique<ReaderObject>(stream, options);
}

nb::object next_or_none(ReaderObject& reader, std::optional<double> timeout) {
    nb::object step = reader.next(timeout);
    return step.is_valid() ? step : nb::none();
}

nb::object iterate(ReaderObject& reader) {
    nb::object step = reader.next(std::nullopt);
    if (!step.is_valid()) {
        throw nb::stop_iteration();
    }
    return step;
}

std::string describe(const ReaderObject& reader) {
    const Origin& origin = reader.origin();
    return "<staithe.Reader of '" + origin.stream + "', rank " + std::to_string(origin.group.rank) + " of " +
           std::to_string(origin.group.size) + ", " + std::to_string(reader.statistics().steps) + " steps read" +
           (reader.closed() ? ", closed>" : ">");
}

nb::dict statistics_of(const ReaderObject& reader) {
    const ReaderStatistics statistics = reader.statistics();
    nb::dict result;
    result["steps"] = statistics.steps;
    result["pinned"] = statistics.pinned;
    result["wait_seconds"] = statistics.wait_seconds;
    return result;
}

}  // namespace

void bind_reader(nb::module_& module) {
    nb::class_<ReaderObject>(
        module, "Reader",
        R"(One rank's end of a stream that is read: an iterator over its steps. Made by `staithe.reader`.

It closes itself when the stream ends, and when its ``with`` block does. One thread at a time may use it; steps
and arrays may go to other threads.)")
        .def(
            "__iter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __iter__(self) -> typing.Self"))
        .def("__next__", &iterate, nb::sig("def __next__(self) -> Step"))
        .def("next", &next_or_none, "timeout"_a = nb::none(),
             nb::sig("def next(self, timeout: float | None = None) -> Step | None"),
             R"(Wait for the next complete step. The step that came before is released; its arrays stay as they are.

Args:
    timeout: seconds to wait; the reader's own timeout if None.

Returns:
    The step, or None after the last one.

Raises:
    Timeout: no step came in time.
    LimitReached: no step can come, since arrays of earlier steps still hold all that the queue has room for.
    PeerLost: a writer died; all complete steps came before.
    Closed: the reader is closed.)")
        .def("close", &ReaderObject::close, R"(Leave the stream. Arrays that were read stay valid.

Closing again does nothing.)")
        .def("stats", &statistics_of, nb::sig("def stats(self) -> staithe.typing.ReaderStats"),
             R"(What this rank did so far.

Returns:
    ``steps`` received, how many of them are ``pinned`` (not released yet), and ``wait_seconds`` waited for steps.)")
        .def(
            "__enter__", [](nb::handle self) { return nb::borrow(self); },
            nb::sig("def __enter__(self) -> typing.Self"))
        .def(
            "__exit__", [](ReaderObject& reader, nb::args /*exception*/) { reader.close(); },
            nb::sig("def __exit__(self, *exception: object) -> None"))
        .def_prop_ro(
            "attrs", [](const ReaderObject& reader) { return to_python(reader.attributes()); },
            nb::sig("def attrs(self) -> dict[str, typing.Any]"), "The attributes of the stream.")
        .def_prop_ro(
            "name", [](const ReaderObject& reader) { return reader.origin().stream; }, "The stream's name.")
        .def_prop_ro(
            "rank", [](const ReaderObject& reader) { return reader.origin().group.rank; },
            "This rank within the reader group.")
        .def_prop_ro(
            "size", [](const ReaderObject& reader) { return reader.origin().group.size; },
            "How many ranks read together.")
        .def_prop_ro("writers", &ReaderObject::writers, "How many ranks write the stream.")
        .def_prop_ro("closed", &ReaderObject::closed, "Whether it was closed, or the stream has ended.")
        .def("__repr__", &describe);

    module.def("open_reader", &open_reader, "stream"_a, "rank"_a, "size"_a, "group"_a, "timeout"_a.none(),
               "program"_a.none(), "What staithe.reader() calls once it has made sense of its arguments.");
}

}  // namespace staithe::python
