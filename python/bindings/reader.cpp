#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <utility>

#include "async_with.hpp"
#include "notebook.hpp"
#include "reading.hpp"
#include "values.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

ReaderObject::ReaderObject(const std::string& stream, const ReaderOptions& options)
    : reader_(without_gil([&] { return Reader(stream, options); })),
      timeout_(options.timeout),
      origin_(std::make_shared<const Origin>(Origin{stream, options.group})),
      attributes_(reader_->attributes()),
      writers_(reader_->writers()) {}

ReaderObject::~ReaderObject() {
    withdraw();
    close_forgotten();
}

nb::object ReaderObject::object() { return nb::find(*this); }

nb::object ReaderObject::next(std::optional<double> timeout) {
    if (ended_) {
        return {};
    }
    static_cast<void>(opened());
    if (std::optional<ReadStep> step = wait_for_step(timeout)) {
        last_step_ = nb::cast(StepObject(origin_, *std::move(step)));
        return last_step_;
    }
    ended_ = true;
    if (!watched_) {
        close_forgotten();
    }
    return {};
}

std::optional<ReadStep> ReaderObject::wait_for_step(std::optional<double> timeout) {
    const Entered entered(turn_);
    // The last step of all stays, so one is let go only when another has come; where it can.
    if (!reader_->can_hold_a_step()) {
        release_last_step();
    }
    std::optional<ReadStep> step = without_gil([&] { return reader_->next(timeout); });
    if (step) {
        release_last_step();
    }
    return step;
}

Reader& ReaderObject::opened() {
    if (!reader_) {
        throw Closed("the reader of stream '" + origin_->stream + "' is closed: open a new one to read again");
    }
    return *reader_;
}

void ReaderObject::release_last_step() {
    if (last_step_.is_valid()) {
        const nb::object releasing = std::exchange(last_step_, {});
        nb::cast<StepObject&>(releasing).release();
    }
}

void ReaderObject::pause() {
    Reader& reader = opened();
    const Entered entered(turn_);
    release_last_step();
    without_gil([&] { reader.pause(); });
}

void ReaderObject::resume() {
    Reader& reader = opened();
    const Entered entered(turn_);
    without_gil([&] { reader.resume(); });
}

void ReaderObject::follow_latest() {
    Reader& reader = opened();
    const Entered entered(turn_);
    without_gil([&] { reader.follow_latest(); });
}

int ReaderObject::descriptor() {
    Reader& reader = opened();
    const Entered entered(turn_);
    watched_ = true;
    return without_gil([&] { return reader.descriptor(); });
}

int ReaderObject::watch() {
    Reader& reader = opened();
    const Entered entered(turn_);
    release_last_step();
    watched_ = true;
    return without_gil([&] { return reader.descriptor(true); });
}

void ReaderObject::close() {
    if (!reader_) {
        return;
    }
    const Entered entered(turn_);
    std::exchange(last_step_, {}).reset();
    Reader closing = *std::exchange(reader_, std::nullopt);
    last_statistics_ = closing.statistics();
    without_gil([&] { closing.close(); });
}

void ReaderObject::close_forgotten() noexcept {
    if (!reader_ || turn_.taken()) {
        return;  // taken: a thread that was left behind at the program's end
    }
    std::optional<Reader> closing = std::exchange(reader_, std::nullopt);
    last_statistics_ = closing->statistics();
    std::exchange(last_step_, {}).reset();  // with it, objects of the user's may go, and run code of theirs
    const Released released;
    closing.reset();
}

void ReaderObject::forget() noexcept { reader_.reset(); }

ReaderStatistics ReaderObject::statistics() const { return reader_ ? reader_->statistics() : last_statistics_; }

namespace {

std::unique_ptr<ReaderObject> open_reader(const std::string& stream, int rank, int size, const std::string& group,
                                          std::optional<double> timeout, std::optional<std::string> program,
                                          std::optional<std::string> overflow, std::int64_t start, bool resume,
                                          std::optional<std::string> placement, std::optional<std::string> listen,
                                          std::optional<std::string> address, nb::handle error,
                                          std::optional<std::string> codec, std::vector<std::string> derive,
                                          std::optional<std::string> history) {
    ReaderOptions options;
    options.group = {rank, size, group};
    options.timeout = timeout;
    options.program = std::move(program).value_or("");
    options.overflow = std::move(overflow);
    options.start = start;
    options.resume = resume;
    options.placement = std::move(placement);
    options.listen = std::move(listen);
    options.address = std::move(address);
    options.error = errors_from_python(error);
    options.codec = std::move(codec).value_or("");
    options.derive = std::move(derive);
    options.history = std::move(history);
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

std::string describe_reader(const ReaderObject& reader) {
    const Origin& origin = reader.origin();
    return "<staithe.Reader of '" + origin.stream + "', rank " + std::to_string(origin.group.rank) + " of " +
           std::to_string(origin.group.size) + ", " + std::to_string(reader.statistics().steps) + " steps read" +
           (reader.closed() ? ", closed>" : ">");
}

nb::dict reader_statistics(const ReaderObject& reader) {
    const ReaderStatistics statistics = reader.statistics();
    nb::dict result;
    result["steps"] = statistics.steps;
    result["pinned"] = statistics.pinned;
    result["wait_seconds"] = statistics.wait_seconds;
    result["dropped"] = statistics.dropped;
    return result;
}

}  // namespace

void bind_reader(nb::module_& module) {
    nb::class_<ReaderObject>(
        module, "Reader",
        R"(One rank's end of a stream that is read: an iterator over its steps. Made by `staithe.reader`.

``for step in reader:`` waits for each step, and so does ``async for step in reader:``, while other tasks run. It
closes itself when the stream ends, and when its ``with`` block does. One thread at a time may use it; steps
and arrays may go to other threads.)")
        .def(
            "__iter__", [](nb::handle self) { return nb::borrow(self); }, nb::sig("def __iter__(self) -> typing.Self"))
        .def("__next__", &iterate, nb::sig("def __next__(self) -> Step"))
        .def(
            "__aiter__", [](nb::handle self) { return nb::borrow(self); },
            nb::sig("def __aiter__(self) -> typing.Self"))
        .def(
            "__anext__",
            [](nb::handle self) { return nb::module_::import_("staithe.asynchronous").attr("next_step")(self); },
            nb::sig("def __anext__(self) -> collections.abc.Coroutine[typing.Any, typing.Any, Step]"))
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
        .def(
            "follow",
            [](nb::pointer_and_handle<ReaderObject> self, bool latest) {
                if (latest) {
                    self.p->follow_latest();
                }
                return nb::borrow(self.h);
            },
            nb::kw_only(), "latest"_a = false,
            nb::sig("def follow(self, *, latest: bool = False) -> collections.abc.Iterator[Step]"),
            R"(Iterate over the steps to come: ``for step in reader.follow(latest=True):``.

All ranks of the group do so at the same step.

Args:
    latest: from now on each step is the newest one that there is; those that came before it are dropped. The
        overflow policy of this group is then "latest".

Raises:
    InvalidArgument: the stream's queue has room for one step only, so that no step can be dropped in time.)")
        .def(
            "paused",
            [](nb::pointer_and_handle<ReaderObject> self) { return PauseObject(nb::borrow(self.h), *self.p); },
            R"(Take no steps while a block of code runs: ``with reader.paused():``.

The last step is released, those that came and were not taken are given back, and those that are published meanwhile
are passed by: so a reader that is busy elsewhere does not fill the writer's queue. All ranks of the group pause at the
same step.)")
        .def("fileno", &ReaderObject::descriptor, R"(A descriptor that is readable while `next` would not wait.

A step is there then, the end, or an error: ``next(timeout=0)`` tells. So a reader can stand among sockets and
pipes in `select`, `selectors` and ``loop.add_reader``. From now on a thread watches the stream, and a step is asked
for as soon as the one before is taken, which makes the steps of a group that drops them that much older. The queue
needs room for two steps, since the last one is held until the next is taken.

Raises:
    LimitReached: there is no descriptor or thread left for it.
    Closed: the reader is closed.)")
        .def("close", &ReaderObject::close, R"(Leave the stream. Arrays that were read stay valid.

Closing again does nothing.)")
        .def("stats", &reader_statistics, nb::sig("def stats(self) -> staithe.typing.ReaderStats"),
             R"(What this rank did so far.

Returns:
    ``steps`` received, how many of them are ``pinned`` (not released yet), ``wait_seconds`` waited for steps, and how
    many steps this group has lost: ``dropped`` by its overflow policy.)")
        .def(
            "__enter__", [](nb::handle self) { return nb::borrow(self); },
            nb::sig("def __enter__(self) -> typing.Self"))
        .def(
            "__exit__", [](ReaderObject& reader, nb::args /*exception*/) { reader.close(); },
            nb::sig("def __exit__(self, *exception: object) -> None"))
        .def(AsyncWith())
        .def_prop_ro(
            "attrs", [](const ReaderObject& reader) { return read_only(reader.attributes()); },
            nb::sig("def attrs(self) -> types.MappingProxyType[str, typing.Any]"),
            "The attributes of the stream, read-only.")
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
        .def(Html("of_reader"))
        .def("__repr__", &describe_reader);

    nb::class_<PauseObject>(module, "Pause", "Made by `Reader.paused`, for a ``with`` block.")
        .def("__enter__", &PauseObject::enter)
        .def(
            "__exit__", [](PauseObject& pause, nb::args /*exception*/) { pause.exit(); },
            nb::sig("def __exit__(self, *exception: object) -> None"));

    module.def("watch_reader", &ReaderObject::watch, "stream"_a,
               "Release the last step; the descriptor tells of the next one, until the next call.");
    module.def("timeout_of", &ReaderObject::timeout, "stream"_a, "The timeout that its user gave.");
    module.def("open_reader", &open_reader, "stream"_a, "rank"_a, "size"_a, "group"_a, "timeout"_a.none(),
               "program"_a.none(), "overflow"_a.none(), "start"_a, "resume"_a, "placement"_a.none(), "listen"_a.none(),
               "address"_a.none(), "error"_a.none(), "codec"_a.none(), "derive"_a, "history"_a.none(),
               "What staithe.reader() calls once it has made sense of its arguments.");
}

}  // namespace staithe::python
