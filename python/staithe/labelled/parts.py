"""Which part of the whole a writer rank puts, and which of the coordinates it brings along."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
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
    rank: int

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
        is_whole = self.shape_of(variable) == variable.shape
        if 0 in variable.shape and not is_whole:
            return False
        others = {dim: length for dim, length in sizes.items() if dim not in variable.dims}
        if any(self.shape.get(dim, length) == 0 for dim, length in others.items()):
            # All parts are the first along a dimension without elements.
            return self.rank == 0 or not is_whole
        return all(self.offset.get(dim, 0) == 0 and length > 0 for dim, length in others.items())


@dataclass
class Coordinate:
    """One of a step, as far as this rank knows."""

    of: str  # whose it is: only the first variable that has it brings it, for others may be cut in another way
    seen: dict[Place, xarray.Variable] = field(default_factory=dict)
    put: set[Place] = field(default_factory=set)


class Coordinates:
    """The coordinates of a step that is being written."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self._by_name: dict[str, Coordinate] = {}

    def is_to_put(
        self, name: str, variable: xarray.Variable, of: str, sizes: Mapping[Hashable, int], part: Part | None
    ) -> bool:
        """Whether the coordinate of `of`, an array of these sizes, is still to be put by this rank. It is asked once.

        Raises:
            InvalidArgument: another variable has that name.
        """
        place = None if part is None else (part.offset_of(variable), variable.shape)
        known = self._by_name.setdefault(name, Coordinate(of))
        if place not in known.seen:
            known.seen[place] = variable.copy(deep=True)  # it may change while the step is open
        elif not same(known.seen[place], variable):
            raise InvalidArgument(
                f"variable {of!r}: its coordinate {name!r} is not that of {known.of!r}, and a step has one of a name: "
                "rename one"
            )
        if known.of != of or place in known.put or not (part is None or part.brings(variable, sizes)):
            return False
        known.put.add(place)
        return True


def same(one: xarray.Variable, other: xarray.Variable) -> bool:
    """Whether dims and values are equal, whatever the attributes."""
    return bool(one.equals(other))  # type: ignore[no-untyped-call]


def part_of(
    variable: xarray.Variable, name: str, offset: Extents | None, shape: Extents | None, rank: int
) -> Part | None:
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
    return Part(dict(zip(variable.dims, offset, strict=True)), dict(zip(variable.dims, shape, strict=True)), rank)
