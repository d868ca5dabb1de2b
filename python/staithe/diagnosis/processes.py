"""Processes as /proc tells of them. Whatever cannot be read, because the process is gone or another's, is None."""

from __future__ import annotations

import json
import os
import re
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_NANOSECONDS = 1e-9
_IS_EXITING = 0x4  # PF_EXITING of the kernel


@dataclass(frozen=True)
class Use:
    """How much of something a process uses, and how much it may."""

    used: int
    limit: int

    @property
    def part(self) -> float:
        """Used of the limit; 1 is all."""
        return self.used / self.limit if self.limit > 0 else 1.0


@dataclass(frozen=True)
class SharedMapping:
    """A piece of a stream's memory in a process: its bytes, and those of them that a touch finds ready."""

    name: str
    writable: bool
    size: int
    resident: int


@dataclass(frozen=True)
class Process:
    """One process, by its number."""

    pid: int
    root: Path = Path("/proc")

    @property
    def start_time(self) -> int | None:
        """When it started, in clock ticks since boot; together with the pid it names a process for good. None if it is
        ending."""
        fields = self._stat()
        if not fields or fields[0] in ("Z", "X") or int(fields[6]) & _IS_EXITING:
            return None
        return int(fields[19])

    @property
    def is_stopped(self) -> bool:
        """Whether a signal, or a debugger, has stopped it."""
        fields = self._stat()
        return bool(fields) and fields[0] in ("T", "t")

    @property
    def descriptors(self) -> Use | None:
        """Open file descriptors."""
        limit = self._limit("Max open files")
        try:
            return None if limit is None else Use(sum(1 for _ in self._path("fd").iterdir()), limit)
        except OSError:
            return None

    @property
    def address_space(self) -> Use | None:
        """Address space, which every mapped pool takes a part of; None also where it is unlimited."""
        limit = self._limit("Max address space")
        found = re.search(r"^VmSize:\s+(\d+) kB", self._read("status"), re.MULTILINE)
        return None if limit is None or found is None else Use(int(found[1]) * 1024, limit)

    @property
    def cores(self) -> frozenset[int]:
        """The cores that it may run on."""
        try:
            return frozenset(os.sched_getaffinity(self.pid))
        except OSError:
            return frozenset()

    @property
    def seconds_without_core(self) -> float:
        """How long its threads were ready to run, but found no core."""
        total = 0
        for task in self._path("task").glob("*/schedstat"):
            try:
                total += int(task.read_text().split()[1])
            except (OSError, IndexError):
                continue
        return total * _NANOSECONDS

    @property
    def written_streams(self) -> frozenset[str]:
        """The streams that it is to write, as far as `staithe run` told it."""
        for entry in self._read("environ").split("\0"):
            name, _, value = entry.partition("=")
            if name == "STAITHE_STREAMS":
                return _keys_of_json(value)
        return frozenset()

    def mappings(self) -> Iterator[SharedMapping]:
        """The pools of streams that it has mapped."""
        head = re.compile(r"^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \d+\s+/memfd:staithe:(\S+)")
        found: re.Match[str] | None = None
        sizes: dict[str, int] = {}
        for line in self._read("smaps").splitlines():
            if re.match(r"[0-9a-f]+-[0-9a-f]+ ", line):
                found, sizes = head.match(line), {}
            elif found and (size := re.match(r"(Size|Rss):\s+(\d+) kB", line)):
                sizes[size[1]] = int(size[2]) * 1024
                if len(sizes) == 2:
                    yield SharedMapping(found[2], "w" in found[1], sizes["Size"], sizes["Rss"])
                    found = None

    def _stat(self) -> list[str]:
        # The second field is the program's name in parentheses and may hold anything, parentheses too.
        return self._read("stat").rpartition(")")[2].split()

    def _limit(self, name: str) -> int | None:
        found = re.search(rf"^{name}\s+(\d+)\s", self._read("limits"), re.MULTILINE)
        limit = int(found[1]) if found else None
        return None if limit == resource.RLIM_INFINITY else limit

    def _path(self, name: str) -> Path:
        return self.root / str(self.pid) / name

    def _read(self, name: str) -> str:
        try:
            return self._path(name).read_text(errors="replace")
        except OSError:
            return ""


def _keys_of_json(text: str) -> frozenset[str]:
    try:
        values: Any = json.loads(text)
    except ValueError:
        return frozenset()
    return frozenset(values) if isinstance(values, dict) else frozenset()
