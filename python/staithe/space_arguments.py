"""What calls of a space are given, checked."""

from __future__ import annotations

from difflib import get_close_matches
from functools import lru_cache

from numpy.typing import ArrayLike

from . import masks
from .box import Box
from .errors import InvalidArgument
from .typing import Attributes

ARGUMENTS_OF_PUT = ("offset", "shape", "version", "unit", "complete", "overlap")
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


def block_of(name: str, array: ArrayLike) -> ArrayLike:
    """What is put of an array: not what a mask hides, without a word."""
    if array is None:
        raise InvalidArgument(f"variable '{name}' would be None: put an array")
    if masks.has_mask(array):
        array, _ = masks.filled(array, None, f"variable '{name}'", "put array.filled(VALUE)")
    return array


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
