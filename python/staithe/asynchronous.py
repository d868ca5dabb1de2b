"""Streams in asyncio: what ``async with`` a stream, ``async for step in reader`` and ``async with out.step()`` do.

An event loop waits for the descriptor that a stream has for this, and what is taken from the stream is taken in the
loop's own thread, at once: so a task that is cancelled while it waits has taken nothing.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from typing import TypeVar

from ._core import Reader, Step, Writer, WriteStep, open_write_step, timeout_of, watch_reader, watch_writer
from .errors import InvalidArgument, Timeout

S = TypeVar("S", Reader, Writer)
T = TypeVar("T")

_awaited: set[int] = set()


async def next_step(reader: Reader) -> Step:
    """The reader's next step; a chosen timeout holds, else it waits for as long as its writer lives."""
    # What is closed has nothing to wait for: an error, or the end.
    step = reader.next() if reader.closed else await _once_ready(reader, reader.next, timeout_of(reader))
    if step is None:
        raise StopAsyncIteration
    return step


async def enter_step(step: WriteStep, writer: Writer, timeout: float | None) -> WriteStep:
    """Opens the step as soon as there is room for it."""
    await _once_ready(writer, lambda seconds: open_write_step(step, seconds), timeout)
    return step


async def leave_step(step: WriteStep, *exception: object) -> None:
    """Publishes the step, or abandons it."""
    step.__exit__(*exception)


async def enter_stream(stream: S) -> S:
    """The stream, which was opened already: opening waits for the other programs, and for the loop's other tasks."""
    return stream


async def leave_stream(stream: Reader | Writer, *exception: object) -> None:
    """Closes the stream in another thread: a writer waits for its readers, which may be tasks of this very loop."""
    await asyncio.to_thread(stream.__exit__, *exception)


async def _once_ready(stream: Reader | Writer, call: Callable[[float], T], timeout: float | None) -> T:
    loop = asyncio.get_running_loop()
    if timeout is None and (chosen := os.environ.get("STAITHE_TIMEOUT")):
        timeout = float(chosen)
    deadline = None if timeout is None else loop.time() + timeout
    while True:
        in_time = await _readable(stream, None if deadline is None else deadline - loop.time())
        try:
            return call(0.0)
        except Timeout as error:
            if not in_time:
                raise Timeout(f"{error} (it was awaited for {timeout:g} s)") from None


async def _readable(stream: Reader | Writer, seconds: float | None) -> bool:
    loop = asyncio.get_running_loop()
    descriptor = watch_reader(stream) if isinstance(stream, Reader) else watch_writer(stream)
    if descriptor in _awaited:
        raise InvalidArgument(f"stream '{stream.name}': another task waits for it: one at a time may")
    ready = asyncio.Event()
    loop.add_reader(descriptor, ready.set)
    _awaited.add(descriptor)
    try:
        async with asyncio.timeout(seconds):
            await ready.wait()
    except TimeoutError:
        return False
    finally:
        loop.remove_reader(descriptor)
        _awaited.discard(descriptor)
    return True
