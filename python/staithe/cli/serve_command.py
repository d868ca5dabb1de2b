"""`staithe serve`."""

from __future__ import annotations

import os
import resource
import signal
import threading

from .. import _core
from ..budget import set_limits
from ..log_lines import follow_logging


def serve(name: str, memory: str | None, listen: str | None, spill: str | None) -> None:
    """Runs a server until a signal ends it; says when programs can find it."""
    follow_logging()
    if memory is not None:
        set_limits(memory=memory)
    # Each program that has put something takes one.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    server = _core.open_server(name, listen, spill)
    print(f"server '{name}' (pid {os.getpid()}) keeps spaces for programs of this user: Ctrl-C ends it", flush=True)
    ended.wait()
    del server
