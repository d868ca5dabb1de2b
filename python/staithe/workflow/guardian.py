"""A small process that cleans up after a run, also when the launcher was killed with SIGKILL.

It reads from a pipe which process groups live ("+123", "-123"). When the pipe ends, for whatever reason, it
ends the groups that are left and removes the run's directory. It is run as a script by a bare interpreter, so
it imports nothing of Staithe.

Rejected: PR_SET_PDEATHSIG. It reaches the program alone, not the processes that the program started, must be
set between fork and exec, and leaves the directory behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time

_GRACE_SECONDS = 2.0


def _alive(groups: set[int]) -> set[int]:
    alive = set()
    for group in groups:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            continue
        except PermissionError:
            pass
        alive.add(group)
    return alive


def _send(groups: set[int], number: signal.Signals) -> None:
    for group in groups:
        try:
            os.killpg(group, number)
        except (ProcessLookupError, PermissionError):
            continue


def main(directory: str) -> None:
    """Follows the launcher until it closes the pipe on stdin, then cleans up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    groups: set[int] = set()
    for line in sys.stdin:
        group = int(line[1:])
        if line[0] == "+":
            groups.add(group)
        else:
            groups.discard(group)
    _send(groups, signal.SIGTERM)
    deadline = time.monotonic() + _GRACE_SECONDS
    while (groups := _alive(groups)) and time.monotonic() < deadline:
        time.sleep(0.02)
    _send(groups, signal.SIGKILL)
    shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1])
