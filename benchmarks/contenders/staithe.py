"""Staithe itself, by its Python API: `put` copies once, `lend` is a loan; a server keeps the objects."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..harness.trial import Seat
from .base import (
    Array,
    BlockWriter,
    Contender,
    DurableStore,
    ObjectStore,
    PartReader,
    StepReader,
    StepWriter,
    columns_of,
    rows_of,
    untyped,
)


def open_writer(seat: Seat, rank_bytes: int) -> Any:
    """A writer whose queue is bounded by its steps alone, or as it is where nobody says anything."""
    queue = {} if seat.settings.get("default_queue") else {"queue_steps": seat.queue, "queue_bytes": 1 << 40}
    return untyped("staithe").writer(
        seat.stream,
        group=(seat.rank, seat.trial.writers),
        **queue,
        reserve=rank_bytes if seat.settings.get("reserve", True) else None,
        timeout=seat.trial.timeout,
    )


def open_reader(seat: Seat) -> Any:
    return untyped("staithe").reader(seat.stream, group=(seat.rank, seat.trial.readers), timeout=seat.trial.timeout)


class StaitheFile(StepWriter):
    """As it is where nobody says anything, or with options of the writer."""

    def __init__(self, path: Path, fill: float | None = None, **options: str) -> None:
        self._fill = fill
        self._writer = untyped("staithe").writer(str(path), **options)

    def put(self, arrays: Mapping[str, Array]) -> None:
        with self._writer.step() as step:
            for name, array in arrays.items():
                step.put(name, array, fill=self._fill)

    def close(self) -> None:
        self._writer.close()


class StaitheWriter(StepWriter):
    def __init__(self, seat: Seat) -> None:
        self._writer = open_writer(seat, seat.step_bytes)

    def put(self, arrays: Mapping[str, Array]) -> None:
        with self._writer.step() as step:
            for name, array in arrays.items():
                step.put(name, array)

    @contextmanager
    def lend(self, name: str, items: int) -> Iterator[Array]:
        with self._writer.step() as step, step.loan(name, count=(items,)) as array:
            yield array

    def close(self) -> None:
        self._writer.close()


class StaitheReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        self._reader = open_reader(seat)
        self._names = seat.names

    def next(self) -> Mapping[str, Array]:
        step = self._reader.next()
        return {name: step[name][...] for name in self._names}


class StaitheBlockWriter(BlockWriter):
    def __init__(self, seat: Seat, shape: tuple[int, int]) -> None:
        rows = rows_of(seat, shape, seat.rank)
        self._writer = open_writer(seat, 8 * (rows.stop - rows.start) * shape[1])
        self._place = {"offset": (rows.start, 0), "shape": shape}

    def put(self, block: Array) -> None:
        with self._writer.step() as step:
            step.put("x", block, **self._place)

    def close(self) -> None:
        self._writer.close()


class StaithePartReader(PartReader):
    def __init__(self, seat: Seat, shape: tuple[int, int]) -> None:
        self._reader = open_reader(seat)
        self._selection = (slice(0, shape[0]), columns_of(seat, shape, seat.rank))

    def read_into(self, part: Array) -> None:
        step = self._reader.next()
        step["x"].read(self._selection, out=part)
        step.release()


class SpaceBlockWriter(BlockWriter):
    """Puts each step as a version, at most the queue's length before those that read: who have put a version of
    `read` together when all of them have read it."""

    def __init__(self, seat: Seat, shape: tuple[int, int]) -> None:
        self._space = open_space(seat, seat.trial.writers)
        self._queue = seat.queue
        for name in ("x", "read"):
            self._space.keep(name, self._queue)
        self._place = {"offset": (rows_of(seat, shape, seat.rank).start, 0), "shape": shape}
        self._version = 0

    def put(self, block: Array) -> None:
        if self._version >= self._queue:
            self._space.get("read", version=self._version - self._queue)
        self._space.put("x", block, version=self._version, **self._place)
        self._version += 1

    def close(self) -> None:
        self._space.get("read", version=self._version - 1)
        self._space.close()


class SpacePartReader(PartReader):
    def __init__(self, seat: Seat, shape: tuple[int, int]) -> None:
        self._space = open_space(seat, seat.trial.readers)
        columns = columns_of(seat, shape, seat.rank)
        self._box = untyped("staithe").Box((0, columns.start), (shape[0], columns.stop - columns.start))
        self._place = {"offset": (seat.rank,), "shape": (seat.trial.readers,)}
        self._version = 0

    def read_into(self, part: Array) -> None:
        self._space.get("x", version=self._version, box=self._box, out=part)
        self._space.put("read", np.ones(1), version=self._version, **self._place)
        self._version += 1


def open_space(seat: Seat, ranks: int) -> Any:
    """Of the servers; `ranks` of the seats put together."""
    group = (seat.rank, ranks) if ranks > 1 else None
    return untyped("staithe").space("bench", server="staithe", group=group, timeout=seat.trial.timeout)


class StaitheObjects(ObjectStore):
    def __init__(self, seat: Seat) -> None:
        self._space = untyped("staithe").space("objects", server="staithe", timeout=seat.trial.timeout)
        self._known: set[str] = set()

    def put(self, name: str, array: Array) -> None:
        if name not in self._known:
            self._space.keep(name, 1)
            self._known.add(name)
        self._space.put(name, array)

    def get(self, name: str) -> Array:
        kept: Array = self._space.get(name)
        return kept

    def put_all(self, names: Sequence[str], array: Array) -> None:
        with self._space.batch() as batch:
            for name in names:
                batch.put(name, array)

    def get_all(self, names: Sequence[str]) -> Sequence[Array]:
        with self._space.batch() as batch:
            got = [batch.get(name) for name in names]
        return [each.result() for each in got]


class StaitheLog(DurableStore):
    """A space of a server with a folder."""

    def __init__(self, directory: Path, timeout: float) -> None:
        self._options = ("--spill", str(directory))
        self._timeout = timeout
        self._begin()

    def _begin(self) -> None:
        self._server = start_server(*self._options)
        self._space = untyped("staithe").space("objects", server="staithe", timeout=self._timeout)

    def put(self, name: str, array: Array) -> None:
        self._space.put(name, array, persist=True)

    def put_all(self, arrays: Mapping[str, Array]) -> None:
        with self._space.batch() as batch:
            for name, array in arrays.items():
                batch.put(name, array, persist=True)

    def restart(self) -> float:
        self.end()
        began = time.perf_counter()
        self._begin()
        return time.perf_counter() - began

    def get(self, name: str) -> Array:
        kept: Array = self._space.get(name)
        return kept

    def end(self) -> None:
        self._space.close()
        self._server.kill()
        self._server.wait()


def begin_server(*options: str) -> "subprocess.Popen[str]":
    command = [str(Path(sys.executable).parent / "staithe"), "serve", *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def await_server(server: "subprocess.Popen[str]") -> None:
    """It can be found when this returns."""
    assert server.stdout is not None
    if not server.stdout.readline():
        raise RuntimeError("the server has not started")


def start_server(*options: str) -> "subprocess.Popen[str]":
    server = begin_server(*options)
    await_server(server)
    return server


class Staithe(Contender):
    """Ours. `server` among the settings of a trial: with one, which runs beside the writer, or on the core and host of
    the one that is `server_beside`; `servers`: with so many, which keep spaces together."""

    name = "staithe"
    package = "staithe"

    def load(self, seat: Seat) -> None:
        untyped("staithe")
        beside = seat.settings.get("server_beside")
        if seat.settings.get("server") and seat.role == (beside or "writer"):
            if beside:
                os.sched_setaffinity(0, {seat.core})
            self.server = start_server()
        self.servers: list[subprocess.Popen[str]] = []
        if seat.role == "writer" and seat.rank == 0:
            size = seat.settings.get("servers", 0)
            self.servers = [start_server("--rank", str(rank), "--size", str(size)) for rank in range(size)]

    def unload(self) -> None:
        if hasattr(self, "server"):
            self.server.kill()
        for server in self.servers:
            server.kill()

    def held_bytes(self) -> list[int]:
        """What blocks take of each server."""
        core = untyped("staithe._core")  # a command would take memory that counts
        return [core.describe_server(name, 5.0)["bytes"] for name in core.server_names()]

    @contextmanager
    def durable(self, directory: Path, timeout: float) -> Iterator[DurableStore]:
        log = StaitheLog(directory, timeout)
        try:
            yield log
        finally:
            log.end()

    def writer(self, seat: Seat) -> StepWriter:
        return StaitheWriter(seat)

    def filing(self, path: Path, items: int) -> StepWriter:
        return StaitheFile(path)

    def reader(self, seat: Seat) -> StepReader:
        return StaitheReader(seat)

    def block_writer(self, seat: Seat, shape: tuple[int, int]) -> BlockWriter:
        return SpaceBlockWriter(seat, shape) if "servers" in seat.settings else StaitheBlockWriter(seat, shape)

    def part_reader(self, seat: Seat, shape: tuple[int, int]) -> PartReader:
        return SpacePartReader(seat, shape) if "servers" in seat.settings else StaithePartReader(seat, shape)

    def objects(self, seat: Seat) -> ObjectStore:
        return StaitheObjects(seat)


CONTENDER = Staithe()
