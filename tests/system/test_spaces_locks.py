"""Locks of spaces among processes: what becomes of them when their holders are killed, stopped, and come back."""

from __future__ import annotations

import os
import random
import re
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from space_servers import OpenSpace, kept_by, own_run_directory, serving

import staithe
import thoroughness

Start = Callable[..., Any]

HEAD = """
import sys
import numpy as np
import staithe
space = staithe.space(sys.argv[1], server="staithe", timeout=20)
def told(*words): print(*words, flush=True)
"""
HOLDS = (
    HEAD
    + """
with space.lock("x", lease=float(sys.argv[2])):
    told("holds")
    sys.stdin.readline()
    try:
        space.put("x", np.arange(3))
        told("has put")
    except staithe.Closed as error:
        told("refused", error)
"""
)


@pytest.fixture(scope="module")
def served() -> Iterator[OpenSpace]:
    """Spaces that a server keeps, for programs of their own too."""
    with kept_by("a server") as opened:
        yield opened


@pytest.fixture
def space(served: OpenSpace) -> Iterator[staithe.Space]:
    with served(timeout=20) as space:
        yield space


def holder(start_python: Start, space: staithe.Space, lease: float) -> Any:
    """Another process, once it has the lock."""
    program = start_python(HOLDS, space.name, str(lease))
    assert program.stdout.readline() == "holds\n", program.stderr.read()
    with pytest.raises(staithe.Timeout, match=rf"\(pid {program.pid} on .* has held '{space.name}/x' to write for"):
        space.lock("x", timeout=0.02)
    return program


def test_a_lock_ends_at_once_with_its_process(space: staithe.Space, start_python: Start) -> None:
    program = holder(start_python, space, 1000)
    program.kill()
    with space.lock("x"):
        pass


def test_a_lock_is_kept_up_longer_than_its_lease(space: staithe.Space, start_python: Start) -> None:
    program = holder(start_python, space, 0.5)
    with pytest.raises(staithe.Timeout):
        space.lock("x", timeout=1.5)
    assert program.communicate("go on\n", timeout=30) == ("has put\n", "")
    assert space.get("x").tolist() == [0, 1, 2]


def test_who_was_stopped_and_comes_back_is_refused(space: staithe.Space, start_python: Start) -> None:
    program = holder(start_python, space, 0.7)
    program.send_signal(signal.SIGSTOP)
    with space.lock("x"):  # its lease runs out
        program.send_signal(signal.SIGCONT)
        output, errors = program.communicate("go on\n", timeout=30)
    said = (
        rf"refused lock \d+ of \S+ \(pid {program.pid} on \S+\) on '{space.name}/x' to write ran out \d\.\d s ago, as "
        rf"it was not renewed within 0\.7 s; \S+ \(pid {os.getpid()} .* has held '{space.name}/x' to write for \d\.\d s"
        r"\. Take a new lock, and read again what it is to protect\n"
    )
    assert re.fullmatch(said, output), output
    assert "staithe.errors.Closed: lock" in errors, "the end of the block says it, too"
    assert space.names() == []


def test_a_server_that_was_stopped_takes_nobody_for_dead() -> None:
    with (
        own_run_directory(),
        serving() as server,
        staithe.space("campaign", timeout=20) as space,
        space.lock("x", lease=1),
    ):
        server.process.send_signal(signal.SIGSTOP)
        time.sleep(2.5)
        server.process.send_signal(signal.SIGCONT)
        space.put("x", 1)


def test_two_programs_that_wait_for_each_other_are_told(space: staithe.Space, start_python: Start) -> None:
    text = (
        HEAD
        + """
with space.lock(sys.argv[2]):
    told("holds")
    sys.stdin.readline()
    try:
        with space.lock(sys.argv[3]):
            told("has both")
    except staithe.Deadlock as error:
        told(error)
"""
    )
    programs = [start_python(text, space.name, *names) for names in ("ab", "ba")]
    for program in programs:
        assert program.stdout.readline() == "holds\n"
    for program in programs:
        program.stdin.write("go on\n")
        program.stdin.flush()
    ends = [program.communicate(timeout=30) for program in programs]
    [told] = [output for output, _ in ends if output != "has both\n"]
    assert [errors for _, errors in ends] == ["", ""]
    assert told.startswith("these would wait for each other in a circle: ")
    assert all(f"(pid {program.pid} on " in told for program in programs)


def test_ctrl_c_ends_a_wait(space: staithe.Space, start_python: Start) -> None:
    with space.lock("x"):
        program = start_python(HEAD + "told('waits'); space.lock('x', timeout=1000)", space.name)
        assert program.stdout.readline() == "waits\n"
        time.sleep(0.1)
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=30)
        assert errors.rstrip().endswith("KeyboardInterrupt"), errors
    with space.lock("x"):
        pass


def test_a_view_of_the_dead_is_nothing(space: staithe.Space, start_python: Start) -> None:
    space.put("x", np.zeros(4))
    text = (
        HEAD
        + """
with space.view("x", "write") as x:
    x[:2] = 5
    told("has written")
    sys.stdin.readline()
"""
    )
    program = start_python(text, space.name)
    assert program.stdout.readline() == "has written\n"
    program.kill()
    with space.view("x", "write") as x:
        assert x.tolist() == [0] * 4
    assert [version.number for version in space.versions("x")] == [0, 1]


COUNTS = (
    HEAD
    + """
import random
draw = random.Random(int(sys.argv[2]))
for _ in range(int(sys.argv[3])):
    first = draw.randrange(8)
    box = staithe.Box([first], [draw.randint(1, 8 - first)])
    if draw.random() < 0.5:
        with space.lock("cells", box=box):
            mine = space.get("n")[box.slices]
            with space.lock("n"):
                n = space.get("n").copy()
                assert (n[box.slices] == mine).all(), "somebody has changed what this has locked"
                n[box.slices] += 1
                space.put("n", n)
    else:
        with space.lock("cells", "read", box=box):
            before = space.get("n")[box.slices]
            assert (space.get("n")[box.slices] == before).all(), "somebody has changed what this reads"
    with space.view("count", "write") as count:
        count += 1
told("done")
"""
)


def test_random_histories_exclude_each_other(space: staithe.Space, start_python: Start) -> None:
    """Processes count under locks, and some are killed meanwhile: what the others count is all there."""
    times, seed = thoroughness.examples(40), thoroughness.SEED
    space.put("n", np.zeros(8, int))
    space.put("count", 0)
    victims = [start_python(COUNTS, space.name, str(seed * 100 + 50 + i), "100000") for i in range(2)]
    others = [start_python(COUNTS, space.name, str(seed * 100 + i), str(times)) for i in range(3)]
    draw = random.Random(seed)
    for victim in victims:
        time.sleep(draw.uniform(0.3, 0.8))
        victim.kill()
    for other in others:
        assert other.communicate(timeout=60) == ("done\n", "")
    assert space.get("count") >= 3 * times
    counts = [int(space.get("count", version=version.number)) for version in space.versions("count")]
    assert counts == list(range(len(counts))), "each version counts one more"
    cells = np.array([space.get("n", version=version.number) for version in space.versions("n")])
    steps = np.diff(cells, axis=0)
    assert np.isin(steps, (0, 1)).all(), "what somebody has counted another one has undone"
    assert (steps.sum(axis=1) > 0).all()
