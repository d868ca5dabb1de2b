"""Which part of the whole a writer rank puts, and which of the coordinates it brings along."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from ..errors import InvalidArgument

if TYPE_CHECKING:
    import xarray

Extents: TypeAlias = tuple[int, ...]
Place: TypeAlias = tuple[Extents, Extents] | None
"""Offset and count of a part; None of what is whole."""


@dataclass
class Part:
    """A part of something larger, by the names of dimensions. Along those that are not named it is whole."""

    offset: Mapping[Hashable, int]
    shape: Mapping[Hashable, int]

    def offset_of(self, variable: xarray.Variable) -> Extents:
        """Where the variable lies."""
        return tuple(self.offset.get(dim, 0) for dim in variable.dims)

    def shape_of(self, variable: xarray.Variable) -> Extents:
        """The shape of the whole that the variable is of."""
        return tuple(self.shape.get(dim, length) for dim, length in variable.sizes.items())

    def brings(self, variable: xarray.Variable, sizes: Mapping[Hashable, int]) -> bool:
        """Whether this part, of these sizes, is the one that brings a variable with only some of its dimensions.

        Among the parts that have the same piece of it the first is, along the other dimensions: so every piece is put
        once, however the whole is cut. Readers refuse blocks that overlap.
        """
        return all(
            self.offset.get(dim, 0) == 0 and (length > 0 or self.shape.get(dim, length) == 0)
            for dim, length in sizes.items()
            if dim not in variable.dims
        )


class Coordinates:
    """The coordinates of a step, as far as this rank knows. What several variables have, the first brings."""

    def __init__(self) -> None:
        self._by_name: dict[str, tuple[str, dict[Place, xarray.Variable]]] = {}

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def is_new(self, name: str, variable: xarray.Variable, of: str, part: Part | None) -> bool:
        """Whether the coordinate of that variable is not in the step yet. From now on it is.

        Raises:
            InvalidArgument: another one of that name is.
        """
        place = None if part is None else (part.offset_of(variable), variable.shape)
        first, known = self._by_name.setdefault(name, (of, {}))
        if place in known and not same(known[place], variable):
            raise InvalidArgument(
                f"variable {of!r}: its coordinate {name!r} is not that of {first!r}, and a step has one of a name: "
                "rename one"
            )
        if place in known or first != of:
            return False
        known[place] = variable.copy(deep=True)  # it may change while the step is open
        return True


def same(one: xarray.Variable, other: xarray.Variable) -> bool:
    """Whether dims and values are equal, whatever the attributes."""
    return bool(one.equals(other))  # type: ignore[no-untyped-call]


def part_of(variable: xarray.Variable, name: str, offset: Extents | None, shape: Extents | None) -> Part | None:
    """What the arguments of WriteStep.put say of the variable."""
    if shape is None:
        if offset is None:
            return None
        raise InvalidArgument(f"variable {name!r}: an offset needs the shape of the whole variable beside it")
    if offset is None:
        offset = (0,) * variable.ndim
    if not len(offset) == len(shape) == variable.ndim:
        dims = ", ".join(map(str, variable.dims))
        raise InvalidArgument(f"variable {name!r}: offset and shape must have a number for each of ({dims})")
    return Part(dict(zip(variable.dims, offset, strict=True)), dict(zip(variable.dims, shape, strict=True)))
