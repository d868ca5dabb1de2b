"""Streams between a writer and a reader of this very process, and writers in processes of their own."""

from __future__ import annotations

import contextlib
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import staithe

HERE = Path(__file__).parent
sys.path.append(str(HERE))  # tests import the helpers beside them


@dataclass
class Pair:
    """Both ends of a stream."""

    out: staithe.Writer
    reader: staithe.Reader

    def send(self, **variables: Any) -> staithe.Step:
        """A step with these arrays, as the reader gets it."""
        with self.out.step() as step:
            for name, array in variables.items():
                step.put(name, array)
        return next(self.reader)


@pytest.fixture
def pair(stream: str) -> Iterator[Pair]:
    """A writer and a reader of one stream. One thread can use both, as long as the queue does not fill."""
    with staithe.writer(stream, timeout=10) as out, staithe.reader(stream, timeout=10) as reader:
        yield Pair(out, reader)


class Servant:
    """A process that writes what it is told: writer_servant.py."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(HERE / "writer_servant.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def order(self, *task: Any) -> None:
        """Has it do a task; `failure` waits for the end."""
        assert self._process.stdin is not None
        pickle.dump(task, self._process.stdin)
        self._process.stdin.flush()

    def failure(self) -> Exception | None:
        """Waits until the task is done; returns what it raised."""
        assert self._process.stdout is not None
        failure: Exception | None = pickle.load(self._process.stdout)
        return failure

    def stop(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(20)
        self._process.stdout.close()


@pytest.fixture(scope="session")
def servants() -> Iterator[Callable[[int], list[Servant]]]:
    """Gives that many servants. They serve the whole session, since starting one takes longer than most tests."""
    with contextlib.ExitStack() as stack:
        hired: list[Servant] = []

        def hire(count: int) -> list[Servant]:
            while len(hired) < count:
                hired.append(Servant())
                stack.callback(hired[-1].stop)
            return hired[:count]

        yield hire
