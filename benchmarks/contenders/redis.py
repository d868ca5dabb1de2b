"""Redis: a server of its own that keeps nothing on disk, over a Unix socket.

Small objects are put and got by redis-benchmark, one call at a time and 16 in a row of each of 50 clients (which it
takes where nobody says anything), and from Python by redis-py with its parser in C.
"""

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
from .base import Array, Contender, ObjectStore, untyped

# Debian's redis-tools has the server's program by this name: what it does it is told by how it is called.
PROGRAM = "redis-check-rdb"


class RedisObjects(ObjectStore):
    def __init__(self, socket: Path) -> None:
        self._redis = untyped("redis").Redis(unix_socket_path=str(socket))

    def put(self, name: str, array: Array) -> None:
        self._redis.set(name, array.data.cast("B"))

    def get(self, name: str) -> Array:
        return np.frombuffer(self._redis.get(name))


@contextmanager
def server(core: int) -> Iterator[Path]:
    """Its socket, as long as it runs."""
    with tempfile.TemporaryDirectory(prefix="staithe-redis-", dir="/tmp") as directory:
        socket = Path(directory) / "socket"
        options = ["--port", "0", "--unixsocket", str(socket), "--save", "", "--dir", directory]
        # What runs as redis-server reads its options; the core is that of a trial's reader.
        command = ["taskset", "--cpu-list", str(core), "bash", "-c", 'exec -a redis-server "$0" "$@"']
        process = subprocess.Popen([*command, str(shutil.which(PROGRAM)), *options], stdout=subprocess.DEVNULL)
        try:
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
        with server(cores[1]) as socket:
            if trial.settings.get("tool"):
                return _by_its_tool(socket, trial.settings)
            # The case does with it what it does with all others.
            from ..cases import case_named

            return case_named(trial.case).keep(RedisObjects(socket), trial.settings)


def _by_its_tool(socket: Path, settings: Mapping[str, Any]) -> Mapping[str, Any]:
    size, calls = str(8 * settings["items"]), str(settings["calls"])
    command = ["redis-benchmark", "-s", str(socket), "-t", "set,get", "-d", size, "-n", calls, "-r", "1000", "--csv"]
    said = subprocess.run([*command, *settings["tool"]], capture_output=True, text=True, check=True).stdout
    rates = {line.split(",")[0].strip('"'): float(line.split(",")[1].strip('"')) for line in said.splitlines()[1:]}
    return {"puts": rates["SET"], "gets": rates["GET"]}


CONTENDER = Redis()
