"""Versions of a variable of a space, as they are completed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from . import _core
from .errors import InvalidArgument

Start = Literal["next", "oldest"]


class Watch:
    """Iterate over it for the number of each version that is complete. `Space.watch` makes it."""

    def __init__(self, core: _core.SpaceWatch, title: str) -> None:
        self._core = core
        self._title = title

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        version = self._core.next()
        if version is None:
            raise StopIteration
        return version

    def __repr__(self) -> str:
        return f"<staithe.Watch of {self._title}>"


def check_start(start: str) -> None:
    """That it is one."""
    if start not in ("next", "oldest"):
        raise InvalidArgument(f"start={start!r} cannot be: give 'next' or 'oldest'")
