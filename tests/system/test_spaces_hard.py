"""Spaces under hard conditions: numbers and words that are extreme, memory, disk and descriptors that run out."""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fork_server import Child, watch
from space_servers import KEEPERS, kept_by, own_run_directory, servers, serving, serving_together

import staithe
import thoroughness

Play = Callable[..., Child]


@pytest.fixture
def directory() -> Iterator[Path]:
    with own_run_directory() as path:
        yield path


@pytest.mark.parametrize("keeper", KEEPERS)
def test_shapes_and_versions_beyond_32_bits(keeper: str) -> None:
    with kept_by(keeper) as opened, opened() as space:
        assert space.put("x", [1, 2, 3], offset=2**33, shape=2**40, version=2**62, complete=True) == 2**62
        assert space.get("x", version=2**62, box=staithe.Box([2**33 + 1], [2])).tolist() == [2, 3]
        assert space.put("x", [[5]], offset=(2**33, 2), shape=(2**34, 3), version=-(2**62), complete=True) == -(2**62)
        assert space.get("x", version=-(2**62), box=staithe.Box([2**33, 2], [1, 1])).tolist() == [[5]]
        assert [version.number for version in space.versions("x")] == [-(2**62), 2**62]
        with pytest.raises(staithe.NotFound, match="nobody has put"):
            space.get("x", version=2**62, box=staithe.Box([0], [1]))


def test_who_never_completes_is_in_nobodys_way(directory: Path, start_python: Callable[..., Any]) -> None:
    text = """
import signal, staithe
space = staithe.space("hard", server="staithe")
space.put("x", [1, 2], offset=0, shape=4, version=0)
print("put", flush=True)
signal.pause()
"""
    with serving(), staithe.space("hard", server="staithe") as space:
        program = start_python(text)
        assert program.stdout.readline() == "put\n"
        with pytest.raises(staithe.Timeout, match="50 % of its elements were put"):
            space.get("x", version=0, timeout=0.1)
        space.put("x", np.arange(4))
        assert space.get("x").tolist() == [0, 1, 2, 3]
        program.kill()
        program.wait(30)
        space.remove("x", 0)
        assert [version.number for version in space.versions("x")] == [1]


# Limits --------------------------------------------------------------------------------------------------------

WORKS_IN_LITTLE_MEMORY = """
with staithe.space("hard", server="staithe", timeout=60) as space:
    for i in range(rounds):
        n = draw[i]
        space.put(name, np.full(n, i), version=i)
        array = space.get(name, version=i)
        space.remove(name, i)  # and it is still somebody's
        assert array.shape == (n,) and (array == i).all()
        del array  # who keeps it while he waits for room may wait for himself
"""


@pytest.mark.parametrize("sizes", ["all of one size", "of many sizes"])
@pytest.mark.parametrize("spills", [False, True])
def test_who_needs_all_of_the_memory_together_gets_on(
    directory: Path, tmp_path: Path, play: Play, sizes: str, spills: bool
) -> None:
    """Eight programs, of which each needs what others have: all of them come to their end."""
    dice = random.Random(thoroughness.SEED)
    rounds, most = 20, 500_000  # elements, of 4 MB: all programs together have as much as the server may hold
    folder = ["--spill", str(tmp_path)] if spills else []
    with serving("--memory", "32MB", *folder) as server:
        programs = [
            play(
                WORKS_IN_LITTLE_MEMORY,
                environment={"STAITHE_RUN_DIR": str(directory)},
                name=f"x{number}",
                rounds=rounds,
                draw=[most if sizes == "all of one size" else dice.randint(1000, most) for _ in range(rounds)],
            )
            for number in range(8)
        ]
        for program in programs:
            assert program.wait(100).has("done"), program.story()
        assert server.process.poll() is None
        [described] = servers()
        assert described["memory"] <= 32_000_000
        assert described["spaces"]["hard"]["blocks"] == 0


COMES_AND_GOES = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
with staithe.space("hard", server="staithe", timeout=60) as space:
    space.put(name, np.full(20_000, 7), shape=20_000)
    assert (space.get(name) == 7).all()
    with space.lock("for all", timeout=60):
        space.remove(name)
"""


def test_two_hundred_programs_with_64_descriptors(directory: Path, play: Play) -> None:
    """Of the server, which holds some off until others have gone, and of each program."""
    with serving() as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (64, 64))
        programs = [
            play(COMES_AND_GOES, environment={"STAITHE_RUN_DIR": str(directory)}, name=f"x{number}")
            for number in range(200)
        ]
        for program in programs:
            assert program.wait(100).has("done"), program.story()
        assert server.process.poll() is None
        with staithe.space("hard", server="staithe") as space:
            assert space.names() == []


def test_who_finds_no_descriptor_is_told(directory: Path, play: Play) -> None:
    """Those that are connected go on."""
    text = """
with staithe.space("hard", server="staithe", timeout=3) as space:
    space.put(name, 1)
    tell("has it open")
    stage.wait_for_word()
    assert space.get(name) == 1
"""
    with serving() as server:
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (64, 64))
        programs = [
            play(text, environment={"STAITHE_RUN_DIR": str(directory)}, name=f"x{number}") for number in range(80)
        ]
        until = time.monotonic() + 60
        while not all(program.gone or program.has("has it open") for program in programs):
            assert time.monotonic() < until
            watch([each for each in programs if not each.has("has it open")], until)
        for program in programs:
            program.say()
        ended = [program.wait() for program in programs]
        assert [each.story() for each in ended if not (each.has("done") or each.has("raises", "LimitReached"))] == []
        assert 8 <= sum(program.has("done") for program in programs) < 80
        [told] = {str(program.all("raises")[0].details[1])[-40:] for program in programs if program.has("raises")}
        assert "raise the limit with `ulimit -n`" in told


def test_arrays_that_are_held_take_no_descriptors(directory: Path, play: Play) -> None:
    text = """
import os, resource
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
with staithe.space("hard", server="staithe", timeout=20) as space:
    held = []
    for i in range(200):
        space.put("x", np.full(30_000, i), version=i)
        held.append(space.get("x", version=i))
    locks = [space.lock(f"x{i}") for i in range(200)]
    waiting = [space.get_async("never") for i in range(100)]
    assert all((array == i).all() for i, array in enumerate(held))
    assert len(os.listdir("/proc/self/fd")) < 40
"""
    with serving():
        program = play(text, environment={"STAITHE_RUN_DIR": str(directory)}).wait(60)
        assert program.has("done"), program.story()


def test_all_servers_are_full_and_their_disks(directory: Path, tmp_path: Path) -> None:
    """A put waits, and then fails; what was acknowledged is there, also when both start anew."""
    words = ["--memory", "8MB", "--spill", str(tmp_path), "--spill-bytes", "6MB"]
    put: list[int] = []
    with serving_together(2, *words), staithe.space("hard", server="staithe", timeout=1) as space:

        def put_all() -> None:
            for version in range(100):
                space.put("x", np.full(100_000, version), version=version, persist=version % 2 == 0)
                put.append(version)

        with pytest.raises(staithe.LimitReached, match=r"no room for 800000 bytes of 'x'.*disk, which takes no more"):
            put_all()
        assert len(put) > 20
        assert all((space.get("x", version=version) == version).all() for version in put)
        with ThreadPoolExecutor(1) as thread:
            waits = thread.submit(staithe.space("hard", server="staithe", timeout=60).put, "x", np.ones(100_000))
            for version in put[1:9:2]:
                space.remove("x", version)
            assert waits.result() > put[-1]
    with serving_together(2, *words), staithe.space("hard", server="staithe", timeout=20) as space:
        there = [version.number for version in space.versions("x")]
        assert set(there) >= set(put[::2])
        assert all((space.get("x", version=version) == version).all() for version in put[::2])


# Words ---------------------------------------------------------------------------------------------------------


def test_names_are_no_paths(tmp_path: Path) -> None:
    """Not of the server's files, whatever they are."""
    folder = tmp_path / "inner" / "kept"
    names = ["..", "../../outside", "/absolute", "a//b", "a/", "~", "-rf", "log.000001", "a\nb", "%s%n", "x" * 4096]
    for _ in range(2):
        with serving("--spill", str(folder)), staithe.space("hard", server="staithe") as space:
            for number, name in enumerate(names):
                if name not in space.names():
                    space.put(name, number, persist=True)
                assert space.get(name) == number
                assert space.versions(name)[0].number == 0
            assert set(space.names()) == set(names)
    assert [path.name for path in tmp_path.iterdir()] == ["inner"]
    assert [path.name for path in (tmp_path / "inner").iterdir()] == ["kept"]


def test_conditions_of_ten_thousand_terms(directory: Path) -> None:
    with serving(), staithe.space("hard", server="staithe") as space:
        space.put("x", np.arange(20_000).reshape(100, 200))
        assert space.query(" or ".join(f"x == {i}" for i in range(0, 20_000, 2))).size == 10_000
        assert space.query(" and ".join(["x >= 0"] * 10_000)).size == 20_000
        with pytest.raises(staithe.InvalidArgument, match="more than 64 deep"):
            space.query("(" * 10_000 + "x > 0" + ")" * 10_000)


PUTS_OF_ITS_OWN_KIND = """
with staithe.space("hard", server="staithe", timeout=20) as space:
    try:
        space.put("x", np.ones(shape, dtype), version=3)
    except staithe.InvalidArgument as error:
        tell("is refused", str(error))
    except staithe.AlreadyExists as error:
        tell("is refused", str(error))
    else:
        tell("has put")
"""


def test_of_two_that_put_different_arrays_one_is_refused(directory: Path, play: Play) -> None:
    kinds = [("f8", [40_000]), ("f4", [40_000]), ("f8", [200, 200]), ("i2", [3])]
    with serving():
        programs = [
            play(PUTS_OF_ITS_OWN_KIND, environment={"STAITHE_RUN_DIR": str(directory)}, dtype=dtype, shape=shape)
            for dtype, shape in kinds
        ]
        for program in programs:
            assert program.wait().has("done"), program.story()
        [winner] = [program for program in programs if program.has("has put")]
        dtype, shape = kinds[programs.index(winner)]
        for program in programs:
            if program is not winner:
                assert f"has {dtype} of shape ({', '.join(map(str, shape))})" in program.all("is refused")[0].details[0]
        with staithe.space("hard", server="staithe") as space:
            array = space.get("x", version=3)
            assert (array.dtype, list(array.shape), bool((array == 1).all())) == (np.dtype(dtype), shape, True)


@pytest.mark.skipif(not thoroughness.IS_LONG, reason="takes 12 GB: one of the long tests")
def test_a_block_of_five_gib(directory: Path) -> None:
    elements = 5 << 27
    with serving(), staithe.space("hard", server="staithe", timeout=120) as space:
        large = np.arange(elements, dtype="i8")
        space.put("x", large)
        del large
        got = space.get("x")
        assert (got.size, got[0], got[-1], got[2**29 + 7]) == (elements, 0, elements - 1, 2**29 + 7)
        assert space.get("x", box=staithe.Box([elements - 3], [3])).tolist() == [
            elements - 3,
            elements - 2,
            elements - 1,
        ]
        assert space.reduce("x", "max") == elements - 1
