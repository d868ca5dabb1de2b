"""What a space says of what it keeps: its versions, and where a condition holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .typing import Attributes

if TYPE_CHECKING:
    from ._core import SpaceQueryResult
    from .spaces import Space


@dataclass(frozen=True)
class Version:
    """A version of a variable of a space, as `Space.versions` lists it."""

    number: int
    """Its number."""
    complete: bool
    """Whether all of it was put: from then on it never changes."""
    blocks: int
    """How many blocks it was put in."""
    nbytes: int
    """The bytes of these."""
    dtype: np.dtype[Any]
    """Of its elements."""
    shape: tuple[int, ...]
    """Of the whole variable."""
    unit: str
    """Of its elements; may be empty."""
    attrs: Attributes
    """What was said of it when it was put."""
    completion: int
    """Its place among all versions that have become complete in the space, from 1 on; 0 as long as it is not.

    Once it is removed, another version may get its number, but none its place.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return _version, (values | {"attrs": dict(self.attrs)},)


def _version(values: dict[str, Any]) -> Version:
    return Version(**values | {"attrs": MappingProxyType(values["attrs"])})


@dataclass(frozen=True)
class Hit:
    """A box of a version, all of whose elements meet a condition."""

    box: Box
    """Which elements."""
    version: int
    """Of which version."""
    _hits: Hits = field(repr=False)

    @property
    def values(self) -> NDArray[Any]:
        """The elements of the variable that the condition names first, as `Space.get` gives them."""
        return self[self._hits.variables[0]]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Those of any variable that has this version, in the same box.

        Raises:
            NotFound: it does not have it, or the version was removed since.
        """
        return self._hits.space._get_now(name, self.version, self.box, self._hits._completion_of(name))


@dataclass(frozen=True)
class Hits:
    """Where a condition holds: iterate over it for each `Hit`, in the order of their first elements."""

    version: int
    """The version that was looked at."""
    variables: tuple[str, ...]
    """The variables that the condition names."""
    boxes: tuple[Box, ...]
    """The boxes; each element that matches is in one, and no other is."""
    size: int
    """How many elements match, those beyond the first `most` boxes included."""
    space: Space = field(repr=False)
    """The space that was asked."""
    _found: SpaceQueryResult = field(repr=False, compare=False)

    @property
    def values(self) -> NDArray[Any]:
        """All elements of the variable that the condition names first, as ``hits[name]`` gives them."""
        return self[self.variables[0]]

    @overload
    def __getitem__(self, which: str) -> NDArray[Any]: ...
    @overload
    def __getitem__(self, which: SupportsIndex) -> Hit: ...
    def __getitem__(self, which: str | SupportsIndex) -> NDArray[Any] | Hit:
        """The elements of any variable that has this version, in all boxes, one box after the other, each in C order.

        Many boxes are read at once: sooner than `Hit.values` of each of them. Like NumPy's ``T[T > 300]``, but for the
        order where boxes are higher than a row.

        Args:
            which: the name of the variable; or a number, for the `Hit` in that place.

        Returns:
            A read-only array of one dimension, of `size` elements unless the query was told how many boxes at most.

        Raises:
            NotFound: it does not have it, or the version was removed since.
            IndexError: there are not so many hits.
        """
        if isinstance(which, str):
            return self.space._values(self, which)
        return Hit(self.boxes[which], self.version, self)

    def _completion_of(self, name: str) -> int | None:
        return dict(zip(self._found.variables, self._found.completions, strict=True)).get(name)

    def __len__(self) -> int:
        return len(self.boxes)

    def __iter__(self) -> Iterator[Hit]:
        return (Hit(box, self.version, self) for box in self.boxes)
