"""What becomes of open streams and of calls under way when a program, a thread or a process of multiprocessing ends.

The end of a program itself is seen by the bindings (`open_streams.cpp`).
"""

from __future__ import annotations

import atexit
import sys
import threading
from collections.abc import Callable
from functools import cache

from ._core import end_streams, end_streams_of_thread


def watch_threads() -> None:
    """From now on an exception that ends a thread ends the streams that it writes as failed."""
    tell = threading.excepthook

    def hook(uncaught: threading.ExceptHookArgs) -> None:
        if uncaught.exc_value is not None:
            end_streams_of_thread(uncaught.exc_value)
        tell(uncaught)

    threading.excepthook = hook


def watch_process_of_multiprocessing() -> None:
    """Where this is a process that multiprocessing has started: such a one ends without Python's own `atexit`."""
    if (pid := _pid_in_multiprocessing()) is not None:
        _watch(pid)


def before_the_end(call: Callable[[], object]) -> None:
    """From now on it is called before this program, or process of multiprocessing, ends its streams."""
    if _pid_in_multiprocessing() is None:
        atexit.register(call)
    else:
        _at_end_in_multiprocessing(call, 1)


def _pid_in_multiprocessing() -> int | None:
    process = sys.modules.get("multiprocessing.process")
    return None if process is None or process.parent_process() is None else process.current_process().pid


@cache
def _watch(_pid: int) -> None:
    # It runs while the exception passes that ends the process, if one does.
    _at_end_in_multiprocessing(lambda: end_streams(sys.exc_info()[1]), 0)


def _at_end_in_multiprocessing(call: Callable[[], object], priority: int) -> None:
    from multiprocessing.util import Finalize

    Finalize(None, call, exitpriority=priority)
