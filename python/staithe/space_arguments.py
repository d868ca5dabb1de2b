"""What calls of a space are given, checked."""

from __future__ import annotations

import sys
from difflib import get_close_matches
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import masks
from .box import Box
from .errors import InvalidArgument
from .labelled.encoding import encode
from .labelled.quantities import is_quantity, unit_of
from .typing import Attributes

ARGUMENTS_OF_PUT = ("offset", "shape", "version", "unit", "complete", "overlap", "persist")
"""An attribute that is called nearly like one is taken for a slip."""

_OF_OTHER_CALLS = ("attrs", "dtype", "fill", "group", "placement", "timeout")
"""Who gives `put` one of these means what it does elsewhere: no attribute of a version."""


def refuse_slips(call: str, attributes: Attributes, arguments: tuple[str, ...]) -> None:
    """That no attribute is called nearly like an argument, or like one of other calls."""
    for key in attributes:
        if key in _OF_OTHER_CALLS:
            raise InvalidArgument(f"{call}() has no argument {key}, and no attribute is called so: leave it out")
        if meant := _closest(key, arguments):
            raise InvalidArgument(f"{call}() has no argument {key}: did you mean {meant}? (No attribute is called so)")


@lru_cache(1024)  # the same few attributes come with every block
def _closest(key: str, arguments: tuple[str, ...]) -> str | None:
    return next(iter(get_close_matches(key, arguments, 1, 0.8)), None)


class Block(NamedTuple):
    """What is put."""

    array: ArrayLike
    unit: str
    attributes: Attributes


def block_of(name: str, array: ArrayLike, unit: str, attributes: Attributes) -> Block:
    """What is put of an array: not what a mask hides, without a word; of xarray's and pint's also what they know."""
    if type(array) is np.ndarray:  # as mostly; and there are many
        return Block(array, unit, attributes)
    what = f"variable '{name}'"
    if array is None:
        raise InvalidArgument(f"{what} would be None: put an array")
    if is_quantity(array):
        unit = unit_of(array, unit or None, what)
        array = array.magnitude  # type: ignore[union-attr]
    elif "xarray" in sys.modules:
        array, unit, attributes = _labelled(name, array, unit, attributes)
    if masks.has_mask(array):
        array, _ = masks.filled(array, None, what, "put array.filled(VALUE)")
    return Block(array, unit, attributes)


def _labelled(name: str, array: ArrayLike, unit: str, attributes: Attributes) -> Block:
    import xarray

    if isinstance(array, xarray.Dataset):
        raise InvalidArgument(f"variable '{name}' cannot be an xarray.Dataset: dataset.staithe.put puts its variables")
    if not isinstance(array, xarray.DataArray | xarray.Variable):
        return Block(array, unit, attributes)
    encoded = encode(name, array if isinstance(array, xarray.Variable) else array.variable, unit=unit or None)
    return Block(encoded.data, encoded.unit or "", {**encoded.attrs, **attributes})


def number(version: int | str) -> int | None:
    """Which version is meant; None: the newest."""
    if not isinstance(version, str):
        return version
    if version != "latest":
        raise InvalidArgument(f"version={version!r} cannot be: give a number, or 'latest'")
    return None


def checked(box: Box | None) -> Box | None:
    """That it is one."""
    if box is not None and not isinstance(box, Box):
        raise InvalidArgument(f"box={box!r} is no staithe.Box(offset, count)")
    return box
