"""Spaces: named stores of variables in versions, which any program puts to and gets from."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Literal, SupportsIndex

from numpy.typing import ArrayLike, DTypeLike, NDArray

from . import _core
from .arguments import explained
from .box import Box
from .errors import InvalidArgument, NotFound, Timeout
from .group import GroupLike, resolve
from .log_lines import follow_logging
from .reopening import Origin, this_process
from .space_arguments import ARGUMENTS_OF_PUT, block_of, checked, number, refuse_slips
from .space_batches import Batch
from .space_contents import Contents
from .space_futures import Aio, calls
from .space_locks import Lock, Mode, View, check_mode
from .space_results import Hits
from .space_watches import Start, Watch, check_start
from .typing import Attribute, Extents, Reduction


class Space(Contents):
    """A named store of variables in versions. `staithe.space` opens it.

    A version of a variable is put in blocks, by any number of programs. It is complete when these cover its shape, or
    when every rank of the group that puts has said ``complete=True``; from then on it never changes. Where blocks
    overlap, each element is the one that was put last.

    Any number of threads may use it. As a context manager it closes itself. A pickled one is opened again where it is
    unpickled and used, for a single process.
    """

    def __init__(self, core: _core.Space | None, origin: Origin) -> None:
        self._opened = core
        self._origin = origin

    @property
    def _core(self) -> _core.Space:
        if self._opened is None:  # It was unpickled, perhaps by a scheduler that only hands it on.
            self._opened = self._origin.open_again()
        return self._opened

    @property
    def name(self) -> str:
        """Its name."""
        return self._origin.name

    @property
    def kept_by(self) -> str:
        """Who keeps it: "this process", or the server and where it runs."""
        return self._core.kept_by

    @explained
    def put(
        self,
        name: str,
        array: ArrayLike,
        *,
        offset: Extents | None = None,
        shape: Extents | None = None,
        version: int | None = None,
        unit: str = "",
        complete: bool = False,
        overlap: bool | None = None,
        persist: bool = False,
        **attributes: Attribute,
    ) -> int:
        """Put a block of a variable; it is copied once.

        Args:
            name: the variable: any text; ``/`` may part it like the path of a file.
            array: the block; anything np.asarray takes, of any strides. Of an xarray.DataArray dimensions, unit and
                attributes are put, too, but no coordinates (`dataset.staithe.put` does that); of pint's its unit.
            offset: of the block in the variable, an index per dimension; 0 if None.
            shape: of the whole variable; if None, the block is all of it.
            version: which one it belongs to, any integer; None: a new one, after the newest. Ranks of a group that put
                parts have to say which.
            unit: of its elements; if the array knows it, the same.
            complete: nothing comes after this, from this rank: the version is complete once all ranks have said so.
            overlap: whether it may lie over other blocks of the version, to count in place of them. If None, not where
                a group puts: ranks that write the same elements are mostly a mistake.
            persist: return once it is on the disk of the server, which serves it again after a crash, if all blocks of
                the version were put so. Needs ``staithe serve --spill FOLDER``.
            **attributes: of the version, such as ``run="a12"``; none may be called like an argument, or nearly so.

        Returns:
            The version.

        Raises:
            InvalidArgument: the block does not lie in the shape, or the version has another shape or dtype; elements
                are masked; `persist` where there is no folder.
            AlreadyExists: the version is complete, or has some of the elements and `overlap` is not allowed.
            LimitReached: who keeps the space has no memory left.
            PeerLost: the server is gone.
        """
        refuse_slips("put", attributes, ARGUMENTS_OF_PUT)
        block = block_of(name, array, unit, attributes)
        return self._core.put(
            name,
            block.array,
            offset=offset,
            shape=shape,
            version=version,
            unit=block.unit,
            attributes=block.attributes,
            complete=complete,
            overlap=overlap,
            persist=persist,
        )

    @explained
    def put_async(
        self,
        name: str,
        array: ArrayLike,
        *,
        offset: Extents | None = None,
        shape: Extents | None = None,
        version: int | None = None,
        unit: str = "",
        complete: bool = False,
        overlap: bool | None = None,
        persist: bool = False,
        **attributes: Attribute,
    ) -> Future[int]:
        """The same as `put`, without waiting: ``future.result()`` waits, and is the version, or raises.

        Puts are done one after the other, in the order of the calls, under the locks of this thread. The array must not
        be changed until the future is done.

        Raises:
            LimitReached: 1024 of them wait for their turn.
            Closed: at `result`: the space was closed before it was put.
        """
        refuse_slips("put_async", attributes, ARGUMENTS_OF_PUT)
        block = block_of(name, array, unit, attributes)
        running, core = calls(), self._core

        def start(number: int) -> object:
            elements = core.put_async(
                running.results,
                number,
                name,
                block.array,
                offset=offset,
                shape=shape,
                version=version,
                unit=block.unit,
                attributes=block.attributes,
                complete=complete,
                overlap=overlap,
                persist=persist,
            )
            return elements, core  # who lets go of a space has not closed it

        return running.start(start)

    @explained
    def get_async(
        self,
        name: str,
        *,
        version: int | Literal["latest"] = "latest",
        box: Box | None = None,
        timeout: float | None = None,
    ) -> Future[NDArray[Any]]:
        """The same as `get`, without waiting: ``future.result()`` waits, and is the array, or raises.

        One that waits for its version is in nobody's way. `cancel` of the future ends its wait, and so does `close` of
        the space: `Closed`.

        Raises:
            LimitReached: 256 of them are under way.
        """
        running = calls()
        which, part = number(version), checked(box)
        return running.start(
            lambda call: self._core.get_async(running.results, call, name, version=which, box=part, timeout=timeout)
        )

    @property
    def aio(self) -> Aio:
        """`get` and `put` for asyncio: ``T = await space.aio.get("T", version=7)``."""
        return Aio(self)

    def batch(self) -> Batch:
        """To put or get many small blocks: ``with space.batch() as batch: batch.put("T", T, version=7)``.

        A server is asked for many of them at once. All are there when the ``with`` block has ended.
        """
        return Batch(self._core)

    @explained
    def get(
        self,
        name: str,
        *,
        version: int | Literal["latest"] = "latest",
        box: Box | None = None,
        timeout: float | None = None,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Get a variable, or a box of it. Waits until the version is complete.

        Args:
            name: the variable.
            version: which one; "latest": the newest that is complete.
            box: which elements; None: all.
            timeout: the most seconds to wait; None: the space's.
            out: an array to copy the elements to, of the box's shape and a dtype that has all of their values. Who gets
                version after version into one array touches no new memory. When this fails, parts of it may be written.

        Returns:
            `out`, if it was given; else a read-only array of the box's shape and the variable's dtype: a view of where
            the elements lie if one block has them all, else a copy. It stays as it is, even if the version is removed.

        Raises:
            Timeout: it is not there, and the message says what is.
            NotFound: the version is complete, but nobody has put some of the elements.
            InvalidArgument: the box does not lie in the variable, or the elements cannot be written to `out`.
            PeerLost: the server is gone.
        """
        if out is None:
            return self._core.get(name, version=number(version), box=checked(box), timeout=timeout)
        self._core.get_into(name, out, version=number(version), box=checked(box), timeout=timeout)
        return out

    @explained
    def reduce(
        self,
        name: str,
        how: Reduction,
        *,
        axis: int | Sequence[int] | None = None,
        version: int | Literal["latest"] = "latest",
        box: Box | None = None,
        timeout: float | None = None,
    ) -> Any:
        """What becomes of the elements, where the blocks lie: ``space.reduce("T", "max", axis=0)``.

        Servers of other hosts reduce what lies with them, and send what becomes of it. Waits until the version is
        complete.

        Args:
            name: the variable.
            how: "sum", "mean", "min", "max", "var", "std", or "histogram(BINS, LEAST, GREATEST)".
            axis: the dimension that goes, or several, as for `numpy.sum`; None: all.
            version: which one; "latest": the newest that is complete.
            box: of which elements; None: all.
            timeout: the most seconds to wait; None: the space's.

        Returns:
            What NumPy's function of that name gives: a read-only array of the dimensions that stay, or a scalar. But
            what is added up of f2 and f4 is f8, since it is added up in that; least and greatest of f2 are f4. Of a
            histogram the counts alone: its bins are the last dimension.

        Raises:
            Timeout: it is not there, and the message says what is.
            NotFound: the version is complete, but nobody has put some of the elements.
            InvalidArgument: there is no such reduction, axis or box; complex numbers have no least or greatest, and no
                histogram, and without elements there are but sums and histograms.
            PeerLost: the server is gone.
        """
        axes = None if axis is None else [axis] if isinstance(axis, SupportsIndex) else list(axis)
        if axes is not None and not all(isinstance(each, SupportsIndex) for each in axes):
            raise InvalidArgument(f"'{name}' cannot be reduced along axis={axis!r}: give a number, or several")
        return self._core.reduce(name, how, axes=axes, version=number(version), box=checked(box), timeout=timeout)

    def _get_now(self, name: str, version: int, box: Box, completion: int | None) -> NDArray[Any]:
        """Of a version that was complete, as the one in that place.

        Raises:
            NotFound: it was removed since.
        """
        try:
            return self._core.get(name, version=version, box=box, timeout=0, completion=completion)
        except Timeout as error:
            raise NotFound(f"version {version} of '{name}' is not there (any more): {error}") from error

    def _values(self, hits: Hits, name: str) -> NDArray[Any]:
        return self._core.values(hits._found, name)

    @explained
    def watch(self, name: str, *, start: Start = "next", timeout: float | None = None) -> Watch:
        """Each version once it is complete: ``for version in space.watch("T"): space.get("T", version=version)``.

        Every version comes once, in the order in which they became complete; it stays until the next one is asked for,
        whatever `keep` says. Versions that are gone before they are asked for are passed over. It ends when this space
        is closed, by another thread perhaps.

        Args:
            name: the variable; it need not be there yet.
            start: "next": with what becomes complete from now on; "oldest": with what is complete already.
            timeout: the most seconds to wait for each; None: as long as it takes.

        Raises:
            Timeout: while it is iterated over: no version came in time. One may go on.
            PeerLost: the server is gone.
        """
        check_start(start)
        return Watch(self._core.watch(name, start == "oldest", timeout), f"'{name}'")

    @explained
    def blocks(
        self,
        name: str,
        *,
        version: int | Literal["latest"] = "latest",
        box: Box | None = None,
        timeout: float | None = None,
    ) -> list[Box]:
        """The pieces that `get` would put together, to go through them one by one: ``space.get(name, box=piece)``.

        Args:
            name: the variable.
            version: which one; "latest": the newest that is complete.
            box: which elements; None: all.
            timeout: the most seconds to wait until it is complete; None: the space's.

        Returns:
            Boxes, disjoint. Each lies in one block, so that to get it is no copy. What nobody has put is in none.

        Raises:
            Timeout: it is not there, and the message says what is.
            InvalidArgument: the box does not lie in the variable.
            PeerLost: the server is gone.
        """
        return self._core.blocks(name, version=number(version), box=checked(box), timeout=timeout)

    @explained
    def view(
        self,
        name: str,
        mode: Mode = "read",
        *,
        box: Box | None = None,
        version: int | None = None,
        shape: Extents | None = None,
        dtype: DTypeLike | None = None,
        unit: str | None = None,
        complete: bool = False,
        persist: bool = False,
        timeout: float | None = None,
        **attributes: Attribute,
    ) -> View:
        """``with space.view("T") as T:`` looks at an array, ``with space.view("T", "write") as T:`` changes it.

        To read is what `get` does: a complete version never changes, so that nothing is locked.

        To write lends memory of whoever keeps the space, with what the newest complete version has there, or 0. When
        the ``with`` block ends it is put without a copy, as a block of a version that was not complete, or of a new
        one; `View.version` says which. When an exception leaves the block the memory goes back. Meanwhile the box is
        locked to write.

        Args:
            name: the variable.
            mode: "read" or "write".
            box: which elements; None: all.
            version: which one; None: the newest complete one is read, a new one after the newest is written.
            shape: to write: of the whole variable; None: that of the newest complete version. So are `dtype` and
                `unit`.
            dtype: to write: anything np.dtype takes.
            unit: to write: of the elements.
            complete: to write: nothing comes after this, from this rank.
            persist: to write: as for `put`.
            timeout: the most seconds to wait, for the version or the lock; None: the space's.
            **attributes: to write: of the version, as for `put`.

        Raises:
            Timeout, Deadlock: as `get` and `lock`, at the beginning of the ``with`` block.
            InvalidArgument: no version is complete, and shape and dtype were not given; the box does not lie in it.
            Closed: at the end of the block, if the lock was lost: nothing is put.
        """
        check_mode(mode)
        box = checked(box)
        if mode == "read":
            if attributes or complete or persist or not (shape is dtype is unit is None):
                raise InvalidArgument(f"a view of '{name}' to read says what is there: did you mean mode='write'?")
            return View(self._core, lambda: self._core.get(name, version=version, box=box, timeout=timeout))
        refuse_slips("view", attributes, (*ARGUMENTS_OF_PUT, "box", "dtype", "timeout", "mode"))
        return View(
            self._core,
            None,
            name=name,
            box=box,
            version=version,
            shape=shape,
            dtype=dtype,
            unit=unit,
            attributes=attributes,
            complete=complete,
            persist=persist,
            timeout=timeout,
        )

    @explained
    def lock(
        self,
        name: str,
        mode: Mode = "write",
        *,
        box: Box | None = None,
        timeout: float | None = None,
        lease: float = 5,
    ) -> Lock:
        """Take a lock: ``with space.lock("T", "write"): ...``. Waits until nobody is in the way.

        Locks exclude each other, and nothing else: who takes none is not held up. They are the thread's that takes
        them; its own are not in its way. Who asked first is served first.

        A lock ends when its process does, at once, and `lease` seconds after that was stopped; a thread of the library
        keeps it up meanwhile. What its thread puts in the box once it has ended is refused.

        Args:
            name: the variable; it need not be there yet.
            mode: "read" shares it with others that read, "write" is exclusive.
            box: which elements; None: all.
            timeout: the most seconds to wait; None: the space's.
            lease: the seconds, at least 0.5. Of no meaning where this process keeps the space.

        Raises:
            Timeout: it is held, and the message says by whom, and for how long.
            Deadlock: it would be waited for by those that this thread waits for; the message prints the circle.
            PeerLost: the server is gone.
        """
        check_mode(mode)
        core = self._core.lock(name, writes=mode == "write", box=checked(box), timeout=timeout, lease=lease)
        return Lock(core, f"on '{name}'{f' {box}' if box else ''} to {mode}")

    @explained
    def query(self, condition: str, *, version: int | Literal["latest"] = "latest", most: int | None = None) -> Hits:
        """Where a condition holds: ``for hit in space.query("T > 300 and run == 'a12'"): hit.box, hit.values``.

        Parts of a version are summarized when they are first looked at (least, greatest, how many NaN), and are looked
        at again only where that leaves it open.

        Args:
            condition: comparisons of names with numbers or quoted texts, chained ones too (``0 < rho <= 1``), and
                ``isnan(T)``, joined by and, or, not and parentheses. Names are variables, all of one shape, or
                attributes of their version; names of other characters than letters, digits and ``_./`` stand in
                ```backticks```. Comparisons are NumPy's. It is parsed, never run as code.
            version: which one; "latest": the newest that all variables of the condition have complete.
            most: at most so many boxes, the first ones; None: all.

        Returns:
            The boxes whose elements match, and how many these are.

        Raises:
            InvalidArgument: the condition is wrong, and where; a variable is compared with a text; shapes differ.
            NotFound: a name is unknown, or there is no such version.
        """
        found = self._core.query(condition, number(version), most)
        return Hits(found.version, tuple(found.variables), tuple(found.boxes), found.elements, self, found)

    def close(self) -> None:
        """Let go of it: what a server keeps stays there, what this process keeps goes with its last user.

        Calls of other threads that wait in it get Closed.
        """
        self._core.close()

    def __enter__(self) -> Space:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<staithe.Space {self.name!r}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return Space, (None, self._origin)


@explained
def space(name: str, *, group: GroupLike = None, timeout: float | None = None, server: str | None = None) -> Space:
    """Open a space: a named store of variables in versions.

    Args:
        name: the space: letters, digits, and any of ``._-``.
        group: the ranks that put together: ``(rank, size)``, an mpi4py communicator (then the call is collective), or
            None for a single process. They need a server, unless they are threads of one process.
        timeout: the most seconds that a call waits; None: STAITHE_TIMEOUT, or 60.
        server: the name of the server that keeps it (``staithe serve``), or of one on another host its address,
            "node7:7700" or "staithe://node7:7700/name"; "" for none: this process keeps it, for itself. If None, a
            server if there is one, also at the addresses of STAITHE_ADDRESS, else this process; `Space.kept_by`
            tells which.

    Raises:
        NotFound: there is no such server.
        InvalidArgument: the name cannot be, or there are several servers to choose from.
    """
    follow_logging()
    rank, size, _ = resolve(group)
    core = _core.open_space(name, rank, size, timeout, server)
    return Space(core, Origin(name, server, timeout, this_process() if core.kept_by == "this process" else None))
