"""`staithe serve` in a process of its own, and spaces that it or this process keeps."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staithe

OpenSpace = Callable[..., staithe.Space]
KEEPERS = ("this process", "a server", "two servers", "two servers for each other")
_numbers = itertools.count()


def start_server(*arguments: str, **environment: str) -> subprocess.Popen[str]:
    """The program, which may not have begun."""
    return subprocess.Popen(
        [sys.executable, "-W", "error", "-m", "staithe.cli", "serve", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
    )


class Server:
    """A server of the run directory that the environment names. It can be found from now on."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = start_server(*arguments, **environment)
        assert self.process.stdout is not None
        self.greeting = self.process.stdout.readline()

    @property
    def is_up(self) -> bool:
        """Whether it has said that it keeps spaces."""
        return "keeps spaces" in self.greeting

    def ends(self) -> tuple[int, str]:
        """Waits for its end: the exit code, and what it wrote to stderr."""
        _, errors = self.process.communicate(timeout=30)
        return self.process.returncode, errors

    def kill(self) -> None:
        """Ends it with SIGKILL, if it still runs."""
        self.process.kill()
        self.ends()


@contextlib.contextmanager
def own_run_directory() -> Iterator[Path]:
    """A run directory in which nobody else is."""
    with tempfile.TemporaryDirectory(prefix="staithe-") as directory, pytest.MonkeyPatch.context() as patch:
        patch.setenv("STAITHE_RUN_DIR", directory)
        yield Path(directory)


@contextlib.contextmanager
def serving(*arguments: str, **environment: str) -> Iterator[Server]:
    """A server until the end of the block."""
    server = Server(*arguments, **environment)
    try:
        assert server.is_up, server.ends()
        yield server
    finally:
        server.kill()


@contextlib.contextmanager
def serving_together(size: int, *arguments: str) -> Iterator[list[Server]]:
    """So many servers, which keep spaces together, until the end of the block."""
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(serving("--rank", str(rank), "--size", str(size), *arguments)) for rank in range(size)
        ]


@contextlib.contextmanager
def kept_by(keeper: str) -> Iterator[OpenSpace]:
    """Opens spaces which that keeper, one of KEEPERS, keeps: a new one if no name is given."""

    def opened(name: str = "", **options: Any) -> staithe.Space:
        return staithe.space(name or f"space-{next(_numbers)}", **options)

    if keeper == "this process":
        yield lambda name="", **options: opened(name, server="", **options)
    else:
        size = 1 if keeper == "a server" else 2
        replicas = ("--replicas", "2") if keeper == "two servers for each other" else ()
        with own_run_directory(), serving_together(size, *replicas):
            yield lambda name="", **options: opened(name, server="staithe", **options)


def servers() -> list[dict[str, Any]]:
    """What `staithe servers --json` prints."""
    command = [sys.executable, "-m", "staithe.cli", "servers", "--json"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=30)
    described: list[dict[str, Any]] = json.loads(listed.stdout)
    return described


def flip_a_bit_on_disk_of(server: int, values: np.ndarray[Any, Any]) -> bool:
    """In the middle of those values, if they lie on that process's disk: whether they did."""
    sought = values.tobytes()
    middle = len(sought) // 2
    for descriptor in Path(f"/proc/{server}/fd").iterdir():
        name = str(descriptor.readlink())
        if "(deleted)" in name and "memfd" not in name:
            with descriptor.open("r+b", buffering=0) as file:
                at = file.read().find(sought)
                if at >= 0:
                    file.seek(at + middle)
                    file.write(bytes([sought[middle] ^ 16]))
                    return True
    return False


def until_safe(size: int, seconds: float = 20, described: Callable[[], list[dict[str, Any]]] = servers) -> None:
    """Waits until each server that leads something is followed by one that has all of it. Until then some may not
    answer: they describe nothing."""
    until = time.monotonic() + seconds
    while True:
        listed = described()
        replicas = [server["replicas"] for server in listed if "replicas" in server]
        led = [home for each in replicas for home in each["leads"]]
        if len(led) == size and all(each["complete"] or not each["leads"] for each in replicas):
            return
        assert time.monotonic() < until, "\n".join(map(str, listed))
        time.sleep(0.05)


def restarted(rank: int, size: int) -> Server:
    """One of several that go on for each other, in the place of one that has gone."""
    server = Server("--rank", str(rank), "--size", str(size), "--replicas", "2")
    assert server.is_up, server.ends()
    return server


def sum_and_put(name: str, number: int) -> int:
    """What a process that another one spawned does: the sum of "x"; and it puts its number."""
    with staithe.space(name, server="staithe") as space:
        space.put(f"of {number}", number)
        return int(space.get("x").sum())
