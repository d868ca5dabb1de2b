"""The engine "staithe" of xarray.open_dataset."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from typing import Any, ClassVar, Literal, TypeAlias, cast

import numpy as np
import xarray
from xarray.backends import BackendEntrypoint
from xarray.core import indexing

from .._core import Step
from ..errors import InvalidArgument, NotFound
from ..labelled.reading import labels_in
from ..opening import reader
from ..spaces import Space
from ..spaces import space as open_space
from .chunks import chunks_of
from .contents import DIMENSION, Content, Versions, contents_of, groups_of, names_in
from .lazy import LazyArray, StepSource

Opened: TypeAlias = str | os.PathLike[str] | Space | Step
"""What can be opened: the name of a space or of a stream, or one that is open."""


class StaitheBackend(BackendEntrypoint):
    """Opens spaces and steps of streams: nothing of them is read before somebody looks at it."""

    description = "Spaces and streams of running programs, by Staithe"
    supports_groups: ClassVar[bool] = True

    def open_dataset(
        self,
        filename_or_obj: Any,
        *,
        drop_variables: str | Iterable[str] | None = None,
        mask_and_scale: bool = True,
        decode_times: bool = True,
        decode_coords: bool | Literal["coordinates", "all"] = True,
        decode_timedelta: bool | None = None,
        use_cftime: bool | None = None,
        concat_characters: bool = True,
        version: Versions = "latest",
        group: str = "",
        server: str | None = None,
        stream: bool = False,
        timeout: float | None = None,
    ) -> xarray.Dataset:
        """What xarray.open_dataset does.

        Args:
            filename_or_obj: the name of a space, or a `Space`; the name of a stream, or a `Step` of one.
            drop_variables: names to leave out.
            mask_and_scale: as for xarray.open_dataset, and so are the following ones.
            decode_times: whether numbers with units of time become times.
            decode_coords: which variables become coordinates, beside those that say so.
            decode_timedelta: whether numbers with units such as "hours" become durations.
            use_cftime: as for xarray.open_dataset.
            concat_characters: as for xarray.open_dataset.
            version: of a space. "latest": of each variable the newest that is complete. A number: variables that have
                this version, once it is complete; coordinates that have not, in the newest before it. Several, or "all"
                that all variables have: along a dimension "version".
            group: the variables whose names begin so, up to the last ``/``.
            server: the name of the server that keeps the space, as for `staithe.space`.
            stream: whether it is the name of a stream: its next step is opened, and held until the Dataset is closed.
            timeout: the most seconds to wait.
        """
        dropped = {drop_variables} if isinstance(drop_variables, str) else set(drop_variables or ())
        group = group.strip("/")
        step, close = _step_of(filename_or_obj, stream, timeout)
        if step is not None:
            contents, of_all = _contents_of_step(step, group, dropped), dict(step.attrs)
        else:
            opened = _space_of(filename_or_obj, server, timeout)
            contents, of_all = contents_of(opened, group, version, dropped, timeout), opened.attributes(group)
        variables = {content.labels.name: _variable(content, bool(decode_times)) for content in contents}
        if stacked := next((content for content in contents if content.dims[:1] == (DIMENSION,)), None):
            variables[DIMENSION] = xarray.Variable(DIMENSION, np.asarray(stacked.versions))
        try:
            decoded, attrs, coordinates = xarray.conventions.decode_cf_variables(
                variables,
                of_all,
                mask_and_scale=mask_and_scale,
                decode_times=decode_times,
                concat_characters=concat_characters,
                decode_coords=decode_coords,
                use_cftime=use_cftime,
                decode_timedelta=decode_timedelta,
            )
            marked = {content.labels.name for content in contents if content.labels.is_coordinate}
            dataset = xarray.Dataset({name: _NamedByVersion.of(each) for name, each in decoded.items()}, attrs=attrs)
            dataset = dataset.set_coords(coordinates & decoded.keys() | marked)
        except ValueError as error:
            raise InvalidArgument(f"the variables make no Dataset: {error}; drop_variables= leaves some out") from error
        dataset.set_close(close)
        return dataset

    def open_groups_as_dict(
        self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None, **options: Any
    ) -> dict[str, xarray.Dataset]:
        """What xarray.open_groups does: a Dataset for each group of a space."""
        opened = _space_of(filename_or_obj, options.pop("server", None), options.get("timeout"))
        return {
            f"/{group}": self.open_dataset(opened, group=group, drop_variables=drop_variables, **options)
            for group in groups_of(opened.names())
        }

    def open_datatree(
        self, filename_or_obj: Any, *, drop_variables: str | Iterable[str] | None = None, **options: Any
    ) -> xarray.DataTree:
        """What xarray.open_datatree does: a node for each group of a space."""
        return xarray.DataTree.from_dict(
            self.open_groups_as_dict(filename_or_obj, drop_variables=drop_variables, **options)
        )


class _NamedByVersion(xarray.Variable):
    """Is called in Dask's graphs by its version, too.

    xarray calls chunks by the arguments of open_dataset alone: what it has opened twice, before and after a new version
    came, would be the same for Dask, and their difference nothing.
    """

    __slots__ = ()

    @classmethod
    def of(cls, variable: xarray.Variable) -> _NamedByVersion:
        return cls(variable.dims, cast("Any", variable._data), variable.attrs, variable.encoding, fastpath=True)

    def chunk(self, *args: Any, **options: Any) -> Any:
        of_array = options.get("from_array_kwargs")
        if of_array and "name" in of_array and "completions" in self.encoding:
            from dask.base import tokenize

            of_these = tokenize(self.encoding["versions"], self.encoding["completions"])
            name = f"{of_array['name']}-{of_these}"
            options["from_array_kwargs"] = of_array | {"name": name}
        return super().chunk(*args, **options)


def _space_of(opened: str | os.PathLike[str] | Space, server: str | None, timeout: float | None) -> Space:
    return opened if isinstance(opened, Space) else open_space(os.fspath(opened), server=server, timeout=timeout)


def _step_of(opened: Opened, stream: bool, timeout: float | None) -> tuple[Step | None, Callable[[], None] | None]:
    """The step that is meant, if any is, and how to leave its stream."""
    if isinstance(opened, Step):
        return opened, None
    if not stream:
        return None, None
    if isinstance(opened, Space):
        raise InvalidArgument(f"{opened!r} is no stream")
    steps = reader(os.fspath(opened), timeout=timeout)
    step = steps.next(timeout)
    if step is None:
        raise NotFound(f"stream '{steps.name}' has ended: there is no further step")
    return step, steps.close


def _contents_of_step(step: Step, group: str, dropped: Collection[str]) -> list[Content]:
    contents = []
    for called, name in names_in(list(step), group).items():
        if called not in dropped:
            labels = labels_in(step, name, called)
            boxes = [block.box for block in labels.variable.blocks]
            contents.append(Content(labels, StepSource(labels.variable), labels.dims, boxes))
    return contents


def _variable(content: Content, decode_times: bool) -> xarray.Variable:
    array = LazyArray(content.source, content.labels, decode_times=decode_times)
    encoding: dict[str, Any] = {}
    if content.versions:
        encoding |= {"versions": content.versions, "completions": content.completions}
    if chunks := chunks_of(content.boxes, content.labels.described.shape):
        of_dims = dict(zip(content.labels.dims, chunks, strict=False))  # but not that of the letters of texts
        encoding["preferred_chunks"] = {dim: of_dims.get(dim, 1) for dim in content.dims}
    return xarray.Variable(
        content.dims,
        indexing.LazilyIndexedArray(array),
        content.labels.attrs_of(decode_times=decode_times),
        encoding,
    )
