"""Limits near their end: of processes, of the machine's memory, of the run directory's file system; busy cores."""

from __future__ import annotations

import os
import re
import resource
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..cli.units import percent, size
from .finding import Finding, Who, listed
from .processes import Process, Use

_NEAR = 0.8
_NEARLY_FULL = 0.95
_WITHOUT_CORE = 0.1
_MEGABYTE = 1 << 20


def process_limits(who: Who, process: Process) -> Iterator[Finding]:
    """Descriptors and address space of one process."""
    for what, use, command in (
        ("file descriptors", process.descriptors, "ulimit -n"),
        ("bytes of address space", process.address_space, "ulimit -v"),
    ):
        if use is not None and use.part >= _NEAR:
            amount = f"{size(use.used)} of {size(use.limit)}" if "bytes" in what else f"{use.used} of {use.limit}"
            yield Finding(
                "limit",
                f"{who} uses {amount} {what.removeprefix('bytes of ')}",
                f"raise the limit before it starts (`{command}`), or keep fewer streams and peers open",
                (who,),
            )


def memory(streams: Iterable[Mapping[str, Any]], available: int | None = None) -> Iterator[Finding]:
    """Whether the queues may grow beyond the memory that the machine has left."""
    available = _available_memory() if available is None else available
    growing = [(stream, max(0, stream["queue"]["limit_bytes"] - stream["queue"]["bytes"])) for stream in streams]
    growth = sum(room for _, room in growing)
    if available is None or growth <= available:
        return
    largest = max(growing, key=lambda entry: entry[1])[0]
    yield Finding(
        "limit",
        f"the queues may still take {size(growth)}, but the machine has {size(available)} of memory left",
        f"lower queue_bytes, first that of '{largest['name']}' ({size(largest['queue']['limit_bytes'])})",
        tuple(Who.of(stream) for stream, room in growing if room),
    )


def locked_memory(
    streams: Iterable[Mapping[str, Any]], adapters: Path = Path("/sys/class/infiniband"), limit: int | None = None
) -> Iterator[Finding]:
    """Whether what is read by RDMA may be registered: adapters keep it in memory."""
    limit = resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] if limit is None else limit
    chosen = os.environ.get("STAITHE_FABRIC") or "auto"
    uses_adapters = chosen not in ("off", "tcp", "net", "shm") and adapters.is_dir() and any(adapters.iterdir())
    largest = max(streams, key=lambda stream: int(stream["queue"]["limit_bytes"]), default=None)
    if not uses_adapters or limit == resource.RLIM_INFINITY or largest is None:
        return
    if limit < largest["queue"]["limit_bytes"]:
        yield Finding(
            "limit",
            f"a process may lock {size(limit)} of memory, and the queue of '{largest['name']}' may take "
            f"{size(largest['queue']['limit_bytes'])}: readers of other hosts get the rest over TCP, not by RDMA",
            "allow more before programs start (`ulimit -l unlimited`, or LimitMEMLOCK=infinity of the service that "
            "starts them)",
        )


def run_directory(directory: Path) -> Iterator[Finding]:
    """Whether contact files and sockets still find room."""
    try:
        status = os.statvfs(directory)
    except OSError:
        return
    for what, use in (
        ("space", Use(status.f_blocks - status.f_bavail, status.f_blocks)),
        ("inodes", Use(status.f_files - status.f_favail, status.f_files)),
    ):
        if use.limit > 0 and use.part >= _NEARLY_FULL:
            yield Finding(
                "limit",
                f"the file system of the run directory {directory} has {percent(1.0 - use.part)} of its {what} left",
                "free some, or choose another run directory with STAITHE_RUN_DIR",
            )


def pools(stream: Mapping[str, Any], who: Who, process: Process) -> Iterator[Finding]:
    """Whether a writer's pool would fault at first touch."""
    mine = [mapping for mapping in process.mappings() if mapping.writable and mapping.name == stream["name"]]
    size_of_all = sum(mapping.size for mapping in mine)
    cold = size_of_all - sum(mapping.resident for mapping in mine)
    if cold >= _MEGABYTE and cold >= 0.05 * size_of_all:
        yield Finding(
            "pool",
            f"{size(cold)} of {size(size_of_all)} of the pool of {who} for '{stream['name']}' are not pre-faulted",
            "its next steps pay for page faults; a kernel from 5.14 on pre-faults them, and swapping must be off",
            (who,),
        )


def cores(processes: Sequence[tuple[Who, Process]], seconds: float) -> Iterator[Finding]:
    """Whether processes of streams wait for cores, over the next `seconds`."""
    allowed = {who: process.cores for who, process in processes}
    together = frozenset().union(*allowed.values())
    if len(processes) < 2 or not together:
        return
    before = {who: process.seconds_without_core for who, process in processes}
    time.sleep(seconds)
    waited = {who: (process.seconds_without_core - before[who]) / seconds for who, process in processes}
    starved = sorted((who for who in waited if waited[who] >= _WITHOUT_CORE), key=lambda who: -waited[who])
    if starved:
        worst = starved[0]
        yield Finding(
            "cores",
            f"{listed([str(who) for who in starved])} were ready to run, but had no core, up to "
            f"{percent(waited[worst])} of the time; {len(processes)} processes of streams may use {len(together)} "
            f"core{'s' if len(together) > 1 else ''}",
            "start fewer ranks, pin programs to cores of their own, or place analyses inline",
            tuple(starved),
        )


def _available_memory() -> int | None:
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return None
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) * 1024 if found else None
