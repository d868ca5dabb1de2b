"""Versions of a variable of a space, as they are completed."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from typing import Literal

from . import _core
from .errors import InvalidArgument

Start = Literal["next", "oldest"]


class Watch:
    """Iterate over it for the number of each version that is complete. `Space.watch` makes it.

    In asyncio ``async for``: other tasks run meanwhile. What comes when its task was cancelled comes to who asks next.
    """

    def __init__(self, core: _core.SpaceWatch, title: str) -> None:
        self._core = core
        self._title = title
        self._under_way: Future[int | None] | None = None  # for a task, perhaps one that was cancelled
        self._is_awaited = False

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self._under_way is not None:
            concurrent.futures.wait([self._under_way])
        version = self._core.next() if self._under_way is None else self._taken(self._under_way)
        if version is None:
            raise StopIteration
        return version

    def __aiter__(self) -> AsyncIterator[int]:
        return self

    async def __anext__(self) -> int:
        if self._is_awaited:
            raise InvalidArgument(f"{self!r}: another task waits for it: one at a time may")
        if self._under_way is None:
            self._under_way = _in_a_thread(self._core.next)
        self._is_awaited = True
        try:
            await _done(self._under_way)
        finally:
            self._is_awaited = False
        version = self._taken(self._under_way)
        if version is None:
            raise StopAsyncIteration
        return version

    def _taken(self, done: Future[int | None]) -> int | None:
        self._under_way = None
        return done.result()

    def __repr__(self) -> str:
        return f"<staithe.Watch of {self._title}>"


def _in_a_thread(call: Callable[[], int | None]) -> Future[int | None]:
    """A program may end while it waits there."""
    future: Future[int | None] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # it is who asks for the result to whom it matters
            future.set_exception(error)

    threading.Thread(target=run, name="staithe-space-watch", daemon=True).start()
    return future


async def _done(future: Future[int | None]) -> None:
    """Waits until it is; asyncio's own would cancel it with the task."""
    loop = asyncio.get_running_loop()
    told = asyncio.Event()

    def tell(_: Future[int | None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(told.set)

    future.add_done_callback(tell)
    await told.wait()


def check_start(start: str) -> None:
    """That it is one."""
    if start not in ("next", "oldest"):
        raise InvalidArgument(f"start={start!r} cannot be: give 'next' or 'oldest'")
