"""What becomes of open streams when a thread, or a process of multiprocessing, ends.

The end of a program itself is seen by the bindings (`open_streams.cpp`).
"""

from __future__ import annotations

import sys
import threading
from functools import cache
from typing import Any

from ._core import end_streams, end_streams_of_thread


def watch_threads() -> None:
    """From now on an exception that ends a thread ends the streams that it writes as failed."""
    tell = threading.excepthook

    def hook(uncaught: Any) -> None:
        if uncaught.exc_value is not None:
            end_streams_of_thread(uncaught.exc_value)
        tell(uncaught)

    threading.excepthook = hook


def watch_process_of_multiprocessing() -> None:
    """Where this is a process that multiprocessing has started: such a one ends without Python's own `atexit`."""
    process = sys.modules.get("multiprocessing.process")
    if process is not None and process.parent_process() is not None:
        _watch(process.current_process().pid)


@cache
def _watch(_pid: int) -> None:
    from multiprocessing.util import Finalize

    # It runs while the exception passes that ends the process, if one does.
    Finalize(None, lambda: end_streams(sys.exc_info()[1]), exitpriority=0)
