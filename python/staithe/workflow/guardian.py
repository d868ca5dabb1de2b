"""A small process that cleans up after a run, also when the launcher was killed with SIGKILL.

It reads from a pipe which process groups live ("+123", "-123"). When the pipe ends, for whatever reason, it
ends the groups that are left and removes the run's directory. The launcher may have died before it could tell of the
program that it was starting: such are found by their environment. It is run as a script by a bare interpreter, so it
imports nothing of Staithe.

Rejected: PR_SET_PDEATHSIG. It reaches the program alone, not the processes that the program started, must be
set between fork and exec, and leaves the directory behind.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from pathlib import Path

_GRACE_SECONDS = 2.0
_SECONDS_TO_DIE = 1.0  # what is left then nobody can kill


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


def _started_for(directory: str) -> set[int]:
    """The groups of all processes that were started by this run."""
    # Not STAITHE_RUN_DIR: users set that in their own shells, to look at a run.
    mark = f"STAITHE_SUMMARY_DIR={directory}/".encode()
    groups = set()
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                if any(variable.startswith(mark) for variable in (process / "environ").read_bytes().split(b"\0")):
                    groups.add(os.getpgid(int(process.name)))
            except OSError:
                continue  # it has ended, or is another user's
    return groups - {os.getpgid(0)}


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
    told: set[int] = set()
    began = time.monotonic()
    # Each time anew: while some end, others may be started, or become what shows whose they are.
    while groups := _alive(groups | _started_for(directory)):
        waited = time.monotonic() - began
        if waited > _GRACE_SECONDS + _SECONDS_TO_DIE:
            break
        if waited > _GRACE_SECONDS:
            _send(groups, signal.SIGKILL)
        else:
            _send(groups - told, signal.SIGTERM)
        told |= groups
        time.sleep(0.02)
    shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main(sys.argv[1])
