#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <utility>
#include <vector>

#include "devices.hpp"
#include "names.hpp"
#include "notebook.hpp"
#include "numpy.hpp"
#include "reading.hpp"
#include "selection.hpp"
#include "values.hpp"
#include "waiting.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace staithe::python {

const Variable& VariableObject::get() const {
    if (!variable_) {
        throw Closed(std::string("variable '") + nb::str(name_).c_str() + "' is of step " + std::to_string(step_) +
                     " of stream '" + origin_->stream +
                     "', which was released: keep arrays of it instead, they stay valid");
    }
    return *variable_;
}

namespace {

/// A block of a variable. Its data is looked up when it is asked for.
class BlockObject {
  public:
    BlockObject(nb::object variable, std::size_t index, BlockInfo info)
        : variable_(std::move(variable)), index_(index), info_(info) {}

    [[nodiscard]] int rank() const { return info_.rank; }
    [[nodiscard]] nb::object box() const { return to_python(info_.box); }
    [[nodiscard]] nb::object data() const {
        // A copy: the step may be released by another thread.
        const Variable variable = nb::cast<const VariableObject&>(variable_).get();
        View view = without_gil_if(variable.comes_from_afar(), [&] { return variable.block(index_); });
        return wrap(view.array, std::move(view.owner));
    }
    [[nodiscard]] std::string describe() const {
        return std::string("<staithe.Block ") + to_string(info_.box) + " of " +
               quoted(nb::cast<const VariableObject&>(variable_).name()) + ", from rank " + std::to_string(info_.rank) +
               ">";
    }

  private:
    nb::object variable_;
    std::size_t index_;
    BlockInfo info_;
};

std::optional<Share> share_from(const std::string& name) {
    if (name == "block") {
        return Share::block;
    }
    if (name == "count") {
        return Share::count;
    }
    if (name == "round") {
        return Share::round;
    }
    if (name == "process") {
        return Share::process;
    }
    throw InvalidArgument("there is no share '" + name + "': there are 'block', 'count', 'round' and 'process'");
}

nb::tuple blocks(nb::pointer_and_handle<VariableObject> self) {
    nb::list result;
    std::size_t index = 0;
    for (const BlockInfo& info : self.p->get().blocks()) {
        result.append(BlockObject(nb::borrow(self.h), index++, info));
    }
    return nb::tuple(result);
}

nb::list blocks_of_share(nb::pointer_and_handle<VariableObject> self) {
    const Variable& variable = self.p->get();
    const std::vector<BlockInfo> all = variable.blocks();
    nb::list result;
    for (const std::size_t index : variable.share_of_blocks(self.p->origin().group)) {
        result.append(BlockObject(nb::borrow(self.h), index, all[index]));
    }
    return result;
}

nb::object part(nb::pointer_and_handle<VariableObject> self, const std::string& share) {
    const Share policy = *share_from(share);
    if (policy == Share::process) {
        return blocks_of_share(self);
    }
    return to_python(self.p->get().part(policy, self.p->origin().group));
}

nb::object histogram(const VariableObject& variable, nb::handle bins, nb::handle range, nb::handle selection,
                     nb::handle axis) {
    const nb::object key = all_if_none(selection);
    const std::optional<Extents> axes = axes_from(axis);
    const std::optional<Index> index = index_from(key, variable.get().shape(), "variable");
    const bool has_nothing = index && is_empty(index->selection);
    const auto reduce = nb::cpp_function([&](const std::string& how) { return variable.reduce(how, key, axes); });
    const auto reduce_all =
        nb::cpp_function([&](const std::string& how) { return variable.reduce(how, key, std::nullopt); });
    return nb::module_::import_("staithe.histograms")
        .attr("histogram_of")(variable.name(), reduce, reduce_all, has_nothing, bins, range);
}

nb::object read_variable(nb::pointer_and_handle<VariableObject> self, nb::handle selection,
                         const std::optional<std::string>& share, nb::handle out) {
    nb::object key = all_if_none(selection);
    if (share) {
        if (!selection.is_none()) {
            throw InvalidArgument("read takes a selection or a share, not both: index the array of the share");
        }
        key = part(self, *share);
        if (*share == "process") {
            if (!out.is_none()) {
                throw InvalidArgument("the share \"process\" is a list of blocks: out cannot hold it");
            }
            return key;
        }
    }
    if (out.is_none()) {
        return self.p->at(key);
    }
    if (is_array(out) || !read_into_device(self.h, key, out)) {
        self.p->read_into(out, key, nb::none());
    }
    return nb::borrow(out);
}

std::string describe_variable(const VariableObject& variable) {
    std::string text = "<staithe.Variable " + quoted(variable.name());
    if (variable.released()) {
        return text + " of step " + std::to_string(variable.step()) + ", released>";
    }
    const Variable& held = variable.get();
    const std::size_t blocks = held.blocks().size();
    text += std::string(": ") + name_of(held.dtype()) + " ";
    text += held.is_local() && blocks > 1 ? "local arrays" : to_string(held.shape());
    text += held.unit().empty() ? "" : " in " + printable(held.unit());
    return text + ", " + std::to_string(blocks) + (blocks == 1 ? " block>" : " blocks>");
}

void bind_block(nb::module_& module) {
    nb::class_<BlockObject>(module, "Block", "The part of a variable that one writer rank handed over at once.")
        .def_prop_ro("rank", &BlockObject::rank, "The writer rank that it comes from.")
        .def_prop_ro("box", &BlockObject::box, nb::sig("def box(self) -> staithe.box.Box"),
                     "Where it lies in the variable; a local array's starts at 0.")
        .def_prop_ro("data", &BlockObject::data, nb::sig("def data(self) -> numpy.typing.NDArray[typing.Any]"),
                     "Its elements, read-only; without a copy, unless they come from another host.")
        .def("__repr__", &BlockObject::describe);
}

}  // namespace

void bind_variable(nb::module_& module) {
    bind_block(module);
    nb::class_<VariableObject> variable(module, "Variable", nb::pooled(), R"(A variable of a step.

Index it for NumPy arrays: ``step["x"][...]``, ``step["x"][10:20, ::2]``, ``step["x"][staithe.Box((0, 0), (4, 4))]``.)");
    variable
        .def_prop_ro(
            "name", [](const VariableObject& variable) { return nb::borrow(variable.name()); },
            nb::sig("def name(self) -> str"), "Its name.")
        .def_prop_ro(
            "dtype", [](const VariableObject& variable) { return dtype_object(variable.get().dtype()); },
            nb::sig("def dtype(self) -> numpy.dtype[typing.Any]"), "The type of its elements.")
        .def_prop_ro(
            "shape", [](const VariableObject& variable) { return to_python(variable.get().shape()); },
            nb::sig("def shape(self) -> tuple[int, ...]"),
            "The shape of the whole variable. InvalidArgument if it is several local arrays: these have one each.")
        .def_prop_ro(
            "unit", [](const VariableObject& variable) { return variable.get().unit(); },
            "The unit of its values, as the writer gave it; '' if it gave none.")
        .def_prop_ro(
            "error", [](const VariableObject& variable) { return codecs::to_string(variable.get().error()); },
            "By how much its writer allows values to be off that come from another host, as a text: 'exact', "
            "'1e-3 rel'. A reader may have asked for something else. Of a derived one it says nothing: that is as near "
            "as "
            "what it is made of.")
        .def_prop_ro(
            "attrs",
            [](const VariableObject& variable) {
                // A copy, since what is collected meanwhile may release the step.
                const Variable held = variable.get();  // NOLINT(performance-unnecessary-copy-initialization)
                return read_only(held.attributes());
            },
            nb::sig("def attrs(self) -> types.MappingProxyType[str, typing.Any]"), "Its attributes, read-only.")
        .def_prop_ro(
            "local", [](const VariableObject& variable) { return variable.get().is_local(); },
            "Whether it is an array per writer rank, rather than one global array.")
        .def_prop_ro("blocks", &blocks, nb::sig("def blocks(self) -> tuple[Block, ...]"),
                     "The blocks that it is made of, by writer rank.")
        .def("__getitem__", &VariableObject::at, "key"_a.none(),
             nb::sig("@overload\n"
                     "def __getitem__(self, key: slice | types.EllipsisType | staithe.box.Box | staithe.typing.Indices "
                     "| None) -> "
                     "numpy.typing.NDArray[typing.Any]: ...\n"
                     "@typing.overload\n"
                     "def __getitem__(self, key: staithe.typing.Selection) -> typing.Any"),
             R"(The selected elements, as NumPy selects them from the whole variable.

Takes integers, slices with any step, an ellipsis, np.newaxis, a Box, and along one dimension a list of indices or a mask.
The array is read-only: ``.copy()``, np.array() and ``read(out=...)`` give what is yours to write to. What lies in one
block is a view of the writer's memory, without a copy, but for lists and masks; it stays valid, and pins the step in the
writer's queue, as long as it lives. Else, and from another host, it is a new array.

Raises:
    IndexError: an integer is out of bounds, a mask of another length, or there are more of them than dimensions.
    InvalidArgument: there are several lists or masks, or a Box that does not fit; or the variable is several local
        arrays.
    NotFound: no writer rank wrote some of the elements.
    PeerLost: a process of another host that has some of them is gone.
    Timeout: such a process has sent nothing for the reader's timeout.
    Closed: the step was released.)")
        .def("read", &read_variable, "selection"_a = nb::none(), nb::kw_only(), "share"_a = nb::none(),
             "out"_a = nb::none(),
             nb::sig("@overload\n"
                     "def read(self, *, share: typing.Literal['process']) -> list[Block]: ...\n"
                     "@typing.overload\n"
                     "def read(self, selection: staithe.typing.Selection | None = None, *, "
                     "share: typing.Literal['block', 'count', 'round'] | None = None, "
                     "out: staithe.typing.CudaArrayT) -> staithe.typing.CudaArrayT: ...\n"
                     "@typing.overload\n"
                     "def read(self, selection: staithe.typing.Selection | None = None, *, "
                     "share: typing.Literal['block', 'count', 'round'] | None = None, "
                     "out: numpy.typing.NDArray[typing.Any] | None = None) -> numpy.typing.NDArray[typing.Any]"),
             R"(The selected elements, or this rank's share of them.

Args:
    selection: as between brackets; everything if None.
    share: what this rank of the reader group gets. "block": a box of an n-dimensional grid; "count": an equal run of
        indices of the first dimension; "round": the indices rank, rank + size, ... of it; "process": whole blocks, as
        the writer ranks handed them over.
    out: a writable array of the selection's shape, of any strides, to read into. Elements are converted to its dtype if
        that holds all values of the variable's, as np.can_cast has it. Or an array of a GPU, by
        ``__cuda_array_interface__``: what its program does next on the array's stream finds the elements there.

Returns:
    The array, read-only, as by indexing; `out` if given; for "process" a list of blocks.

Raises:
    InvalidArgument: `out` does not fit; and as by indexing.
    SystemFailure: CUDA's driver cannot copy to a GPU, or cannot be loaded.)")
        .def(
            "reduce",
            [](const VariableObject& variable, const std::string& how, nb::handle selection, nb::handle axis) {
                return variable.reduce(how, all_if_none(selection), axes_from(axis));
            },
            "how"_a, "selection"_a = nb::none(), nb::kw_only(), "axis"_a = nb::none(),
            nb::sig("def reduce(self, how: staithe.typing.Reduction, "
                    "selection: staithe.typing.Selection | None = None, *, "
                    "axis: int | collections.abc.Sequence[int] | None = None) -> typing.Any"),
            R"doc(What becomes of the selected elements, where they lie: ``step["T"].reduce("max")``.

Blocks of this host are looked at in place, without a copy of what is selected; programs of other hosts reduce theirs, and
send what becomes of it: a few bytes.

Args:
    how: "sum", "mean", "min", "max", "var", "std", or "histogram(BINS, LEAST, GREATEST)", which `histogram` writes.
    selection: as between brackets, but for lists, masks and np.newaxis; everything if None.
    axis: the dimension of what is selected that goes, or several, as for `numpy.sum`; None: all.

Returns:
    What NumPy's function of that name gives: a read-only array of the dimensions that stay, or a scalar. But what is added
    up of f2 and f4 is f8, since it is added up in that; least and greatest of f2 are f4. Of a histogram the counts alone: its
    bins are the last dimension. What another host makes it makes of the values as they were put, whatever the `error` of the
    stream or reader.

Raises:
    InvalidArgument: there is no such reduction or axis; complex numbers have no least or greatest, and no histogram, and
        without elements there are but sums and histograms; and as by indexing.
    NotFound, PeerLost, Timeout, Closed: as by indexing.)doc")
        .def("histogram", &histogram, "bins"_a = 10, "range"_a = nb::none(), "selection"_a = nb::none(), nb::kw_only(),
             "axis"_a = nb::none(),
             nb::sig("def histogram(self, bins: typing.SupportsIndex = 10, range: tuple[float, float] | None = None, "
                     "selection: staithe.typing.Selection | None = None, *, "
                     "axis: int | collections.abc.Sequence[int] | None = None) -> "
                     "tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]"),
             R"(How many of the selected elements lie in each bin, counted where they lie: as `numpy.histogram`.

Args:
    bins: how many, of equal width: 65536 at most.
    range: the least and greatest value of all bins, to the last of which the greatest belongs. What is in none, and NaN, is
        left out. If None, those of the selected elements, which are looked for first.
    selection: as for `reduce`.
    axis: the dimension of what is selected that goes, or several: a histogram for each index of those that stay; None: all.

Returns:
    The counts, of the dimensions that stay and the bins; and the bins + 1 values between which they lie, as f8. Elements are
    compared to them as f8, which may put one that lies on the border of two bins into the other one than NumPy does of f4.

Raises:
    InvalidArgument: there are no such bins, as there are none between NaNs; and as by `reduce`.
    NotFound, PeerLost, Timeout, Closed: as by indexing.)")
        .def("part", &part, "share"_a,
             nb::sig("@overload\n"
                     "def part(self, share: typing.Literal['process']) -> list[Block]: ...\n"
                     "@typing.overload\n"
                     "def part(self, share: typing.Literal['round']) -> staithe.box.Box | tuple[slice, ...]: ...\n"
                     "@typing.overload\n"
                     "def part(self, share: typing.Literal['block', 'count']) -> staithe.box.Box"),
             R"(This rank's share, without its data: what read(share=...) would read.

Returns:
    A Box; for "round" a tuple of slices; for "process" the list of blocks.)")
        .def(
            "__reduce__",
            [](const VariableObject& variable) {
                const std::string message =
                    "variable " + quoted(variable.name()) +
                    " cannot be pickled, for its step belongs to a reader: take its array, `[...]`";
                throw nb::type_error(message.c_str());
            },
            nb::sig("def __reduce__(self) -> typing.NoReturn"))
        .def(Html("of_variable"))
        .def("__repr__", &describe_variable);
    bind_as_array(variable);
    bind_operators(variable);
}

}  // namespace staithe::python
