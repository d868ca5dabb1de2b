"""Processes by names that no others ever have, as in names of files, and whether they still live.

The core's `src/os/process_identity.hpp` in Python.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from .processes import Process

_DIGITS_OF_BOOT = 8
_IN_NAME = re.compile(r"(?:^|\.)(\d+)\.(\d+)\.(\w{8})-(\d+)\.\w+$")


@dataclass(frozen=True)
class Identity:
    """One process among those of all hosts and pid namespaces."""

    pid: int
    start_time: int
    boot: str
    pid_namespace: int

    @classmethod
    def here(cls) -> Identity:
        """This process."""
        start_time = Process(os.getpid()).start_time or 0
        boot = Path("/proc/sys/kernel/random/boot_id").read_text()[:_DIGITS_OF_BOOT]
        return cls(os.getpid(), start_time, boot, Path("/proc/self/ns/pid").stat().st_ino)

    @classmethod
    def of(cls, pid: int) -> Identity | None:
        """A process of this pid namespace; None if there is none of that number."""
        start_time = Process(pid).start_time
        return None if start_time is None else replace(cls.here(), pid=pid, start_time=start_time)

    @classmethod
    def in_name(cls, name: str) -> Identity | None:
        """The process that a file is named after."""
        found = _IN_NAME.search(name)
        return found and cls(int(found[1]), int(found[2]), found[3], int(found[4]))

    @property
    def can_be_seen(self) -> bool:
        """Whether it is of this host and pid namespace: elsewhere its pid is another process's."""
        here = self.here()
        same = (self.boot, self.pid_namespace) == (here.boot, here.pid_namespace)
        return same and Path("/proc/self").readlink().name == str(here.pid)

    @property
    def is_gone(self) -> bool:
        """Whether it is known to live no more."""
        return self.can_be_seen and Process(self.pid).start_time != self.start_time
