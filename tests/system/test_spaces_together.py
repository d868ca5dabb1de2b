"""Several servers that keep spaces together: how blocks are spread over them, and what happens when one dies."""

from __future__ import annotations

import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from space_servers import Server, own_run_directory, servers, serving, serving_together

import staithe

BLOCK = 1 << 17  # elements of 8 bytes: more than goes with others to the home of its variable


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


def held() -> list[int]:
    """The bytes of blocks that each server holds, by rank."""
    return [server["bytes"] for server in servers()]


def _variables(server: dict[str, Any], space: staithe.Space) -> int:
    return int(server["spaces"].get(space.name, {"variables": 0})["variables"])


def until(condition: Callable[[], bool]) -> None:
    """Waits until it holds."""
    while not condition():
        time.sleep(0.01)


def home_of(space: staithe.Space) -> int:
    """The rank of the home of its only variable."""
    [rank] = [rank for rank, server in enumerate(servers()) if _variables(server, space)]
    return rank


# Where blocks lie ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("writers", "size"), [(1, 2), (4, 2), (4, 3), (6, 3), (5, 4)])
def test_blocks_are_spread_evenly(writers: int, size: int) -> None:
    versions = 12

    def write(rank: int) -> None:
        with staithe.space("campaign", group=(rank, writers)) as space:
            for version in range(versions):
                space.put("T", np.full(BLOCK, rank), offset=rank * BLOCK, shape=writers * BLOCK, version=version)

    with serving_together(size), ThreadPoolExecutor(writers) as threads:
        list(threads.map(write, range(writers)))
        bytes_of = held()
        assert sum(bytes_of) >= versions * writers * BLOCK * 8
        assert max(bytes_of) / (sum(bytes_of) / size) <= 1.1, bytes_of
        with staithe.space("campaign") as space:
            assert space.kept_by == f"{size} servers 'staithe'"
            for version in (0, versions - 1):
                np.testing.assert_array_equal(
                    space.get("T", version=version).reshape(writers, BLOCK)[:, 7], np.arange(writers)
                )
            space.remove("T")
            until(lambda: sum(held()) == 0)


PUTS_IN_STEP = """
import sys
import numpy as np
import staithe
rank, ranks, count = map(int, sys.argv[1:])
with staithe.space("campaign", group=(rank, ranks)) as space:
    space.keep("T", 2)
    for version in range(12):
        space.put("T", np.full(count, rank), offset=rank * count, shape=ranks * count, version=version)
        space.get("T", version=version, box=staithe.Box((0,), (1,)))  # once all have put it
    print("done", flush=True)
    sys.stdin.readline()
"""


def test_ranks_stay_with_a_server_while_another_holds_as_much(start_python: Callable[..., Any]) -> None:
    """Else each would have memory at every server."""
    ranks = 4
    with serving_together(2):
        programs = [start_python(PUTS_IN_STEP, str(rank), str(ranks), str(BLOCK)) for rank in range(ranks)]
        assert [program.stdout.readline() for program in programs] == ["done\n"] * ranks
        memory = sum(server["memory"] for server in servers())
        assert memory < (3 * ranks + 1) * BLOCK * 8, "more than two versions that are kept, and one being put"
        for program in programs:
            program.communicate("end\n", timeout=30)


def test_variables_are_spread_by_their_names() -> None:
    with serving_together(4), staithe.space("campaign") as space:
        with space.batch() as batch:
            for number in range(2000):
                batch.put(f"run/{number}", number)
        counts = [server["spaces"]["campaign"]["variables"] for server in servers()]
        assert sum(counts) == 2000
        assert max(counts) <= 1.2 * 500
        assert space.names("run/19*") == sorted(f"run/{n}" for n in range(2000) if str(n).startswith("19"))
        assert space.containers() == ["run"]
        assert all(space.get(f"run/{number}") == number for number in range(0, 2000, 97))


def box_in(shape: tuple[int, ...]) -> st.SearchStrategy[tuple[slice, ...]]:
    """Any part of an array of that shape, not empty."""
    return st.tuples(
        *(
            st.tuples(st.integers(0, extent - 1), st.integers(1, extent)).map(
                lambda ends, extent=extent: slice(ends[0], min(ends[0] + ends[1], extent))
            )
            for extent in shape
        )
    )


def test_what_is_read_is_what_numpy_would_say() -> None:
    """Blocks of all sizes over each other, each with another server."""
    with serving_together(3), staithe.space("campaign") as space:

        @settings(deadline=None, max_examples=40)
        @given(puts=st.lists(box_in((300, 400)), min_size=1, max_size=8), wanted=box_in((300, 400)))
        def check(puts: list[tuple[slice, ...]], wanted: tuple[slice, ...]) -> None:
            expected = np.full((300, 400), -1.0)
            space.put("x", expected, version=0, shape=(600, 400), offset=(0, 0))
            for number, part in enumerate(puts):
                expected[part] = number
                offset = [each.start for each in part]
                space.put("x", expected[part], version=0, offset=offset, shape=(600, 400))
            space.put("x", np.zeros((300, 400)), version=0, offset=(300, 0), shape=(600, 400))
            box = staithe.Box([each.start for each in wanted], [each.stop - each.start for each in wanted])
            np.testing.assert_array_equal(space.get("x", box=box), expected[wanted])
            space.remove("x")

        check()
        until(lambda: sum(held()) == 0)


def test_where_one_is_full_another_has_room() -> None:
    with (
        serving("--rank", "0", "--size", "2", "--memory", "32MiB"),
        serving("--rank", "1", "--size", "2", "--memory", "256MiB"),
        staithe.space("campaign", timeout=1) as space,
    ):
        block = np.ones(1 << 20)  # 8 MiB
        for version in range(16):
            space.put("x", block, version=version)
        assert held()[0] <= 32 << 20 < held()[1]

        def fill() -> None:
            for _ in range(64):
                space.put("x", block)

        with pytest.raises(staithe.LimitReached, match=r"waited 1 s, and none of the 2 servers 'staithe' has room; .*"):
            fill()
        newest = space.versions("x")[-1].number
        waiting = threading.Timer(0.3, space.remove, ["x", newest])
        waiting.start()
        with staithe.space("campaign", timeout=20) as patient:
            patient.put("x", block, version=newest + 1)
        waiting.join()


# What is done under a lock -----------------------------------------------------------------------------------------


HOLDS = """
import sys
import numpy as np
import staithe
with staithe.space("campaign") as space:
    lock = space.lock("x", lease=0.5)
    lock.__enter__()
    print("holds", flush=True)
    sys.stdin.readline()
    for version in range(6, 12):
        try:
            space.put("x", np.ones(1 << 17), version=version)
        except staithe.Closed:
            print("refused")
"""


def test_a_put_under_a_lock_goes_with_it_to_wherever_the_block_lies(start_python: Callable[..., Any]) -> None:
    with serving_together(3), staithe.space("campaign") as space:
        block = np.ones(BLOCK)
        for version in range(6):  # some of them lie where the lock is not
            with space.lock("x", "write"):
                space.put("x", block, version=version)
        assert min(held()) > 0
        program = start_python(HOLDS)
        assert program.stdout.readline() == "holds\n"
        program.send_signal(signal.SIGSTOP)
        with space.lock("x"):  # its lease runs out
            program.send_signal(signal.SIGCONT)
            assert program.communicate("go on\n", timeout=30)[0] == "refused\n" * 6
        assert [version.number for version in space.versions("x")] == list(range(6))


CIRCLES = """
import sys
import staithe

with staithe.space("campaign") as space, space.lock(sys.argv[1]):
    print("holds", flush=True)
    sys.stdin.readline()
    try:
        with space.lock(sys.argv[2]):
            print("has both")
    except staithe.Deadlock as error:
        print(error)
"""


def test_a_circle_of_programs_over_several_servers_is_found(start_python: Callable[..., Any]) -> None:
    names = [str(i) for i in range(8)]  # not all of them of one home
    with serving_together(3):
        programs = [start_python(CIRCLES, name, names[i - 1]) for i, name in enumerate(names)]
        for program in programs:
            assert program.stdout.readline() == "holds\n"
        for program in programs:
            program.stdin.write("go on\n")
            program.stdin.flush()
        ends = [program.communicate(timeout=60) for program in programs]
    assert [errors for _, errors in ends] == [""] * len(names)
    [told] = [output for output, _ in ends if output != "has both\n"]
    assert all(f"(pid {program.pid} on " in told for program in programs)


# Death -------------------------------------------------------------------------------------------------------------


def test_what_lay_with_a_server_that_died_is_lost_and_named() -> None:
    with serving_together(2) as both, staithe.space("campaign") as space:
        parts = 8
        for part in range(parts):
            space.put("x", np.full(BLOCK, part), offset=part * BLOCK, shape=parts * BLOCK, version=0)
        home = home_of(space)
        other = 1 - home
        pid = both[other].process.pid
        both[other].kill()
        until(lambda: [server["name"] for server in servers()] == [f"staithe.{home}-of-2"])
        lost = 0
        for part in range(parts):
            box = staithe.Box([part * BLOCK], [BLOCK])
            try:
                assert (space.get("x", box=box) == part).all()
            except staithe.PeerLost as error:
                lost += 1
                said = str(error)
                assert re.search(rf"server 'staithe.{other}-of-2', .*\(pid {pid} on", said), said
        assert 0 < lost < parts
        with pytest.raises(staithe.PeerLost, match="remove this one and put it again"):
            space.get("x")
        for _ in range(3):  # whichever would have less
            space.put("x", np.zeros(BLOCK))
        assert (space.get("x") == 0).all()
        with pytest.raises(staithe.PeerLost, match=f"staithe serve --name staithe --rank {other} --size 2"):
            space.names()
        with serving("--rank", str(other), "--size", "2"):
            assert space.names() == ["x"]
            for version in range(10, 16):
                space.put("x", np.full(BLOCK, version), version=version)
                assert (space.get("x") == version).all()
            assert min(held()) > 0
            space.remove("x")
            until(lambda: sum(held()) == 0)


def test_with_the_home_of_a_variable_go_its_blocks_wherever_they_lie() -> None:
    with serving_together(2) as both, staithe.space("campaign") as space:
        for version in range(4):
            space.put("x", np.full(BLOCK, version), version=version)
        held_array = space.get("x", version=0)
        home = home_of(space)
        assert min(held()) > 0
        both[home].kill()
        until(lambda: [server["bytes"] for server in servers()] == [0])
        for call in (lambda: space.get("x"), lambda: space.versions("x"), lambda: space.put("x", np.zeros(BLOCK))):
            with pytest.raises(staithe.PeerLost, match=rf"staithe.{home}-of-2"):
                call()
        assert held_array.shape == (BLOCK,)
        with serving("--rank", str(home), "--size", "2"):
            assert space.put("x", np.ones(BLOCK)) == 0
            assert (space.get("x") == 1).all()


def test_a_server_that_is_stopped_takes_nothing_along_when_it_goes_on() -> None:
    with serving_together(2) as both, staithe.space("campaign") as space:
        space.put("x", 0)
        home = home_of(space)
        both[home].process.send_signal(signal.SIGSTOP)
        putting = threading.Thread(target=lambda: [space.put("x", np.full(BLOCK, n)) for n in range(4)])
        putting.start()
        time.sleep(0.3)
        both[home].process.send_signal(signal.SIGCONT)
        putting.join()
        assert [version.number for version in space.versions("x")] == list(range(5))
        assert (space.get("x") == 3).all()


# Names and places ----------------------------------------------------------------------------------------------------


def test_who_starts_them_may_take_his_time() -> None:
    with serving("--name", "depot", "--rank", "1", "--size", "2"):
        opening = ThreadPoolExecutor(1).submit(staithe.space, "campaign", server="depot")
        time.sleep(0.3)
        with serving("--name", "depot", "--rank", "0", "--size", "2"), opening.result() as space:
            for number in range(16):
                space.put(f"x{number}", number)
            assert len(space.names()) == 16


def test_several_that_are_alone_and_several_together_are_told_apart() -> None:
    with serving_together(2, "--name", "depot"), staithe.space("campaign") as space:
        assert space.kept_by == "2 servers 'depot'"
        with serving("--name", "alone"):
            with pytest.raises(staithe.InvalidArgument, match=r"'alone' and 'depot \(of 2\)' among them"):
                staithe.space("campaign")
            with staithe.space("campaign", server="depot") as again:
                again.put("x", 1)
            assert space.get("x") == 1
        with serving("--name", "depot", "--rank", "0", "--size", "3"), pytest.raises(staithe.InvalidArgument):
            staithe.space("campaign", server="depot")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--rank", "1"], "give both"),
        (["--rank", "2", "--size", "2"], "rank 2 of a group of 2 cannot be"),
        (["--rank", "0", "--size", "5000"], "4096 can at most"),
        (["--name", "a.0-of-2"], "the name that all have"),
    ],
)
def test_places_that_cannot_be(arguments: list[str], said: str) -> None:
    server = Server(*arguments)
    assert not server.is_up
    code, errors = server.ends()
    assert code != 0
    assert said in errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    "launched",
    [
        ("PMI_RANK", "PMI_SIZE"),
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
        ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
    ],
)
def test_a_launcher_says_which_one_it_is(launched: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(launched, ("1", "2"), strict=True):
        monkeypatch.setenv(name, value)
    with serving() as server:
        assert "server 'staithe', rank 1 of 2, (pid" in server.greeting
        assert [described["name"] for described in servers()] == ["staithe.1-of-2"]
        second = Server()
        assert not second.is_up
        assert "staithe.1-of-2" in second.ends()[1]
