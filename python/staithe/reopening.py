"""Spaces that were pickled: they are opened again, by their names, in whatever process uses them."""

from __future__ import annotations

import os
import socket
import time
from typing import NamedTuple, TypeAlias

from . import _core
from .arguments import explained
from .errors import NotFound
from .log_lines import follow_logging

Process: TypeAlias = tuple[str, int, float]

_STARTED = time.time()  # process ids are used again


def this_process() -> Process:
    """Its host, its id, and when it began: no other process has all of them."""
    return socket.gethostname(), os.getpid(), _STARTED


class Origin(NamedTuple):
    """How a space was opened."""

    name: str
    server: str | None
    timeout: float | None
    own_process: Process | None
    """Which process kept it; None: a server did."""

    @explained
    def open_again(self) -> _core.Space:
        """The same space.

        Raises:
            NotFound: it cannot be reached from here.
        """
        if self.own_process not in (None, this_process()):
            host, pid, _ = self.own_process
            raise NotFound(
                f"space '{self.name}' was kept by process {pid} on {host}, for itself alone: start `staithe serve` "
                "before it is opened, and other processes have it, too"
            )
        follow_logging()
        again = _core.open_space(self.name, 0, 1, self.timeout, self.server if self.own_process is None else "")
        if self.own_process is None and again.kept_by == "this process":
            raise NotFound(
                f"space '{self.name}' was kept by a server, and there is none here: start it with `staithe serve`, or "
                "see that STAITHE_RUN_DIR is the same here"
            )
        return again
