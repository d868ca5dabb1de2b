"""The C++ library, as the package staithe uses it."""

from collections.abc import (
    Callable,
    Coroutine,
    ItemsView,
    Iterator,
    KeysView,
    Mapping,
    Sequence,
    ValuesView
)
import os
import types
from typing import (
    Any,
    Literal,
    NoReturn,
    Self,
    SupportsIndex,
    overload
)

import numpy
import numpy.typing
import xarray

import staithe.analyses
import staithe.box
import staithe.space_results
import staithe.typing


def log_to(receive: Callable[[int, float, str], None], level: int) -> None:
    """
    Have a function called with each log line: its level, from 0 for errors to 3, its time, and its text.
    """

def log_to_standard_error() -> None:
    """Have log lines printed, as at first."""

def error_codes() -> list[str]:
    """The names of all error codes, in their order."""

def raise_error(code: int, message: str) -> NoReturn:
    """
    Raise the error of place `code` in error_codes(), as the library would.
    """

def end_streams(uncaught: BaseException | None) -> None:
    """End all that is open, as the program ends: by that exception, or well."""

def end_streams_of_thread(uncaught: BaseException) -> None:
    """End the streams that this thread writes as failed: by that exception."""

def host_number() -> int:
    """A number that differs between hosts."""

def make_group_contact() -> str:
    """
    How other ranks find this process, rank 0 of their group, which listens from now on. Empty if it does not.
    """

def take_group_contact(contact: str) -> None:
    """What make_group_contact gave in rank 0, in every other rank."""

class Writer:
    """
    One rank's end of a stream that is written. Made by `staithe.writer`.

    Leaving its ``with`` block closes it, an exception ends the stream as failed. One thread at a time may use a writer and its step.
    """

    def step(self, timeout: float | None = None) -> WriteStep:
        """
        Open the next step, as soon as the queue has room for it.

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
            Closed: the writer is closed.
        """

    def close(self) -> None:
        """
        End the stream: readers get the steps that are complete, then the end.

        Waits until the expected readers have joined, and all ranks of the writer group have closed. Closing again does
        nothing.

        Raises:
            Timeout: not all expected readers joined in time. The writer is closed all the same.
            InvalidArgument: a step was neither ended nor abandoned: its data would be lost.
        """

    def fail(self, reason: str) -> None:
        """
        End the stream as failed: readers get the steps that are complete, then WriterFailed with the reason.

        So do the other ranks of the writer group when they next wait. An exception that leaves the ``with`` block does this,
        and one that ends the program. It waits for readers that are just coming, a fifth of a second at most. A step that is
        open is lost. On a closed writer it does nothing.

        Args:
            reason: why; its first line is what readers are shown.
        """

    def attach(self, analysis: staithe.analyses.Analysis) -> None:
        """
        Run an analysis in this thread at the end of every step from now on.

        This is what `staithe.writer` does with the analyses it is given. All ranks of the group attach the same ones, in the
        same order, before the first step.
        """

    def stats(self) -> staithe.typing.WriterStats:
        """
        What this rank did so far.

        Returns:
            ``steps`` published, the ``bytes`` in them, ``stall_seconds`` waited for room in the queue, ``pool_bytes`` of
            shared memory held; steps ``dropped`` by the overflow policy, summed over the reader groups; ``spilled_steps`` and
            the ``spilled_bytes`` in them, which went to files; of rank 0, the steps that are ``unread``: kept for readers that
            are expected and have not come; ``compressed_steps``, which were encoded to have room in memory, and the
            ``compressed_bytes`` that these take.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def __aenter__(self) -> Coroutine[Any, Any, Self]: ...

    def __aexit__(self, *exception: object) -> Coroutine[Any, Any, None]: ...

    @property
    def name(self) -> str:
        """The stream's name."""

    @property
    def rank(self) -> int:
        """This rank within the writer group."""

    @property
    def size(self) -> int:
        """How many ranks write the stream."""

    @property
    def placement(self) -> staithe.typing.Placement:
        """Where the blocks live: 'producer' or 'inline'."""

    @property
    def next_step(self) -> int:
        """
        The number of the step that is opened next. Not 0 at first for a writer that resumed.
        """

    @property
    def closed(self) -> bool:
        """Whether the writer is closed."""

    def __repr__(self) -> str: ...

def watch_writer(stream: Writer) -> int:
    """The descriptor tells of room for a step, until the next call."""

def open_writer(stream: str, rank: int, size: int, group: str, queue_steps: int | None, queue_bytes: int | None, readers: int | None, reserve: int, timeout: float | None, attrs: object | None, placement: str | None, overflow: str | None, spill_directory: str | None, spill_bytes: int | None, keep_steps: int | None, keep_bytes: int | None, resume: bool, listen: str | None, address: str | None, error: object | None, codec: str | None) -> Writer:
    """What staithe.writer() calls once it has made sense of its arguments."""

class StepAttributes:
    """The attributes of a step that is being written."""

    def __setitem__(self, name: str, value: staithe.typing.Attribute) -> None: ...

    def update(self, attributes: staithe.typing.Attributes) -> None:
        """Set all of these."""

    def __repr__(self) -> str: ...

class WriteStep:
    """
    A step that is being written: readers see all of it or none.

    Made by `Writer.step`, as ``with out.step() as step:``.
    """

    def put(self, name: str, array: numpy.typing.ArrayLike | staithe.typing.CudaArray | staithe.typing.DlpackArray, *, offset: staithe.typing.Extents | None = None, shape: staithe.typing.Extents | None = None, unit: str | None = None, attrs: staithe.typing.Attributes | None = None, fill: float | numpy.generic | None = None, error: str | None = None) -> None:
        """
        Copy an array into the step: it may change as soon as this returns.

        An array of a GPU is copied while the program goes on, and the end of the step waits for that. What its program does
        next on the array's stream comes after the copy, and so may change it.

        With neither `offset` nor `shape`, the array of a group's only rank is the whole variable; in a group of
        several, each rank's array is a local one of its own.

        Args:
            name: the variable.
            array: anything np.asarray takes, of 0 to 8 dimensions and any strides and byte order: bool, integers of 8 to
                64 bits, float16 to longdouble, complex64 to clongdouble. An xarray.DataArray keeps dims, units and attrs, and
                its coordinates are put with it, as variables of their own; a quantity of pint keeps its unit. Or an array of a
                GPU, by ``__cuda_array_interface__`` or DLPack, as CuPy, PyTorch, JAX and Numba have them.
            offset: where the block lies in the variable, a number per dimension; zeros if only `shape` is given. Coordinates
                are then parts, too.
            shape: the shape of the whole variable; every rank gives the same.
            unit: the unit of the values, as a text. What an array says of its unit must agree.
            attrs: attributes of the variable, beside those of a DataArray.
            fill: the value that stands for "none here"; the attribute ``_FillValue`` says so to readers. What a masked array
                masks is put as this value.
            error: by how much the values may be off at a reader of another host, where that has them there sooner, as in
                `staithe.writer`, and in the place of what is said there.

        Raises:
            InvalidArgument: dtype, offset, shape and array do not go together, or not with other blocks of this step; `fill`
                is no value of the array's dtype; elements are masked and there is no `fill`; units do not agree; the error is
                none that can be; or a coordinate is not the one that another variable of the step has under that name.
            AlreadyExists: the variable was put before in this step, without or with the same offset.
            LimitReached: there is no shared memory left.
            SystemFailure: CUDA's driver cannot copy from a GPU, or cannot be loaded.
            Closed: the step is over.
        """

    def __setitem__(self, name: str, array: numpy.typing.ArrayLike | staithe.typing.CudaArray | staithe.typing.DlpackArray) -> None:
        """``step["x"] = x`` is ``step.put("x", x)``."""

    def put_dataset(self, dataset: xarray.Dataset, *, offset: Mapping[Any, int] | None = None, shape: Mapping[Any, int] | None = None) -> None:
        """
        Copy all variables and coordinates of an xarray.Dataset into the step; its attrs become the step's.

        `Step.to_xarray` gives it back. Numbers, times and texts can be put, with indexes of one level.

        Args:
            dataset: all of it, or this rank's part.
            offset: where the part begins in the whole, by dimension; 0 along those that are not named.
            shape: the lengths of the whole by dimension; along those that are not named the part is the whole.

        Raises:
            InvalidArgument: an attribute, a dtype or an index is none that streams hold: the message names the variable; or a
                coordinate is not the one that another variable of the step has under that name.
            AlreadyExists: a variable was put before in this step.
            LimitReached: there is no shared memory left.
            Closed: the step is over.
        """

    @property
    def attrs(self) -> StepAttributes:
        """The step's attributes: ``step.attrs["time"] = 0.5``."""

    @property
    def index(self) -> int:
        """The step's number, counted from 0."""

    def end(self) -> None:
        """
        Publish the step; analyses that are attached to the writer run in here.

        Leaving the ``with`` block does this.

        Raises:
            SystemFailure: an array of a GPU could not be copied: the step is abandoned.
        """

    def abandon(self) -> None:
        """
        Drop the step: readers never see it, and its number is not used again.

        An exception that leaves the ``with`` block does this.
        """

    def __enter__(self) -> Self: ...

    def __aenter__(self) -> Coroutine[Any, Any, Self]: ...

    def __aexit__(self, *exception: object) -> Coroutine[Any, Any, None]: ...

    def __exit__(self, *exception: object) -> None: ...

    def __repr__(self) -> str: ...

    def loan(self, name: str, *, count: staithe.typing.Extents | None = None, shape: staithe.typing.Extents | None = None, offset: staithe.typing.Extents | None = None, dtype: numpy.typing.DTypeLike = 'f8', unit: str | None = None, attrs: staithe.typing.Attributes | None = None, error: str | None = None) -> Loan:
        """
        Memory of the stream to compute a block in: publishing it copies nothing.

        Args:
            name: the variable.
            count: the shape of the block; that of the whole variable if None.
            shape: the shape of the whole variable, as for `put`.
            offset: where the block lies in the variable, as for `put`.
            dtype: anything np.dtype takes.
            unit: the unit of the values, as a text.
            attrs: attributes of the variable.
            error: by how much the values may be off at a reader of another host, as for `put`.

        Returns:
            A context manager that gives a writable array, dense in C order, of undefined content. It is published when the
            ``with`` block ends, and given back when an exception leaves it.

        Raises:
            InvalidArgument: dtype, count, offset and shape do not go together.
            LimitReached: there is no shared memory left.
            Closed: the step is over.
        """

def open_write_step(step: WriteStep, timeout: float) -> None:
    """Open it, if it is not."""

class Loan:
    """
    A block lent by the stream to compute into. Made by `WriteStep.loan`.

    ``with step.loan(...) as array:`` gives the array, whose content is undefined at first. When the ``with`` block ends it
    is published without a copy, and must not be used any more; when an exception leaves it, the memory goes back.
    """

    def __enter__(self) -> numpy.typing.NDArray[Any]: ...

    def __exit__(self, *exception: object) -> None: ...

    def __repr__(self) -> str: ...

class Reader:
    """
    One rank's end of a stream that is read: an iterator over its steps. Made by `staithe.reader`.

    ``for step in reader:`` waits for each step, and so does ``async for step in reader:``, while other tasks run. It
    closes itself when the stream ends, and when its ``with`` block does. One thread at a time may use it; steps
    and arrays may go to other threads.
    """

    def __iter__(self) -> Self: ...

    def __next__(self) -> Step: ...

    def __aiter__(self) -> Self: ...

    def __anext__(self) -> Coroutine[Any, Any, Step]: ...

    def next(self, timeout: float | None = None) -> Step | None:
        """
        Wait for the next complete step. The step that came before is released; its arrays stay as they are.

        Args:
            timeout: seconds to wait; the reader's own timeout if None.

        Returns:
            The step, or None after the last one.

        Raises:
            Timeout: no step came in time.
            LimitReached: no step can come, since arrays of earlier steps still hold all that the queue has room for.
            PeerLost: a writer died; all complete steps came before.
            Closed: the reader is closed.
        """

    def follow(self, *, latest: bool = False) -> Iterator[Step]:
        """
        Iterate over the steps to come: ``for step in reader.follow(latest=True):``.

        All ranks of the group do so at the same step.

        Args:
            latest: from now on each step is the newest one that there is; those that came before it are dropped. The
                overflow policy of this group is then "latest".

        Raises:
            InvalidArgument: the stream's queue has room for one step only, so that no step can be dropped in time.
        """

    def paused(self) -> Pause:
        """
        Take no steps while a block of code runs: ``with reader.paused():``.

        The last step is released, those that came and were not taken are given back, and those that are published meanwhile
        are passed by: so a reader that is busy elsewhere does not fill the writer's queue. All ranks of the group pause at the
        same step.
        """

    def fileno(self) -> int:
        """
        A descriptor that is readable while `next` would not wait.

        A step is there then, the end, or an error: ``next(timeout=0)`` tells. So a reader can stand among sockets and
        pipes in `select`, `selectors` and ``loop.add_reader``. From now on a thread watches the stream, and a step is asked
        for as soon as the one before is taken, which makes the steps of a group that drops them that much older. The queue
        needs room for two steps, since the last one is held until the next is taken.

        Raises:
            LimitReached: there is no descriptor or thread left for it.
            Closed: the reader is closed.
        """

    def close(self) -> None:
        """
        Leave the stream. Arrays that were read stay valid.

        Closing again does nothing.
        """

    def stats(self) -> staithe.typing.ReaderStats:
        """
        What this rank did so far.

        Returns:
            ``steps`` received, how many of them are ``pinned`` (not released yet), ``wait_seconds`` waited for steps, and how
            many steps this group has lost: ``dropped`` by its overflow policy.
        """

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def __aenter__(self) -> Coroutine[Any, Any, Self]: ...

    def __aexit__(self, *exception: object) -> Coroutine[Any, Any, None]: ...

    @property
    def attrs(self) -> types.MappingProxyType[str, Any]:
        """The attributes of the stream, read-only."""

    @property
    def name(self) -> str:
        """The stream's name."""

    @property
    def rank(self) -> int:
        """This rank within the reader group."""

    @property
    def size(self) -> int:
        """How many ranks read together."""

    @property
    def writers(self) -> int:
        """How many ranks write the stream."""

    @property
    def closed(self) -> bool:
        """Whether it was closed, or the stream has ended."""

    def __repr__(self) -> str: ...

class Pause:
    """Made by `Reader.paused`, for a ``with`` block."""

    def __enter__(self) -> None: ...

    def __exit__(self, *exception: object) -> None: ...

def watch_reader(stream: Reader) -> int:
    """
    Release the last step; the descriptor tells of the next one, until the next call.
    """

def timeout_of(stream: Reader) -> float | None:
    """The timeout that its user gave."""

def open_reader(stream: str, rank: int, size: int, group: str, timeout: float | None, program: str | None, overflow: str | None, start: int, resume: bool, placement: str | None, listen: str | None, address: str | None, error: object | None, codec: str | None, derive: Sequence[str], history: str | None) -> Reader:
    """What staithe.reader() calls once it has made sense of its arguments."""

class Block:
    """The part of a variable that one writer rank handed over at once."""

    @property
    def rank(self) -> int:
        """The writer rank that it comes from."""

    @property
    def box(self) -> staithe.box.Box:
        """Where it lies in the variable; a local array's starts at 0."""

    @property
    def data(self) -> numpy.typing.NDArray[Any]:
        """
        Its elements, read-only; without a copy, unless they come from another host.
        """

    def __repr__(self) -> str: ...

class Variable:
    """
    A variable of a step.

    Index it for NumPy arrays: ``step["x"][...]``, ``step["x"][10:20, ::2]``, ``step["x"][staithe.Box((0, 0), (4, 4))]``.
    """

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def dtype(self) -> numpy.dtype[Any]:
        """The type of its elements."""

    @property
    def shape(self) -> tuple[int, ...]:
        """
        The shape of the whole variable. InvalidArgument if it is several local arrays: these have one each.
        """

    @property
    def unit(self) -> str:
        """The unit of its values, as the writer gave it; '' if it gave none."""

    @property
    def error(self) -> str:
        """
        By how much its writer allows values to be off that come from another host, as a text: 'exact', '1e-3 rel'. A reader may have asked for something else. Of a derived one it says nothing: that is as near as what it is made of.
        """

    @property
    def attrs(self) -> types.MappingProxyType[str, Any]:
        """Its attributes, read-only."""

    @property
    def local(self) -> bool:
        """Whether it is an array per writer rank, rather than one global array."""

    @property
    def blocks(self) -> tuple[Block, ...]:
        """The blocks that it is made of, by writer rank."""

    @overload
    def __getitem__(self, key: slice | types.EllipsisType | staithe.box.Box | staithe.typing.Indices | None) -> numpy.typing.NDArray[Any]: ...
    @overload
    def __getitem__(self, key: staithe.typing.Selection) -> Any:
        """
        The selected elements, as NumPy selects them from the whole variable.

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
            Closed: the step was released.
        """

    @overload
    def read(self, *, share: Literal['process']) -> list[Block]: ...
    @overload
    def read(self, selection: staithe.typing.Selection | None = None, *, share: Literal['block', 'count', 'round'] | None = None, out: staithe.typing.CudaArrayT) -> staithe.typing.CudaArrayT: ...
    @overload
    def read(self, selection: staithe.typing.Selection | None = None, *, share: Literal['block', 'count', 'round'] | None = None, out: numpy.typing.NDArray[Any] | None = None) -> numpy.typing.NDArray[Any]:
        """
        The selected elements, or this rank's share of them.

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
            SystemFailure: CUDA's driver cannot copy to a GPU, or cannot be loaded.
        """

    def reduce(self, how: staithe.typing.Reduction, selection: staithe.typing.Selection | None = None, *, axis: int | Sequence[int] | None = None) -> Any:
        """
        What becomes of the selected elements, where they lie: ``step["T"].reduce("max")``.

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
            NotFound, PeerLost, Timeout, Closed: as by indexing.
        """

    def histogram(self, bins: SupportsIndex = 10, range: tuple[float, float] | None = None, selection: staithe.typing.Selection | None = None, *, axis: int | Sequence[int] | None = None) -> tuple[numpy.typing.NDArray[numpy.int64], numpy.typing.NDArray[numpy.float64]]:
        """
        How many of the selected elements lie in each bin, counted where they lie: as `numpy.histogram`.

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
            NotFound, PeerLost, Timeout, Closed: as by indexing.
        """

    @overload
    def part(self, share: Literal['process']) -> list[Block]: ...
    @overload
    def part(self, share: Literal['round']) -> staithe.box.Box | tuple[slice, ...]: ...
    @overload
    def part(self, share: Literal['block', 'count']) -> staithe.box.Box:
        """
        This rank's share, without its data: what read(share=...) would read.

        Returns:
            A Box; for "round" a tuple of slices; for "process" the list of blocks.
        """

    def __reduce__(self) -> NoReturn: ...

    def __repr__(self) -> str: ...

    @property
    def ndim(self) -> int:
        """The number of dimensions."""

    @property
    def size(self) -> int:
        """The number of elements."""

    @property
    def nbytes(self) -> int:
        """The bytes of its elements."""

    @property
    def T(self) -> numpy.typing.NDArray[Any]:
        """All of it, with its dimensions reversed."""

    def astype(self, dtype: numpy.typing.DTypeLike, *, casting: staithe.typing.Casting = 'safe') -> numpy.typing.NDArray[Any]:
        """
        All of it, as a new array of that dtype, yours to write to. It is converted while it is copied.

        Args:
            dtype: anything np.dtype takes that a variable can have.
            casting: what conversions are allowed, as for np.can_cast: "safe" loses nothing, "same_kind" and "unsafe" may.

        Raises:
            InvalidArgument: the dtype cannot hold all values of the variable's, and `casting` is "safe".
        """

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __array__(self, dtype: numpy.typing.DTypeLike | None = None, copy: bool | None = None) -> numpy.typing.NDArray[Any]: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...

    def __dlpack__(self, **options: Any) -> Any: ...

    def min(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> Any:
        """
        The smallest of the elements, or of those along an axis; `options` are those of np.min.

        Computed from the elements, on whichever host they lie: streams keep no statistics.
        """

    def max(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> Any:
        """
        The largest of the elements, or of those along an axis; `options` are those of np.max.

        Computed from the elements, on whichever host they lie: streams keep no statistics.
        """

    def mean(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> Any:
        """
        The mean of the elements, or of those along an axis; `options` are those of np.mean.

        Computed from the elements, on whichever host they lie: streams keep no statistics.
        """

    def sum(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> Any:
        """
        The sum of the elements, or of those along an axis; `options` are those of np.sum.

        Computed from the elements, on whichever host they lie: streams keep no statistics.
        """

    def var(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> Any:
        """
        The variance of the elements, or of those along an axis; `options` are those of np.var.

        Computed from the elements, on whichever host they lie: streams keep no statistics.
        """

    def std(self, axis: int | tuple[int, ...] | None = None, **options: Any) -> Any:
        """
        The standard deviation of the elements, or of those along an axis; `options` are those of np.std.

        Computed from the elements, on whichever host they lie: streams keep no statistics.
        """

    def __eq__(self, other: object) -> Any: ...

    def __ne__(self, other: object) -> Any: ...

    def __lt__(self, other: Any) -> Any: ...

    def __le__(self, other: Any) -> Any: ...

    def __gt__(self, other: Any) -> Any: ...

    def __ge__(self, other: Any) -> Any: ...

    def __add__(self, other: Any) -> Any: ...

    def __radd__(self, other: Any) -> Any: ...

    def __sub__(self, other: Any) -> Any: ...

    def __rsub__(self, other: Any) -> Any: ...

    def __mul__(self, other: Any) -> Any: ...

    def __rmul__(self, other: Any) -> Any: ...

    def __matmul__(self, other: Any) -> Any: ...

    def __rmatmul__(self, other: Any) -> Any: ...

    def __truediv__(self, other: Any) -> Any: ...

    def __rtruediv__(self, other: Any) -> Any: ...

    def __floordiv__(self, other: Any) -> Any: ...

    def __rfloordiv__(self, other: Any) -> Any: ...

    def __mod__(self, other: Any) -> Any: ...

    def __rmod__(self, other: Any) -> Any: ...

    def __divmod__(self, other: Any) -> Any: ...

    def __rdivmod__(self, other: Any) -> Any: ...

    def __pow__(self, other: Any) -> Any: ...

    def __rpow__(self, other: Any) -> Any: ...

    def __lshift__(self, other: Any) -> Any: ...

    def __rlshift__(self, other: Any) -> Any: ...

    def __rshift__(self, other: Any) -> Any: ...

    def __rrshift__(self, other: Any) -> Any: ...

    def __and__(self, other: Any) -> Any: ...

    def __rand__(self, other: Any) -> Any: ...

    def __xor__(self, other: Any) -> Any: ...

    def __rxor__(self, other: Any) -> Any: ...

    def __or__(self, other: Any) -> Any: ...

    def __ror__(self, other: Any) -> Any: ...

    def __neg__(self) -> Any: ...

    def __pos__(self) -> Any: ...

    def __abs__(self) -> Any: ...

    def __invert__(self) -> Any: ...

    def __bool__(self) -> bool: ...

    def __int__(self) -> int: ...

    def __float__(self) -> float: ...

    def __complex__(self) -> complex: ...

    __hash__: None = None

class Step(Mapping[str, Variable]):
    """
    A complete step: a mapping of names to variables.

    It is released when the reader is asked for the next one. Arrays of it stay valid, and pin the step in the
    writer's queue, as long as they live.
    """

    def __getitem__(self, name: str) -> Variable: ...

    def __contains__(self, name: object) -> bool: ...

    def __iter__(self) -> Iterator[str]: ...

    def __len__(self) -> int: ...

    def keys(self) -> KeysView[str]:
        """The names of the variables."""

    def values(self) -> ValuesView[Variable]:
        """The variables."""

    def items(self) -> ItemsView[str, Variable]:
        """Names and variables."""

    def get(self, name: str, default: Any = None) -> Any:
        """The variable of that name, or `default`."""

    def derive(self, expression: str) -> Variable:
        """
        A variable that is computed from those of this step, element by element, when its elements are asked for.

            step.derive("speed = sqrt(u**2 + v**2)").max()

        The syntax is Python's, as numexpr has it: arithmetic, comparisons, `&`, `|`, `^` and `~`, `where(u > 0, u, 0)`, and
        functions by NumPy's names: sqrt, exp, log, sin, arctan2, abs, minimum, isnan, real, ... Names that are not Python's
        stand in quotes: `'velocity x' * 2`. Shapes go together as NumPy broadcasts them, local arrays block by block.
        Whole numbers are computed in 64 bits, half precision in single; from there on dtypes combine as NumPy's do. What is
        made on the way is a few KiB at a time.

        Brackets take parts, by NumPy's basic indexing with steps forwards: `T[::4, ::4]`, `v[..., 0]`, `(u * v)[1:]`; of local
        arrays from each by its own shape. `stack(u, v, axis=0)` and `concatenate(u, v, axis=0)`, as all of an expression,
        make one variable of several, which are arrays or computed: of the dtype that all have, else of what they would be
        computed in; what is stacked is broadcast first. What nothing is computed of keeps its dtype.

        Args:
            expression: "name = ...", "name [unit] = ...", or what would follow the "=", which then is the name, too.

        Returns:
            A variable like all others: its blocks are those of the variables that it is made of, as far as they are in it.

        Raises:
            InvalidArgument: the text is no such expression, and where; or its variables do not go together, or lack an index.
            NotFound: the step has no such variable.
        """

    def convert(self, name: str, unit: str) -> Variable:
        """
        A variable in another unit, by pint's names of units: it is derived from the one of that name.

            step.convert("T", "degC").mean()

        Args:
            name: a variable that has a unit.
            unit: such as "km/h", "degC" or "1/cm".

        Returns:
            A variable of the same name, of single or double precision, computed when its elements are asked for.

        Raises:
            InvalidArgument: it has no unit, or none that becomes this one by a factor and an offset.
            NotFound: the step has no such variable; or pint is not installed.
        """

    @property
    def index(self) -> int:
        """The step's number, counted by the writer from 0."""

    @property
    def writers(self) -> int:
        """
        How many ranks wrote it; of a recording 1, unless it has local arrays of several.
        """

    @property
    def attrs(self) -> types.MappingProxyType[str, Any]:
        """
        The attributes of the step, read-only; where writer ranks disagree, the lower rank's.
        """

    @overload
    def to_xarray(self, names: str, *, isel: Mapping[str, int | slice] | None = None, decode_times: bool = True) -> xarray.DataArray: ...
    @overload
    def to_xarray(self, names: list[str] | tuple[str, ...] | None = None, *, isel: Mapping[str, int | slice] | None = None, decode_times: bool = True) -> xarray.Dataset:
        """
        The variables as an xarray.Dataset, with the dims, coordinates, units and attrs that they were put with.

        What lies in one block is not copied: it is read-only, and pins the step in the writer's queue for as long as the
        Dataset or a part of it lives. What lies in several is copied together; times, texts and indexes are copied always.

        Args:
            names: the variables to take, with their coordinates; all if None. A single name, not in a list, gives its DataArray.
            isel: slices or integers by dimension: nothing else is read.
            decode_times: make times of numbers in units like "seconds since 2000-01-01".

        Returns:
            The Dataset, its attrs those of the step. Units are the attribute "units". Dimensions that have no names get them
            from the variable: "x_dim_0".

        Raises:
            ImportError: xarray is not installed.
            InvalidArgument: variables do not go together in a Dataset, or one is several local arrays: select others by name;
                or there is no dimension that `isel` names.
            NotFound: the step has no such variable, or no writer rank wrote some of the elements.
            IndexError: an integer is out of bounds.
            Closed: the step was released.
        """

    def release(self) -> None:
        """
        Give the step back before the next one is asked for. Its arrays stay valid, and pin it still.
        """

    def __repr__(self) -> str: ...

class RunningReduction:
    """
    What becomes of the elements of many steps, as they come.

    Such as the mean of a field over time::

        mean = staithe.RunningReduction("mean", axis=())
        for step in staithe.reader("melt"):
            mean.add(step["T"])
        field = mean.result()

    Each step's elements are looked at where they lie, as `Variable.reduce` does it, and none is kept: what is kept is as large
    as the result, for "var" and "std" three times that. Threads may share one, and take turns.

    Args:
        how: "sum", "mean", "min", "max", "var", "std", or "histogram(BINS, LEAST, GREATEST)".
        axis: the dimension of what is added that goes, or several; (): none, so that each element has a result of its own, over
            time; None: all, so that all elements of all steps have one.

    Raises:
        InvalidArgument: there is no such reduction, or `axis` is made of something else than whole numbers.
    """

    def __init__(self, how: staithe.typing.Reduction, *, axis: int | Sequence[int] | None = None) -> None: ...

    def add(self, variable: Variable, selection: staithe.typing.Selection | None = None) -> None:
        """
        Add the selected elements of a step's variable, or of a derived one.

        Args:
            variable: of any stream or recording. Its shape may be another one each time along the dimensions that go; none of its
                elements are needed.
            selection: as for `Variable.reduce`.

        Raises:
            InvalidArgument: the dtype, or the shape of what becomes of it, is another one than before; and as by
                `Variable.reduce`. Nothing was added then, nor after any other error.
            NotFound, PeerLost, Timeout, Closed: as by indexing.
        """

    def result(self) -> Any:
        """
        What has become of all that was added so far; more can be added then.

        Returns:
            A read-only array of its own, or a scalar: as of `Variable.reduce`, of the elements of all steps.

        Raises:
            InvalidArgument: nothing was added; or no elements, of which there are but sums and histograms.
        """

    @property
    def steps(self) -> int:
        """How many times something was added."""

def check_recording(path: str, error: object | None, codec: str | None) -> None:
    """
    Raise what a Recorder of these would, as far as that can be told before there are steps.
    """

class Recorder:
    """
    Steps into a file that stock tools read.

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
        ProtocolError: what is to be gone on with is no recording.
    """

    def __init__(self, path: str | os.PathLike[str], *, attrs: staithe.typing.Attributes | None = None, error: str | Mapping[str, str] | None = None, codec: str | None = None, variables: Sequence[str] = (), resume: bool = False) -> None: ...

    def append(self, step: Step) -> None:
        """
        Write a step, under its number. It is on disk when this returns.

        Raises:
            InvalidArgument: the format cannot hold it; the message says what differs, or what it does not have. Or it is the
                first step, and lacks a variable for which an error was given.
            NotFound: it is the first step, and lacks one of `variables`.
            LimitReached: the disk is full. The steps before it are there, and more can be appended.
        """

    @property
    def path(self) -> str:
        """Of the file."""

    @property
    def newest(self) -> int | None:
        """The number of the newest step, or None."""

    def close(self) -> None:
        """Let others write there. Closing again does nothing."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

VERSION: str = '0.1.0'

def run_directory() -> str:
    """Where this process looks for streams."""

def stream_names(address: str | None = None, timeout: float = 5.0) -> list[str]:
    """The names of the streams that are open now."""

def describe(stream: str, timeout: float) -> dict[str, Any]:
    """What a stream's director says of it."""

class SpaceQueryResult:
    """Where a condition holds, as staithe.space_results has it."""

    @property
    def version(self) -> int:
        """Of which version."""

    @property
    def variables(self) -> list[str]:
        """That the condition names."""

    @property
    def completions(self) -> list[int]:
        """Of the version, for each of the variables."""

    @property
    def elements(self) -> int:
        """How many match."""

    @property
    def boxes(self) -> list[staithe.box.Box]:
        """That they are in."""

    def __getstate__(self) -> tuple[Any, ...]:
        """To be pickled."""

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        """From that."""

class Space:
    """A space, as staithe.spaces wraps it."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def kept_by(self) -> str:
        """Who keeps it."""

    def put(self, name: str, array: object, *, offset: object | None, shape: object | None, version: int | None, unit: str, attributes: object | None, complete: bool, overlap: bool | None, persist: bool = False) -> int:
        """Puts a block."""

    def get(self, name: str, *, version: int | None, box: object, timeout: float | None, completion: int | None = None) -> numpy.typing.NDArray[Any]:
        """Gets an array."""

    def get_into(self, name: str, out: numpy.typing.NDArray[Any], *, version: int | None, box: object, timeout: float | None) -> None:
        """Gets the elements into an array."""

    def reduce(self, name: str, how: str, *, axes: Sequence[int] | None, version: int | None, box: object, timeout: float | None) -> Any:
        """Reduces an array."""

    def blocks(self, name: str, *, version: int | None, box: object, timeout: float | None) -> list[staithe.box.Box]:
        """The pieces that an array is put together of."""

    def names(self, pattern: str) -> list[str]:
        """The names of variables."""

    def containers(self, pattern: str) -> list[str]:
        """The names of containers."""

    def remove_container(self, path: str) -> int:
        """Removes all variables in it."""

    def set_attributes(self, path: str, attributes: object) -> None:
        """Sets attributes of a container."""

    def attributes(self, path: str) -> dict[str, Any]:
        """The attributes of a container."""

    def versions(self, name: str, make: type[staithe.space_results.Version]) -> list[staithe.space_results.Version]:
        """The versions of a variable."""

    def query(self, condition: str, version: int | None, most: int | None) -> SpaceQueryResult:
        """Where a condition holds."""

    def values(self, hits: SpaceQueryResult, name: str) -> numpy.typing.NDArray[Any]:
        """The elements that match."""

    def remove(self, name: str, version: int | None) -> None:
        """Removes a version, or the variable."""

    def keep(self, name: str, versions: int | None, bytes: int | None, seconds: float | None) -> None:
        """Which versions are kept."""

    def close(self) -> None:
        """Lets go of it."""

    def lock(self, name: str, *, writes: bool, box: object, timeout: float | None, lease: float) -> SpaceLock:
        """Takes a lock."""

    def lend(self, name: str, *, box: object | None, version: int | None, shape: object | None, dtype: object | None, unit: str | None, attributes: object | None, complete: bool, persist: bool, timeout: float | None) -> SpaceLoan:
        """Lends a block."""

    def publish(self, loan: SpaceLoan) -> int:
        """Puts a block that was lent."""

    def watch(self, name: str, oldest: bool, timeout: float | None) -> SpaceWatch:
        """To see versions as they are completed."""

    def batch(self) -> SpaceBatch:
        """To put many small blocks."""

    def put_async(self, results: SpaceResults, number: int, name: str, array: object, *, offset: object | None, shape: object | None, version: int | None, unit: str, attributes: object | None, complete: bool, overlap: bool | None, persist: bool = False) -> object:
        """Puts a block; what it returns has to be kept until that is done."""

    def get_async(self, results: SpaceResults, number: int, name: str, *, version: int | None, box: object | None, timeout: float | None) -> None:
        """Gets an array."""

class SpaceLock:
    """A lock, as staithe.space_locks wraps it."""

    def release(self) -> None:
        """Releases it."""

class SpaceLoan:
    """A block that is lent, as staithe.space_locks wraps it."""

    @property
    def array(self) -> numpy.typing.NDArray[Any]:
        """To compute in."""

    def give_back(self) -> None:
        """Ends it without a put."""

class SpaceBatchGet:
    """What a batch is to get, as staithe.space_batches wraps it."""

    def result(self) -> numpy.typing.NDArray[Any]:
        """The array, for which the batch is sent if need be."""

class SpaceBatch:
    """Blocks that are put together, as staithe.space_batches wraps them."""

    def put(self, name: str, array: object, *, offset: object | None, shape: object | None, version: int | None, unit: str, attributes: object | None, complete: bool, overlap: bool | None, persist: bool = False) -> None:
        """Puts a block."""

    def get(self, name: str, *, version: int | None, box: object) -> SpaceBatchGet:
        """Gets an array."""

    def send(self) -> None:
        """Sends what is left."""

    @property
    def pending(self) -> int:
        """Blocks, and gets, that are not sent yet."""

    def failures(self) -> list[tuple[int, str, int | None, str]]:
        """What was refused of what was sent last."""

class SpaceWatch:
    """Versions as they are completed, as staithe.space_watches wraps it."""

    def next(self) -> int | None:
        """The next one."""

class SpaceResult:
    """What became of a call that nobody waited for."""

    @property
    def number(self) -> int:
        """Its number."""

    def take(self) -> Any:
        """What it gives, or raises; once."""

class SpaceResults:
    """Of all such calls, as staithe.space_futures hands them out."""

    def __init__(self) -> None: ...

    def next(self) -> SpaceResult:
        """Waits for one."""

    def cancel(self, number: int) -> None:
        """Ends the wait of one."""

class Server:
    """A server of spaces: it answers until it goes."""

    def describe(self) -> dict[str, Any]:
        """What it has."""

    def is_dismissed(self) -> bool:
        """It has been drained."""

    def fileno(self) -> int:
        """A descriptor that is readable once it has been."""

def open_space(name: str, rank: int, size: int, timeout: float | None, server: str | None) -> Space:
    """Opens a space."""

def open_server(name: str, rank: int = 0, size: int = 1, listen: str | None = None, spill: str | None = None, spill_bytes: int | None = None, cores: int | None = None, replicas: int = 1) -> Server:
    """Opens a server."""

class DeviceServer:
    """A process that encodes for others, until it goes."""

def open_device(name: str, listen: str | None = None, cores: int | None = None) -> DeviceServer:
    """Opens a device."""

def describe_devices(address: str | None = None, timeout: float = 5.0) -> list[dict[str, Any]]:
    """What the devices say of themselves."""

def describe_server(name: str, timeout: float) -> dict[str, Any]:
    """What a server says of itself."""

def drain_server(name: str, drops_kept: bool, timeout: float) -> list[str]:
    """Lets a server take in no more; what somebody needs of it, or it goes."""

def server_names(address: str | None = None) -> list[str]:
    """The servers that there are."""

def parse_bytes(text: str) -> int:
    """Bytes from a text such as "256 MiB"."""

def set_limits(memory: int | None = None, descriptors: int | None = None, connections: int | None = None, bytes_in_flight: int | None = None, prefetch: int | None = None) -> None:
    """Replace the limits that were set before."""

def limits() -> tuple[int | None, int | None, int | None, int | None, int | None]:
    """The limits that hold, in the order of set_limits."""

def usage() -> tuple[int, int, int, int, int]:
    """What this process holds, in the order of set_limits."""

def encode(array: numpy.typing.ArrayLike, codec: str, mode: str, kind: str, value: float, fill: float | None, threads: int, level: int | None) -> numpy.typing.NDArray[numpy.uint8]:
    """The payload of an array."""

def decode(payload: numpy.typing.NDArray[numpy.uint8], box: Any, out: numpy.typing.NDArray[Any] | None, threads: int) -> numpy.typing.NDArray[Any]:
    """The array of a payload, or a box of it."""

def payload_info(payload: numpy.typing.NDArray[numpy.uint8]) -> dict[str, Any]:
    """What a payload says of itself."""

def codec_list() -> list[tuple[str, str, str, bool, tuple[numpy.dtype[Any], ...], int]]:
    """
    Name, summary, why it is missing, whether it is lossless, what it takes with a bound, how many levels it has: each codec.
    """

def load_codec(path: str) -> tuple[str, str, str, bool, tuple[numpy.dtype[Any], ...], int]:
    """Loads a plugin; the same of its codec."""

def probe(array: numpy.typing.ArrayLike, codec: str, mode: str, kind: str, value: float, fill: float | None, level: int | None, share: float) -> tuple[float, float, int]:
    """Ratio, seconds and tiles looked at."""
