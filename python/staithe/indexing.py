"""Keys of `variable[...]` that only NumPy takes: new axes, and a list of indices or a mask along one dimension."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidArgument

if TYPE_CHECKING:
    from ._core import Variable


def select(variable: Variable, key: Any) -> NDArray[Any]:
    """What `key` selects from the whole variable, read-only.

    Everything but the list is read as slices, and what was read is indexed by NumPy, so that its rules hold.
    """
    read: list[slice] = []  # from the variable, along each dimension
    rest: list[Any] = []  # what remains to be done by NumPy
    listed: tuple[int, int, NDArray[np.intp]] | None = None  # dimension, place in `rest`, indices
    for item in _without_ellipsis(key, variable.ndim):
        if item is None:
            rest.append(None)
            continue
        if isinstance(item, slice):
            read.append(item)
            rest.append(slice(None))
            continue
        indices = _indices(item, len(read), variable.shape[len(read)])
        if indices.ndim == 0:
            read.append(slice(int(indices), int(indices) + 1))
            rest.append(0)
            continue
        if listed is not None:
            raise _refusal("more than one list of indices or mask")
        listed = len(read), len(rest), indices
        read.append(slice(None))
        rest.append(indices)
    if listed is None:
        elements = variable[tuple(read)]
    else:
        dimension, place, indices = listed
        elements, rest[place] = _along(variable, read, dimension, indices)
    selected: NDArray[Any] = elements[tuple(rest)]
    selected.flags.writeable = False
    return selected


def _without_ellipsis(key: Any, ndim: int) -> list[Any]:
    items = list(key) if isinstance(key, tuple) else [key]
    places = [place for place, item in enumerate(items) if item is ...] or [len(items)]
    if len(places) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    missing = ndim - sum(item is not None and item is not ... for item in items)
    if missing < 0:
        raise IndexError(f"too many indices: the variable has {ndim} dimensions")
    items[places[0] : places[0] + 1] = [slice(None)] * missing
    return items


def _indices(item: Any, dimension: int, length: int) -> NDArray[np.intp]:
    """An integer, a list of them or a mask as indices from 0 on."""
    indices = np.asarray(item)
    if isinstance(item, list) and indices.size == 0:
        indices = indices.astype(np.intp)
    if indices.dtype == bool:
        if indices.ndim != 1:
            raise _refusal(f"a mask of {indices.ndim} dimensions")
        if indices.size != length:
            raise IndexError(f"dimension {dimension} is of length {length}, and its mask of length {indices.size}")
        return np.flatnonzero(indices)
    if indices.dtype.kind not in "iu":
        raise InvalidArgument(
            "a variable is indexed by integers, slices, an ellipsis, a Box, a list of indices or a mask, "
            f"not by {type(item).__name__} of {indices.dtype}"
        )
    outside = indices[(indices < -length) | (indices >= length)]
    if outside.size:
        raise IndexError(f"index {outside.flat[0]} is out of bounds for dimension {dimension} of length {length}")
    return np.where(indices < 0, indices + length, indices).astype(np.intp)


def _along(
    variable: Variable, key: list[slice], dimension: int, indices: NDArray[np.intp]
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """The elements at these indices of a dimension, and where among them each index is found."""
    wanted, place = np.unique(indices, return_inverse=True)
    first, last = (wanted[0], wanted[-1]) if wanted.size else (0, -1)
    # What is not wanted costs nothing in a view, and little in a copy where it is but a few between many.
    if len(variable.blocks) == 1 or last - first < 4 * wanted.size:
        key[dimension] = slice(first, last + 1)
        return variable[tuple(key)], indices - first
    shape = [len(range(*part.indices(length))) for part, length in zip(key, variable.shape, strict=True)]
    shape[dimension] = wanted.size
    elements = np.empty(shape, variable.dtype)
    position = 0
    for run in np.split(wanted, np.flatnonzero(np.diff(wanted) > 1) + 1):
        key[dimension] = slice(run[0], run[-1] + 1)
        part = (slice(None),) * dimension + (slice(position, position + run.size),)
        variable.read(tuple(key), out=elements[part])
        position += run.size
    return elements, place.reshape(indices.shape)


def _refusal(what: str) -> InvalidArgument:
    return InvalidArgument(f"a variable does not take {what}: read first, then index the array, as in v[...][mask]")
