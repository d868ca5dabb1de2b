"""Servers and programs are killed at any point of a put, a get, a lock or a start: before, after and in the midst of a
call of the system (kill_shim.c). What was acknowledged to outlive it is there again, of all else it is known that it is
lost, and nobody waits.

How many points there are is counted in a life that goes well; the seed of the tests says which of them are tried.
"""

from __future__ import annotations

import contextlib
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from compiled import COMPILER
from deaths import NEVER, Death, moments
from numpy.typing import NDArray
from space_servers import Server, own_run_directory, servers, serving

import staithe
import thoroughness

pytestmark = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")

Start = Callable[..., subprocess.Popen[str]]
Array = NDArray[Any]


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    with own_run_directory() as path:
        yield path


def tries(number: int) -> int:
    """Of `number` in the long tests."""
    return max(3, thoroughness.examples(number))


# What is done, and what has to be there afterwards ---------------------------------------------------------------


class Life:
    """Calls at a space, and what of them has to be there when its servers come back: after those that were acknowledged
    what they said, after those that were lost either that or what was before."""

    def __init__(self) -> None:
        self.there: dict[tuple[str, int], list[Array | None]] = {}  # what each version may be; None: absent
        self.attributes: list[dict[str, Any]] = [{}]
        self.lost = 0

    def live(self, space: staithe.Space) -> None:
        small, large = np.arange(50.0), np.arange(40_000.0)
        self._put(space, "a", 0, small)
        self._put(space, "a", 1, large)
        self._call(lambda: space.put("half", large[:20_000], offset=0, shape=40_000, version=0, persist=True))
        self._call(
            lambda: space.put("half", large[20_000:], offset=20_000, shape=40_000, version=0, persist=True),
            {("half", 0): large} if self.lost == 0 else {},
        )
        self._call(lambda: space.put("in memory", large, version=0), {("in memory", 0): None})
        self._call(lambda: self._send_batch(space, small), {("of a batch", i): small + i for i in range(20)})
        self._call(lambda: space.set_attributes("run", owner="kb"), attributes={"owner": "kb"})
        self._call(lambda: self._under_lock(space, large), {("a", 2): large + 2})
        self._call(lambda: np.testing.assert_array_equal(space.get("a", version=1, timeout=20), large))
        self._call(lambda: self._change(space), {("seen", 0): np.full(9, 7.0)})
        self._call(lambda: space.remove("a", 0), {("a", 0): None})
        self._call(lambda: self._reduce(space, large))
        self._put(space, "last", 0, small)

    def check(self, space: staithe.Space) -> None:
        found: dict[tuple[str, int], Array] = {}
        for name in space.names():
            for version in space.versions(name):
                if version.complete:
                    found[name, version.number] = space.get(name, version=version.number, timeout=20)
        for key, possible in self.there.items():
            array = found.pop(key, None)
            assert any(
                (array is None and each is None)
                or (array is not None and each is not None and np.array_equal(array, each))
                for each in possible
            ), f"{key} is {array}"
        assert set(found) <= {("half", 0)}
        assert space.attributes("run") in self.attributes

    def _put(self, space: staithe.Space, name: str, version: int, values: Array) -> None:
        self._call(lambda: space.put(name, values, version=version, persist=True), {(name, version): values})

    def _call(
        self,
        call: Callable[[], object],
        leaves: Mapping[tuple[str, int], Array | None] | None = None,
        attributes: dict[str, Any] | None = None,
    ) -> None:
        try:
            call()
        except (staithe.PeerLost, staithe.Closed):  # the latter: the lock was lost with its server
            self.lost += 1
            for key, left in (leaves or {}).items():
                self.there[key] = [*self.there.get(key, [None]), left]
            self.attributes += [] if attributes is None else [attributes]
        else:
            self.there |= {key: [left] for key, left in (leaves or {}).items()}
            self.attributes = self.attributes if attributes is None else [attributes]

    @staticmethod
    def _send_batch(space: staithe.Space, values: Array) -> None:
        with space.batch() as batch:
            for i in range(20):
                batch.put("of a batch", values + i, version=i, persist=True)

    @staticmethod
    def _under_lock(space: staithe.Space, values: Array) -> None:
        with space.lock("a", timeout=20):
            space.put("a", values + 2, version=2, persist=True)

    @staticmethod
    def _change(space: staithe.Space) -> None:
        with space.view("seen", "write", shape=9, dtype="f8", version=0, persist=True, timeout=20) as seen:
            seen[:] = 7

    @staticmethod
    def _reduce(space: staithe.Space, values: Array) -> None:
        assert space.reduce("a", "max", version=1, timeout=20) == values[-1]
        assert space.query("a > 39998", version=1).size == 1


class Waiting:
    """Threads that wait for what never comes."""

    def __init__(self, space: staithe.Space, threads: ThreadPoolExecutor) -> None:
        self._holds = space.lock("held", timeout=20)
        self._ends: list[Future[Any]] = [
            threads.submit(space.get, "never", timeout=float("inf")),
            threads.submit(space.lock, "held", timeout=float("inf")),
            threads.submit(next, space.watch("never")),
        ]

    def check(self) -> None:
        """All of them have come back, because a server was lost or the space was closed."""
        for end in self._ends:
            assert isinstance(end.exception(timeout=30), staithe.PeerLost | staithe.Closed | StopIteration)


def live_and_die(place: Path, size: int, victim: int, moment: int) -> tuple[Life, int]:
    """A life at so many servers, one of which dies at that moment, if it comes to it; and how many there were."""
    death, life, folder = Death(place), Life(), str(place / "kept")
    with ExitStack() as stack, ThreadPoolExecutor(3) as threads:
        started = [
            stack.enter_context(
                serving(*_member(rank, size), "--spill", folder, **(death.environment if rank == victim else {}))
            )
            for rank in range(size)
        ]
        space = stack.enter_context(staithe.space("campaign", server="staithe", timeout=20))
        waiting = Waiting(space, threads)
        death.arm(moment)
        life.live(space)
        space.close()
        waiting.check()
        if life.lost:
            assert started[victim].process.wait(20) == -signal.SIGKILL, "a server that lives was taken for dead"
        if moment == NEVER:
            started[victim].process.terminate()
            assert started[victim].ends()[0] == 0
            return life, death.moments()
    return life, 0


def _member(rank: int, size: int) -> list[str]:
    return ["--rank", str(rank), "--size", str(size)] if size > 1 else []


def check_again(life: Life, folder: Path) -> None:
    """What a server has that is started alone, however many there were."""
    with serving("--spill", str(folder)), staithe.space("campaign", server="staithe", timeout=20) as space:
        life.check(space)
        with space.lock("held", timeout=20), space.lock("a", timeout=20):
            space.put("a", np.ones(3), version=99, persist=True)
        assert space.get("a").sum() == 3
        space.remove("a", 99)


@pytest.mark.parametrize(("size", "victim"), [(1, 0), (2, 0), (2, 1)])
def test_servers_that_are_killed_at_any_point(tmp_path: Path, size: int, victim: int) -> None:
    life, count = live_and_die(new(tmp_path / "whole"), size, victim, NEVER)
    assert (life.lost, count > 50) == (0, True)
    check_again(life, tmp_path / "whole" / "kept")
    for moment in moments(count, f"servers {size} {victim}", tries(30 // size)):
        place = new(tmp_path / str(moment))
        life, _ = live_and_die(place, size, victim, moment)
        with told(f"killed at moment {moment} of {count}"):
            check_again(life, place / "kept")


@pytest.mark.parametrize(("before", "after"), [(1, 1), (1, 2), (2, 1)])
def test_servers_that_are_killed_while_they_start(tmp_path: Path, before: int, after: int) -> None:
    life, _ = live_and_die(new(tmp_path / "before"), before, 0, NEVER)
    count = start_and_die(tmp_path, after, NEVER)
    for moment in moments(count, f"starts {before} {after}", tries(15)):
        start_and_die(tmp_path, after, moment)
        with told(f"killed at moment {moment} of {count}"):
            check_again(life, tmp_path / "kept")


def start_and_die(place: Path, after: int, moment: int) -> int:
    """Starts the first of so many servers on what those before it have left, as it was."""
    shutil.rmtree(place / "kept", ignore_errors=True)
    shutil.copytree(place / "before" / "kept", place / "kept")
    death = Death(place)
    death.arm(moment)
    server = Server(*_member(0, after), "--spill", str(place / "kept"), **death.environment)
    if moment == NEVER:
        assert server.is_up
        server.process.terminate()
        server.ends()
        return death.moments()
    server.kill()
    return 0


CLIENT = """
import sys
import numpy as np
import staithe
space = staithe.space("campaign", server="staithe", timeout=20)
print("begins", flush=True)
sys.stdin.readline()
name, large = sys.argv[1], np.arange(40_000.0)
for version in range(3):
    space.put(name, np.arange(50.0), version=version)
space.put(name, large, version=3)
space.put(name, large[:20_000], offset=0, shape=40_000, version=4)
assert space.get(name, version=3)[5] == 5
with space.lock("of all"), space.lock(name):
    space.put(name, large[20_000:], offset=20_000, shape=40_000, version=4)
with space.batch() as batch:
    for version in range(5, 25):
        batch.put(name, np.full(50, version), version=version)
with space.view("of all", "write", shape=9, dtype="f8") as seen:
    seen[:] = 7
space.remove(name, 0)
space.reduce(name, "max", version=4), space.query(f"{name} > 3", version=4)
space.close()
"""


def test_programs_that_are_killed_at_any_point(tmp_path: Path, start_python: Start) -> None:
    with serving(), staithe.space("campaign", server="staithe", timeout=20) as space:

        def live(name: str, moment: int) -> int:
            death = Death(new(tmp_path / name))
            program = start_python(CLIENT, name, **death.environment)
            assert program.stdout is not None
            assert program.stdout.readline() == "begins\n"
            death.arm(moment)
            _, errors = program.communicate("\n", timeout=30)
            assert program.returncode in (0, -signal.SIGKILL), errors
            return death.moments() if moment == NEVER else 0

        count = live("whole", NEVER)
        assert count > 50
        for moment in moments(count, "programs", tries(40)):
            name = f"at{moment}"
            live(name, moment)
            with told(f"killed at moment {moment} of {count}"):
                check_after(space, name)
        assert space.names() == []
        [server] = servers()
        assert (server["spaces"]["campaign"]["blocks"], server["spaces"]["campaign"]["bytes"]) == (0, 0)


def check_after(space: staithe.Space, name: str) -> None:
    """Locks are free; versions that are there are whole; and all of it can go."""
    with space.lock("of all", timeout=20), space.lock(name, timeout=20):
        for variable in space.names():
            for version in space.versions(variable):
                if version.complete:
                    array = space.get(variable, version=version.number)
                    expected = np.full(50, version.number) if version.number > 4 else np.arange(array.size)
                    assert (array == (7 if variable == "of all" else expected)).all()
            space.remove(variable)


# Helpers ---------------------------------------------------------------------------------------------------------


def new(place: Path) -> Path:
    place.mkdir()
    return place


@contextlib.contextmanager
def told(when: str) -> Iterator[None]:
    """What goes wrong is told with when it did."""
    try:
        yield
    except (AssertionError, staithe.Error) as error:
        raise AssertionError(f"{when}: {error}") from error
