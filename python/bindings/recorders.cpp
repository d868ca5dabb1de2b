#include "recorders.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <staithe/recorder.hpp>

#include "reading.hpp"
#include "values.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {
namespace {

/// For threads, which take turns.
class RecorderObject {
  public:
    RecorderObject(std::string path, const RecorderOptions& options) : recorder_(std::move(path), options) {}

    void append(const ReadStep& step) {
        const std::lock_guard turn(mutex_);
        recorder_.append(step);
    }
    void close() {
        const std::lock_guard turn(mutex_);
        recorder_.close();
    }
    [[nodiscard]] std::optional<std::int64_t> newest() const {
        const std::lock_guard turn(mutex_);
        return recorder_.newest();
    }
    [[nodiscard]] const std::string& path() const { return recorder_.path(); }

  private:
    mutable std::mutex mutex_;
    Recorder recorder_;
};

void open(RecorderObject* self, nb::handle path, nb::handle attrs, nb::handle error,
          const std::optional<std::string>& codec, std::vector<std::string> variables, bool resume) {
    const auto text = nb::cast<std::string>(nb::module_::import_("os").attr("fsdecode")(path));
    const RecorderOptions options{.attributes = attributes_from_python(attrs),
                                  .error = errors_from_python(error),
                                  .codec = codec.value_or(""),
                                  .variables = std::move(variables),
                                  .resume = resume};
    without_gil([&] { new (self) RecorderObject(text, options); });
}

void append(RecorderObject& self, const StepObject& step) {
    // A copy, which shares it: another thread may release this one.
    without_gil([&self, held = step.get()] { self.append(held); });
}

}  // namespace

void bind_recorders(nb::module_& module) {
    module.def(
        "check_recording",
        [](const std::string& path, nb::handle error, const std::optional<std::string>& codec) {
            check_recording(path, {.error = errors_from_python(error), .codec = codec.value_or("")});
        },
        "path"_a, "error"_a.none(), "codec"_a.none(),
        "Raise what a Recorder of these would, as far as that can be told before there are steps.");
    nb::class_<RecorderObject>(module, "Recorder", R"(Steps into a file that stock tools read.

The ending of its path says which format it is: ``.zarr``, Zarr version 3, which is a folder; ``.h5`` or ``.hdf5``,
HDF5. Each variable is an array along the dimension "step", with the dimensions that its attribute ``dims`` names; its
unit is the attribute ``units``. ``staithe.reader(path)`` reads the steps back, ``xarray.open_zarr(path)`` or
``h5py.File(path)`` opens all of them::

    with staithe.Recorder("melt.zarr") as out:
        for step in staithe.reader("melt"):
            out.append(step)

A step whose variables are not those of the first one, or of other shapes or dtypes, has a group of its own there. A
program that is killed leaves the steps that it has appended, and a file that opens.

Args:
    path: of the file.
    attrs: attributes of the recording, such as those of the stream.
    error: how far values may be off in the file: "1e-3 rel" (of the range of a step's values, largest less smallest),
        "0.01 abs" (in their unit), "1e-3 pw_rel" (of each value), "exact"; of all variables, or a mapping from names of
        variables, in which "*" is all others. They are rounded to as few bits as that takes, and compressed, as any
        tool reads it (h5py after ``import hdf5plugin``). NaN, infinities and integers stay as they are, and so does
        what has less than 16 KiB a step. The attribute ``error`` of a variable tells. It is the same in all steps.
    codec: what compresses all variables of 16 KiB a step and more, those without a bound exactly: "blosc", as any tool
        reads it, or "blosc+zstd", likewise, in fewer bytes at a third of the speed; or one of `staithe.codecs`, such as
        "dq", within the bounds, for which h5py needs ``import staithe.codecs.hdf5`` and zarr nothing but Staithe
        installed. None: "blosc" for what has a bound, and nothing else. It is the same in all steps.
    variables: the names of those that are recorded; all, if there is none.
    resume: go on with what is there. If there is nothing, begin.

Raises:
    InvalidArgument: the path has no ending that says which format it is, or an error cannot be.
    NotFound: there is no such codec, or it is not built in.
    AlreadyExists: there is something at the path, or another recorder writes there.
    ProtocolError: what is to be gone on with is no recording.)")
        .def("__init__", &open, "path"_a, nb::kw_only(), "attrs"_a.none() = nb::none(), "error"_a.none() = nb::none(),
             "codec"_a.none() = nb::none(), "variables"_a = std::vector<std::string>(), "resume"_a = false,
             nb::sig("def __init__(self, path: str | os.PathLike[str], *, attrs: staithe.typing.Attributes | None = "
                     "None, error: str | collections.abc.Mapping[str, str] | None = None, codec: str | None = None, "
                     "variables: collections.abc.Sequence[str] = (), resume: bool = False) -> None"))
        .def("append", &append, "step"_a, R"(Write a step, under its number. It is on disk when this returns.

Raises:
    InvalidArgument: the format cannot hold it; the message says what differs, or what it does not have. Or it is the
        first step, and lacks a variable for which an error was given.
    NotFound: it is the first step, and lacks one of `variables`.
    LimitReached: the disk is full. The steps before it are there, and more can be appended.)")
        .def_prop_ro("path", &RecorderObject::path, "Of the file.")
        .def_prop_ro(
            "newest", [](const RecorderObject& self) { return without_gil([&] { return self.newest(); }); },
            "The number of the newest step, or None.")
        .def(
            "close", [](RecorderObject& self) { without_gil([&] { self.close(); }); },
            "Let others write there. Closing again does nothing.")
        .def(
            "__enter__", [](nb::handle self) { return nb::borrow(self); },
            nb::sig("def __enter__(self) -> typing.Self"))
        .def(
            "__exit__", [](RecorderObject& self, nb::args /*exception*/) { without_gil([&] { self.close(); }); },
            nb::sig("def __exit__(self, *exception: object) -> None"));
}

}  // namespace staithe::python
