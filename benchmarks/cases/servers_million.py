"""A million small objects in a space: listing them, the memory that they take, and starting anew after a kill.

Objects of 16 bytes, each a variable of its own in one of a thousand containers, put in batches to outlive the servers.
The limit of a start reads the files of the log. A start is timed until an object of each server's part can be had; it
includes the interpreter that runs `staithe serve`, whose start alone, with nothing to serve, has a row of its own.
"""

import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender, untyped
from ..contenders.staithe import await_server, begin_server, start_server
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, check
from .servers_blocks import own_memory
from .servers_disk import DIRECTORY

CONTAINERS = 1000
LIST_ONE, LIST_ALL = 'listing "run0500/*"', 'listing "*/obj007"'
MEMORY, EMPTY, LOG = "memory of the server", "start of an empty server", "reading the log's files"
STARTS = {"start anew, 1 → 1 server": (1, 1), "4 → 1 servers": (4, 1), "4 → 7 servers": (4, 7)}
REPEATS = 5


class ServersMillion(Case):
    name = "servers_million"
    title = "A million objects in a space of servers on the same machine"
    note = "1,000,000 objects (100,000 in a quick run) of 16 bytes, which outlive the servers."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        settings = {"objects": 100_000 if quick else 1_000_000}
        return [Trial(case=self.name, contender="staithe", point=MEMORY, settings=settings, readers=0, timeout=400)]

    def repeats(self, quick: bool) -> int:
        return 1

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        objects, timeout = seat.settings["objects"], seat.trial.timeout
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        measured: dict[str, float] = {EMPTY: median(_empty_start() for _ in range(REPEATS))}
        for row, (before, after) in STARTS.items():
            with tempfile.TemporaryDirectory(prefix="million-", dir=DIRECTORY) as folder:
                with _servers(before, folder) as servers, _space(timeout) as space:
                    _put(space, objects)
                    if before == 1:
                        measured[MEMORY] = own_memory(servers[0].pid)
                        measured[LIST_ONE] = _shortest(lambda: space.names("run0500/*"), objects // CONTAINERS)
                        measured[LIST_ALL] = _shortest(lambda: space.names("*/obj007"), CONTAINERS)
                measured[LOG] = _reading(Path(folder))
                began = time.perf_counter()
                with _servers(after, folder), _space(timeout) as space:
                    for container in range(CONTAINERS):
                        check(0, float(space.get(_name(container, 7))[1]), 7.0)
                    measured[row] = time.perf_counter() - began
        return measured

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (LIST_ONE, LIST_ALL, MEMORY, EMPTY, LOG, *STARTS)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        scale = {LIST_ONE: 1e3, LIST_ALL: 1e3, MEMORY: 1e-9, EMPTY: 1e3}
        return {row: scale.get(row, 1.0) * value for row, value in outcome.writers[0].items()}

    def unit(self, row: str) -> str:
        return {LIST_ONE: "ms", LIST_ALL: "ms", MEMORY: "GB", EMPTY: "ms"}.get(row, "s")

    def targets(self, row: str) -> tuple[Target, ...]:
        if row in STARTS:
            return (Target(2, sense="at most"),)
        most = {LIST_ONE: 100, LIST_ALL: 100, MEMORY: 1, EMPTY: 50}.get(row)
        return () if most is None else (Target(most, sense="at most"),)


def _name(container: int, number: int) -> str:
    return f"run{container:04d}/obj{number:03d}"


def _put(space: Any, objects: int) -> None:
    value = np.zeros(2)
    for container in range(CONTAINERS):
        with space.batch() as batch:
            for number in range(objects // CONTAINERS):
                value[1] = number
                batch.put(_name(container, number), value, persist=True)


@contextmanager
def _servers(count: int, folder: str) -> Iterator[list["subprocess.Popen[str]"]]:
    members = [() if count == 1 else ("--rank", str(rank), "--size", str(count)) for rank in range(count)]
    servers: list[subprocess.Popen[str]] = []
    try:
        servers += [begin_server("--spill", folder, *member) for member in members]
        for server in servers:
            await_server(server)
        yield servers
    finally:
        for server in servers:
            server.kill()
            server.wait()


@contextmanager
def _space(timeout: float) -> Iterator[Any]:
    with untyped("staithe").space("million", server="staithe", timeout=timeout) as space:
        yield space


def _empty_start() -> float:
    began = time.perf_counter()
    server = start_server()
    seconds = time.perf_counter() - began
    server.kill()
    server.wait()
    return seconds


def _reading(folder: Path) -> float:
    """The seconds that it takes to read all files there; most of them lies in the page cache for everyone."""
    began = time.perf_counter()
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(1 << 20):
                    pass
    return time.perf_counter() - began


def _shortest(names: Callable[[], list[str]], expected: int) -> float:
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        found = names()
        seconds.append(time.perf_counter() - began)
        check(0, len(found), expected)
    return min(seconds)


CASE = ServersMillion()
