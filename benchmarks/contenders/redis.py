"""Redis: a server of its own over a Unix socket; it keeps nothing on disk, or what is put before it answers.

Small objects are put and got by redis-benchmark, one call at a time and 16 in a row of each of 50 clients (which it
takes where nobody says anything), and from Python by redis-py with its parser in C.
"""

import contextlib
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ..harness.trial import Trial
from .base import Array, Contender, DurableStore, ObjectStore, untyped

# Debian's redis-tools has the server's program by this name: what it does it is told by how it is called.
PROGRAM = "redis-check-rdb"


class RedisObjects(ObjectStore):
    def __init__(self, socket: Path) -> None:
        self._redis = untyped("redis").Redis(unix_socket_path=str(socket))

    def put(self, name: str, array: Array) -> None:
        self._redis.set(name, array.data.cast("B"))

    def get(self, name: str) -> Array:
        return np.frombuffer(self._redis.get(name))


class RedisFile(DurableStore):
    """Its append-only file, which waits for the disk with each answer, or each pipeline's."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._process = self._start()
        self._redis = untyped("redis").Redis(unix_socket_path=str(directory / "socket"))
        self._wait()

    def _start(self) -> "subprocess.Popen[bytes]":
        return start_server(self._directory, "--appendonly", "yes", "--appendfsync", "always")

    def _wait(self) -> None:
        while True:
            with contextlib.suppress(untyped("redis").exceptions.RedisError):  # not there yet, or loading
                self._redis.ping()
                return

    def put(self, name: str, array: Array) -> None:
        self._redis.set(name, array.data.cast("B"))

    def put_all(self, arrays: Mapping[str, Array]) -> None:
        with self._redis.pipeline(transaction=False) as pipeline:
            for name, array in arrays.items():
                pipeline.set(name, array.data.cast("B"))
            pipeline.execute()

    def restart(self) -> float:
        self.end()
        began = time.perf_counter()
        self._process = self._start()
        self._wait()
        return time.perf_counter() - began

    def get(self, name: str) -> Array:
        return np.frombuffer(self._redis.get(name))

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


def start_server(directory: Path, *options: str) -> "subprocess.Popen[bytes]":
    """Its socket will be there."""
    command = [
        "--port",
        "0",
        "--unixsocket",
        str(directory / "socket"),
        "--save",
        "",
        "--dir",
        str(directory),
        *options,
    ]
    # What runs as redis-server reads its options.
    named = ["bash", "-c", 'exec -a redis-server "$0" "$@"', str(shutil.which(PROGRAM))]
    return subprocess.Popen([*named, *command], stdout=subprocess.DEVNULL)


@contextmanager
def server(core: int) -> Iterator[Path]:
    """Its socket, as long as it runs."""
    with tempfile.TemporaryDirectory(prefix="staithe-redis-", dir="/tmp") as directory:
        process = start_server(Path(directory))
        os.sched_setaffinity(process.pid, {core})  # that of a trial's reader
        try:
            socket = Path(directory) / "socket"
            for _ in range(500):
                if socket.exists():
                    break
                time.sleep(0.01)
            yield socket
        finally:
            process.kill()
            process.wait()


class Redis(Contender):
    """The store of small objects that everyone knows."""

    name = package = "redis"
    runs_itself = True
    most_repeats = 3

    def missing(self) -> str | None:
        return super().missing() or (None if shutil.which(PROGRAM) else "redis-tools is not installed")

    def run(self, trial: Trial, hosts: Mapping[str, Any], cores: Sequence[int]) -> Mapping[str, Any]:
        from ..cases import case_named

        # The case does with it what it does with all others.
        case = case_named(trial.case)
        if trial.settings.get("durable"):
            return case.keep_durably(self, trial)
        with server(cores[1]) as socket:
            if trial.settings.get("tool"):
                return _by_its_tool(socket, trial.settings)
            return case.keep(RedisObjects(socket), trial.settings)

    @contextmanager
    def durable(self, directory: Path, timeout: float) -> Iterator[DurableStore]:
        store = RedisFile(directory)
        try:
            yield store
        finally:
            store.end()


def _by_its_tool(socket: Path, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    size, calls = str(8 * settings["items"]), str(settings["calls"])
    command = ["redis-benchmark", "-s", str(socket), "-t", "set,get", "-d", size, "-n", calls, "-r", "1000", "--csv"]
    said = subprocess.run([*command, *settings["tool"]], capture_output=True, text=True, check=True).stdout
    rates = {line.split(",")[0].strip('"'): float(line.split(",")[1].strip('"')) for line in said.splitlines()[1:]}
    return {"puts": rates["SET"], "gets": rates["GET"]}


CONTENDER = Redis()
