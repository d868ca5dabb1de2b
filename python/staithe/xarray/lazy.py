"""Arrays whose elements are got when somebody looks at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray
from xarray.backends import BackendArray
from xarray.core import indexing

from ..box import Box
from ..labelled.decoding import Labels, texts_of

if TYPE_CHECKING:
    from .._core import Variable
    from ..spaces import Space


class Source(Protocol):
    """Where elements are got from."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of all there are."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of each."""

    def read(self, box: Box) -> NDArray[Any]:
        """Those of a box; a view where they lie if they lie in one block."""


@dataclass(frozen=True)
class VersionSource:
    """A version of a variable of a space. Pickled, it is but the names of these."""

    space: Space
    name: str
    version: int
    completion: int
    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    def read(self, box: Box) -> NDArray[Any]:
        """What Source.read says."""
        return self.space._get_now(self.name, self.version, box, self.completion)


@dataclass(frozen=True)
class StackedSource:
    """Several of one shape and dtype, along a dimension of their own in front of all others."""

    parts: Sequence[Source]

    @property
    def shape(self) -> tuple[int, ...]:
        """What Source.shape says."""
        return (len(self.parts), *self.parts[0].shape)

    @property
    def dtype(self) -> np.dtype[Any]:
        """What Source.dtype says."""
        return self.parts[0].dtype

    def read(self, box: Box) -> NDArray[Any]:
        """What Source.read says."""
        inner = Box(box.offset[1:], box.count[1:])
        parts = self.parts[box.slices[0]]
        if len(parts) == 1:
            return parts[0].read(inner)[np.newaxis]
        elements = np.empty(box.count, self.dtype)
        for place, part in enumerate(parts):
            elements[place] = part.read(inner)
        return elements


@dataclass(frozen=True)
class StepSource:
    """A variable of a step, which it pins. It cannot leave the process."""

    variable: Variable

    @property
    def shape(self) -> tuple[int, ...]:
        """What Source.shape says."""
        return self.variable.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """What Source.dtype says."""
        return self.variable.dtype

    def read(self, box: Box) -> NDArray[Any]:
        """What Source.read says."""
        return np.asarray(self.variable[box])


class LazyArray(BackendArray):
    """A source, as xarray indexes it: times and texts are such again."""

    def __init__(self, source: Source, labels: Labels, *, decode_times: bool) -> None:
        self.source = source
        self.dtype = source.dtype
        self.shape = source.shape
        self.is_text = labels.is_text
        self.times = decode_times and labels.is_time
        if self.times:
            self.dtype = np.dtype(labels.described.attrs["dtype"])
        if self.is_text:
            self.dtype = np.dtype(f"U{self.shape[-1]}")  # characters are bytes, or more
            self.shape = self.shape[:-1]

    def __getitem__(self, key: indexing.ExplicitIndexer) -> Any:
        key = type(key)(tuple(map(_known_if_empty, key.tuple, self.shape)))
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self._basic)

    def _basic(self, key: tuple[Any, ...]) -> NDArray[Any]:
        """By integers, and slices of positive steps."""
        ranges = [_range(item, length) for item, length in zip(key, self.shape, strict=True)]
        offset = [chosen.start if chosen else 0 for chosen in ranges]
        count = [chosen[-1] + 1 - chosen.start if chosen else 0 for chosen in ranges]
        elements = self._read(Box(offset, count))
        inside = [slice(None, None, item.step) if isinstance(item, slice) else 0 for item in key]
        return elements[(*inside, ...)]

    def _read(self, box: Box) -> NDArray[Any]:
        if self.is_text:
            width = self.source.shape[-1]
            characters = self.source.read(Box((*box.offset, 0), (*box.count, width)))
            return texts_of(characters).astype(self.dtype)
        elements = self.source.read(box)
        return elements.view(self.dtype) if self.times else elements


def _known_if_empty(item: Any, length: int) -> Any:
    """xarray fails where a slice of a negative step chooses nothing, as xarray itself makes them of empty ones."""
    return slice(0, 0) if isinstance(item, slice) and not range(length)[item] else item


def _range(item: int | slice, length: int) -> range:
    chosen = range(length)[item]
    return chosen if isinstance(chosen, range) else range(chosen, chosen + 1)
