"""``ds.staithe.put``: a Dataset as a version of the variables of a space."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import xarray

from ..arguments import explained
from ..box import Box
from ..errors import AlreadyExists, NotFound
from ..labelled.parts import Coordinates, Extents
from ..labelled.putting import put_dataset
from ..spaces import Space
from ..spaces import space as open_space


@xarray.register_dataset_accessor("staithe")  # type: ignore[no-untyped-call]
class DatasetAccessor:
    """What a Dataset can do with Staithe: ``ds.staithe.put("campaign")``."""

    def __init__(self, dataset: xarray.Dataset) -> None:
        self._dataset = dataset

    @explained
    def put(
        self,
        space: str | Space,
        *,
        version: int | None = None,
        group: str = "",
        offset: Mapping[Hashable, int] | None = None,
        shape: Mapping[Hashable, int] | None = None,
        server: str | None = None,
        persist: bool = False,
    ) -> int:
        """Put all variables and coordinates, so that xarray.open_dataset gives the Dataset again.

        Those that Dask has in chunks are put chunk by chunk, each where it was computed. The attributes of the Dataset
        become those of the space, or of the group: they have no versions.

        Args:
            space: the space, or its name.
            version: of all variables; None: the one after the newest of any of them.
            group: what their names begin with; a ``/`` is put in between.
            offset: by dimension: where this Dataset lies, if it is a part of a larger one.
            shape: by dimension: the lengths of the larger one.
            server: the name of the server that keeps the space, as for `staithe.space`.
            persist: all of it outlives a server that has a folder (``staithe serve --spill FOLDER``): it is on disk
                when this returns.

        Returns:
            The version.

        Raises:
            AlreadyExists: a variable has this version complete already.
            NotFound: no server keeps a space of that name.
            InvalidArgument: a variable, or an attribute, is of a kind that spaces do not have; or it is to outlive a
                server that has no folder.
        """
        opened = space if isinstance(space, Space) else _shared_space(space, server)
        container = group.strip("/")
        before = f"{container}/" if container else ""
        if version is None:
            version = _next_version(opened, [f"{before}{name}" for name in self._dataset.variables])
        puts = _Puts(opened, before, version, persist)
        put_dataset(puts, Coordinates(0), self._dataset, offset, shape)
        puts.finish()
        if puts.attrs:
            opened.set_attributes(container, **puts.attrs)
        return version


def _shared_space(name: str, server: str | None) -> Space:
    """A space that is still there when this call has ended."""
    space = open_space(name, server=server)
    if space.kept_by == "this process" and not space.names():
        raise NotFound(
            f"no server keeps space '{name}', and what this process keeps would go with this call: start one "
            "(`staithe serve`), or put into a staithe.Space of yours"
        )
    return space


def _next_version(space: Space, names: list[str]) -> int:
    there = set(space.names())
    return max((each.number for name in names if name in there for each in space.versions(name)), default=-1) + 1


@dataclass(frozen=True)
class _Target:
    """Where a variable is put, as arrays are assigned to: in any process, block by block."""

    space: Space
    name: str
    version: int
    offset: tuple[int, ...]
    shape: tuple[int, ...]
    unit: str
    attrs: dict[str, Any]
    persist: bool

    def __setitem__(self, key: tuple[slice, ...], block: Any) -> None:
        block = np.asarray(block)
        offset = tuple(start + item.start for start, item in zip(self.offset, key, strict=True))
        try:
            self.space._core.put(
                self.name,
                block,
                offset=offset,
                shape=self.shape,
                version=self.version,
                unit=self.unit,
                attributes=self.attrs,
                complete=False,
                overlap=None,
                persist=self.persist,
            )
        except AlreadyExists:
            if not self._has(offset, block):
                raise

    def _has(self, offset: tuple[int, ...], block: Any) -> bool:
        """Whether that is there: Dask runs a task again when the worker is lost that was to keep its result."""
        try:
            there = self.space._get_now(self.name, self.version, Box(offset, block.shape), None)
        except NotFound:
            return False
        return bool(there.dtype == block.dtype) and there.tobytes() == block.tobytes()


class _Puts:
    """Takes variables as a WriteStep does."""

    def __init__(self, space: Space, before: str, version: int, persist: bool) -> None:
        self.attrs: dict[str, Any] = {}
        self._space = space
        self._before = before
        self._version = version
        self._persist = persist
        self._chunked: list[tuple[Any, _Target]] = []

    def put(
        self,
        name: str,
        array: Any,
        *,
        offset: Extents | None,
        shape: Extents | None,
        unit: str | None,
        attrs: dict[str, Any],
        fill: Any,
        error: str | None,
    ) -> None:
        """Puts a variable, or notes it if Dask has it."""
        target = _Target(
            self._space,
            f"{self._before}{name}",
            self._version,
            (0,) * array.ndim if offset is None else offset,
            array.shape if shape is None else shape,
            unit or "",
            attrs,
            self._persist,
        )
        if _is_chunked(array) and array.size:  # Dask stores no chunk without elements
            self._chunked.append((array, target))
        else:
            target[tuple(slice(0, length) for length in array.shape)] = array

    def finish(self) -> None:
        """Puts those that were noted, all at the same time."""
        if self._chunked:
            import dask.array

            sources, targets = zip(*self._chunked, strict=True)
            dask.array.store(list(sources), list(targets), lock=False)


def _is_chunked(array: Any) -> bool:
    """Whether it is an array of Dask's."""
    return hasattr(array, "__dask_graph__")
