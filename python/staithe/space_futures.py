"""Calls of a space that nobody waits for: their futures, and the same in asyncio."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import ArrayLike, NDArray

from . import _core
from .ending import before_the_end

if TYPE_CHECKING:
    from .spaces import Space


@dataclass
class _Call:
    future: Future[Any]
    kept: object = None
    """What a put is done with."""


class _Calls:
    """Those of this process that are under way, and the thread that tells their futures."""

    def __init__(self) -> None:
        self.results = _core.SpaceResults()
        self._numbers = itertools.count(1)
        self._under_way: dict[int, _Call] = {}
        threading.Thread(target=self._tell, name="staithe-space-futures", daemon=True).start()
        before_the_end(self._await_puts)

    def start(self, call: Callable[[int], object]) -> Future[Any]:
        """The future of what the call, which gets its number, starts. What it returns is kept until that is done."""
        future: Future[Any] = Future()
        number = next(self._numbers)
        self._under_way[number] = started = _Call(future)
        try:
            started.kept = call(number)
        except BaseException:
            del self._under_way[number]
            raise
        future.add_done_callback(lambda done: self.results.cancel(number) if done.cancelled() else None)
        return future

    def forget(self) -> None:
        """They are another process's."""
        self._under_way.clear()

    def _await_puts(self) -> None:
        """A program that ends has put what it was told to; or says what it has not, and waits for no more."""
        puts = [call.future for call in list(self._under_way.values()) if call.kept is not None]
        ended, left = wait(puts, return_when=FIRST_EXCEPTION)
        errors = [error for future in ended if not future.cancelled() and (error := future.exception()) is not None]
        if errors:
            count = len(errors) + len(left)
            print(f"staithe: {count} blocks that nobody waited for were not put: {errors[0]}", file=sys.stderr)

    def _tell(self) -> None:
        while True:
            result = self.results.next()
            future = self._under_way.pop(result.number).future
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(result.take())
                except BaseException as error:  # it is who asks for the result to whom it matters
                    future.set_exception(error)
            del future, result  # else they stay until the next one


_lock = threading.Lock()
_calls: _Calls | None = None


def calls() -> _Calls:
    """Those of this process."""
    global _calls
    with _lock:
        if _calls is None:
            _calls = _Calls()
        return _calls


def _begin_as_child() -> None:
    global _calls, _lock
    if _calls is not None:
        _calls.forget()
    _calls, _lock = None, threading.Lock()  # its thread is the parent's


os.register_at_fork(after_in_child=_begin_as_child)


class Aio:
    """`staithe.Space.get` and `put` for asyncio: ``T = await space.aio.get("T")``. `staithe.Space.aio` is it.

    While a task waits, others run. A task that is cancelled waits no more; a put that was begun is done all the same.
    """

    def __init__(self, space: Space) -> None:
        self._space = space

    async def get(self, name: str, **options: Any) -> NDArray[Any]:
        """As `staithe.Space.get`, with its arguments."""
        array: NDArray[Any] = await asyncio.wrap_future(self._space.get_async(name, **options))
        return array

    async def put(self, name: str, array: ArrayLike, **options: Any) -> int:
        """As `staithe.Space.put`, with its arguments. Puts of a space are done one after the other.

        The array must not be changed meanwhile.
        """
        version: int = await asyncio.wrap_future(self._space.put_async(name, array, **options))
        return version
