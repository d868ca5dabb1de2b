"""Locks of spaces, and views of what they keep."""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Any, Literal

from numpy.typing import NDArray

from . import _core
from .errors import Closed, Error, InvalidArgument

Mode = Literal["read", "write"]


class Lock:
    """A lock on a variable of a space, or on a box of it. `Space.lock` takes it.

    It is released at the end of its ``with`` block, by `release`, or when nothing refers to it any more.
    """

    def __init__(self, core: _core.SpaceLock, title: str) -> None:
        self._core = core
        self._title = title
        self._released = False

    def release(self) -> None:
        """Release it.

        Raises:
            Closed: it was released before; or its lease ran out, since this process was stopped or could not reach the
                server: what it was to protect may have changed.
            PeerLost: the server is gone; or this process was forked off by the one that has the lock.
        """
        self._core.release()
        self._released = True

    def __enter__(self) -> Lock:
        if self._released:
            raise Closed(f"{self!r} was used before: take a new one")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._released:
            return
        try:
            self.release()
        except Error:
            if kind is None:  # else what leaves the block says more than what became of the lock
                raise

    def __repr__(self) -> str:
        return f"<staithe.Lock {self._title}{', released' if self._released else ''}>"


class View:
    """An array of a space for the time of a ``with`` block. `Space.view` makes it."""

    version: int | None
    """The version that what was written has become; None before, and of a view to read."""

    def __init__(self, space: _core.Space, read: Callable[[], NDArray[Any]] | None, **lend: Any) -> None:
        self._space = space
        self._read = read
        self._lend = lend
        self._loan: _core.SpaceLoan | None = None
        self._used = False
        self.version = None

    def __enter__(self) -> NDArray[Any]:
        if self._used:
            raise Closed("this view was used before: take a new one")
        self._used = True
        if self._read:
            return self._read()
        self._loan = self._space.lend(**self._lend)
        return self._loan.array

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        loan, self._loan = self._loan, None
        if loan is None:
            return
        if kind is None:
            self.version = self._space.publish(loan)
        else:
            loan.give_back()


def check_mode(mode: str) -> None:
    """That it is one."""
    if mode not in ("read", "write"):
        raise InvalidArgument(f"mode={mode!r} cannot be: give 'read' or 'write'")
