"""Box: a hyper-rectangle of a variable."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import SupportsIndex

from .errors import InvalidArgument


def _numbers(given: SupportsIndex | Iterable[SupportsIndex], what: str) -> tuple[int, ...]:
    try:
        if isinstance(given, Iterable):
            return tuple(operator.index(number) for number in given)
        return (operator.index(given),)
    except TypeError:
        raise InvalidArgument(f"{what} must be a whole number or a sequence of them, not {given!r}") from None


@dataclass(frozen=True, init=False)
class Box:
    """The elements from `offset` on, `count` of them, along each dimension.

    A variable takes a box as an index: ``step["x"][staithe.Box((10, 0), (5, 3))]`` is ``step["x"][10:15, 0:3]``.

    Args:
        offset: the first index along each dimension; a single number means one dimension.
        count: how many indices along each dimension.

    Raises:
        InvalidArgument: offset and count differ in length, or a number is negative.
    """

    offset: tuple[int, ...]
    count: tuple[int, ...]

    def __init__(
        self,
        offset: SupportsIndex | Iterable[SupportsIndex],
        count: SupportsIndex | Iterable[SupportsIndex],
    ) -> None:
        object.__setattr__(self, "offset", _numbers(offset, "a box's offset"))
        object.__setattr__(self, "count", _numbers(count, "a box's count"))
        if len(self.offset) != len(self.count):
            raise InvalidArgument(f"a box needs as many offsets as counts: {self.offset} and {self.count}")
        if any(number < 0 for number in self.offset + self.count):
            raise InvalidArgument(f"a box has no negative numbers: {self.offset} and {self.count}")

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.count)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.count)

    @property
    def slices(self) -> tuple[slice, ...]:
        """What selects the box from an array of the whole variable."""
        return tuple(slice(first, first + count) for first, count in zip(self.offset, self.count, strict=True))
