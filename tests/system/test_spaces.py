"""Spaces among threads and processes: who waits is woken, ranks put together, and what the dead have put stays."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from space_servers import KEEPERS, OpenSpace, kept_by, servers, sum_and_put

import staithe

Start = Callable[..., Any]

HEAD = """
import os, signal, sys
import numpy as np
import staithe
space = staithe.space(sys.argv[1], server="staithe")
def told(*words): print(*words, flush=True)
"""


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


@pytest.fixture(scope="module")
def served() -> Iterator[OpenSpace]:
    """Spaces that a server keeps, for programs of their own too."""
    with kept_by("a server") as opened:
        yield opened


def memory_of(space: staithe.Space) -> tuple[int, int]:
    """How many blocks and bytes of it the server keeps."""
    [server] = servers()
    kept = server["spaces"][space.name]
    return kept["blocks"], kept["bytes"]


# Waiting -------------------------------------------------------------------------------------------------------


def test_a_get_waits_until_a_thread_puts(open_space: OpenSpace) -> None:
    with open_space() as space, ThreadPoolExecutor(3) as threads:
        whole = threads.submit(space.get, "x")
        third = threads.submit(space.get, "x", version=3)
        for version in range(4):
            for half in (0, 1):
                space.put("x", [version, half], offset=2 * half, shape=4, version=version)
        assert whole.result().tolist()[1::2] == [0, 1]
        assert third.result().tolist() == [3, 0, 3, 1]


def test_a_box_that_cannot_be_ends_the_wait(open_space: OpenSpace) -> None:
    with open_space() as space, ThreadPoolExecutor(1) as threads:
        outside = threads.submit(space.get, "x", box=staithe.Box([3], [2]))
        space.put("x", [1, 2])
        with pytest.raises(staithe.InvalidArgument, match=r"\[3:5\] does not lie in version 0 of 'x'"):
            outside.result()


def test_a_get_waits_until_another_process_puts(served: OpenSpace, start_python: Start) -> None:
    with served() as space:
        reader = start_python(HEAD + "told('waits'); told(space.get('x').sum(), space.get('y'))", space.name)
        assert reader.stdout.readline() == "waits\n"
        space.put("x", np.arange(10))
        space.put("y", 3.5)
        assert reader.communicate(timeout=30) == ("45 3.5\n", "")


@pytest.mark.parametrize("server", ["", "staithe"])
def test_ctrl_c_ends_a_wait(served: OpenSpace, start_python: Start, server: str) -> None:
    with served() as space:
        text = HEAD.replace('"staithe")', repr(server) + ")")
        program = start_python(text + "told('waits'); space.get('x', timeout=1000)", space.name)
        assert program.stdout.readline() == "waits\n"
        program.send_signal(signal.SIGINT)
        _, errors = program.communicate(timeout=30)
        assert errors.rstrip().endswith("KeyboardInterrupt"), errors
        space.put("x", 1)  # nobody who has gone is in the way


# Ranks ---------------------------------------------------------------------------------------------------------


def test_a_group_is_complete_when_all_of_it_are(open_space: OpenSpace) -> None:
    size = 4
    with open_space() as first:
        ranks = [open_space(first.name, group=(rank, size)) for rank in range(size)]
        for rank, space in enumerate(ranks):
            with pytest.raises(staithe.Timeout):
                ranks[0].get("x", version=0, timeout=0)
            block = np.full(2, rank)
            space.put("x", block, offset=3 * rank, shape=3 * size, version=0, complete=True)
        for rank in range(size):
            got = ranks[0].get("x", box=staithe.Box([3 * rank], [2]))
            assert got.tolist() == [rank, rank]


def test_ranks_that_put_the_same_are_told_whose_it_is(open_space: OpenSpace) -> None:
    with open_space() as space:
        first, second = (open_space(space.name, group=(rank, 2)) for rank in (0, 1))
        first.put("x", [1, 2], offset=0, shape=4, version=0)
        who = rf"[^)]*\(pid {os.getpid()} on [^)]*\)"
        said = rf"rank 1, {who} puts \[1:3\], of which rank 0, {who} has put \[0:2\] already"
        with pytest.raises(staithe.AlreadyExists, match=said):
            second.put("x", [8, 9], offset=1, shape=4, version=0)
        second.put("x", [8, 9], offset=1, shape=4, version=0, overlap=True)
        second.put("x", [7], offset=3, shape=4, version=0)
        assert space.get("x").tolist() == [1, 8, 9, 7]


def test_ranks_in_processes_put_together(served: OpenSpace, start_python: Start) -> None:
    text = (
        HEAD
        + """
rank, size = int(sys.argv[2]), int(sys.argv[3])
space = staithe.space(sys.argv[1], group=(rank, size))
for version in range(5):
    space.put("x", np.full((2, 3), 10 * version + rank), offset=(2 * rank, 0), shape=(2 * size, 3), version=version)
"""
    )
    with served() as space:
        programs = [start_python(text, space.name, str(rank), "3") for rank in range(3)]
        for version in range(5):
            expected = np.repeat(10 * version + np.arange(3), 2)[:, None] + np.zeros(3, int)
            np.testing.assert_array_equal(space.get("x", version=version), expected)
        assert [program.communicate(timeout=30) for program in programs] == [("", "")] * 3


# Many ----------------------------------------------------------------------------------------------------------


def test_a_hundred_threads_use_one_space(open_space: OpenSpace) -> None:
    count = 100
    begin = threading.Barrier(count)

    def work(number: int) -> bool:
        begin.wait()
        for version in range(5):
            space.put(f"x{number}", np.full(1000, number + version), version=version)
            space.put("all", [number], offset=number, shape=count, version=version)
        other = space.get(f"x{(number + 1) % count}", version=4)
        together = space.get("all", version=4)
        return bool((other == (number + 1) % count + 4).all() and (together == np.arange(count)).all())

    with open_space() as space, ThreadPoolExecutor(count) as threads:
        assert all(threads.map(work, range(count)))
        assert len(space.names("x*")) == count


def test_thirty_programs_at_once(served: OpenSpace, start_python: Start) -> None:
    text = HEAD + (
        "number = int(sys.argv[2])\n"
        "space.put('x', [number] * 100, offset=100 * number, shape=3000, version=0)\n"
        "told(space.get('x').sum())"
    )
    with served() as space:
        programs = [start_python(text, space.name, str(number), OPENBLAS_NUM_THREADS="1") for number in range(30)]
        total = str(100 * sum(range(30))) + "\n"
        assert [program.communicate(timeout=60) for program in programs] == [(total, "")] * 30


# Death ---------------------------------------------------------------------------------------------------------


def test_what_was_put_outlives_who_put_it(served: OpenSpace, start_python: Start) -> None:
    text = (
        HEAD
        + """
space.put("whole", np.arange(1000))
space.put("part", np.arange(500), offset=0, shape=1000, version=0)
got = space.get("whole")
told("put")
os.kill(os.getpid(), signal.SIGKILL)
"""
    )
    with served() as space:
        program = start_python(text, space.name)
        assert program.stdout.readline() == "put\n"
        assert program.wait(30) == -signal.SIGKILL
        np.testing.assert_array_equal(space.get("whole"), np.arange(1000))
        space.put("part", np.arange(500, 1000), offset=500, shape=1000, version=0)
        np.testing.assert_array_equal(space.get("part"), np.arange(1000))
        space.remove("whole")
        space.remove("part")
        assert memory_of(space) == (0, 0)


def test_who_gets_little_of_much_maps_no_more_of_it(served: OpenSpace, start_python: Start) -> None:
    text = (
        HEAD
        + """
def mapped():
    with open("/proc/self/status") as status:
        [line] = [line for line in status if line.startswith("RssShmem")]
    return int(line.split()[1]) >> 10
before = mapped()
part = space.get("x", box=staithe.Box(3 << 20, 1 << 20))
assert (part == 3).all()
told(mapped() - before)
"""
    )
    with served() as space:
        for number in range(16):
            space.put("x", np.full(1 << 20, number, "f8"), offset=number << 20, shape=16 << 20, version=0)
        mib, errors = start_python(text, space.name).communicate(timeout=30)
        assert errors == ""
        assert 8 <= int(mib) <= 16


def test_who_is_killed_while_it_puts_leaves_whole_versions_only(served: OpenSpace, start_python: Start) -> None:
    text = (
        HEAD
        + """
from itertools import count
for version in count():
    space.put("x", np.full(200_000, version), version=version)
    if version == 3:
        told("puts")
"""
    )
    with served() as space:
        program = start_python(text, space.name)
        assert program.stdout.readline() == "puts\n"
        program.kill()
        program.wait(30)
        versions = space.versions("x")
        assert [version.number for version in versions] == list(range(len(versions)))
        for version in versions:
            assert version.complete
            assert (space.get("x", version=version.number) == version.number).all()
        assert space.put("x", [0]) == len(versions)
        assert memory_of(space) == (len(versions) + 1, sum(version.nbytes for version in versions) + 8)


def test_memory_of_the_dead_is_given_back(served: OpenSpace, start_python: Start) -> None:
    """Clients come, put, remove and are killed: the server holds no more after many than after few."""
    text = HEAD + "space.put('x', np.zeros(1_000_000)); space.remove('x'); told('done'); signal.pause()"
    with served() as space:
        memory = []
        for _ in range(4):
            program = start_python(text, space.name)
            assert program.stdout.readline() == "done\n"
            program.kill()
            program.wait(30)
            space.names()  # the server has heard of it, or will before the next comes
            memory.append(servers()[0]["memory"])
        assert max(memory) <= 2 * memory[0]


# Processes that are made of others -----------------------------------------------------------------------------


def test_processes_that_multiprocessing_spawns(served: OpenSpace) -> None:
    spawn = multiprocessing.get_context("spawn")
    with served() as space, ProcessPoolExecutor(2, spawn) as processes:
        space.put("x", np.arange(10))
        assert list(processes.map(sum_and_put, [space.name] * 4, range(4))) == [45] * 4
        assert space.names("of *") == [f"of {number}" for number in range(4)]


def test_a_forked_child_is_told_to_open_its_own(served: OpenSpace, run_python: Callable[..., str]) -> None:
    text = (
        HEAD
        + """
space.put("x", [1, 2])
held = space.get("x")
child = os.fork()
if child == 0:
    try:
        space.get("x")
    except staithe.PeerLost as error:
        told(error)
    told(held.sum(), staithe.space(sys.argv[1], server="staithe").get("x").sum())
    os._exit(0)
os.waitpid(child, 0)
told(space.get("x").sum())
"""
    )
    with served() as space:
        refusal, child, parent = run_python(text, space.name).splitlines()
        assert "this one was forked off: open the space in the child" in refusal
        assert (child, parent) == ("3 3", "3")
