"""Versions that memory has no room for lie on the disk of a server, and are read from there as from memory."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from space_servers import Server, flip_a_bit_on_disk_of, own_run_directory, servers, serving, serving_together

import staithe

ELEMENTS = 250_000  # of float64: 2 MB
VERSIONS = 40  # 80 MB, of which 20 MB are held in memory
MEMORY = "20MB"


@pytest.fixture(autouse=True)
def run_directory() -> Iterator[Path]:
    """Nobody else's servers."""
    with own_run_directory() as directory:
        yield directory


def values_of(version: int) -> np.ndarray[Any, Any]:
    """What that version has, which no other one has."""
    return np.arange(ELEMENTS, dtype=np.float64) * (version + 1)


def put_all(space: staithe.Space, versions: int = VERSIONS, name: str = "T") -> None:
    """So many versions."""
    for version in range(versions):
        space.put(name, values_of(version), version=version)


def check_all(space: staithe.Space, versions: int = VERSIONS, name: str = "T") -> None:
    """Each is as it was put."""
    for version in range(versions):
        np.testing.assert_array_equal(space.get(name, version=version, timeout=20), values_of(version))


def put_until_full(space: staithe.Space, then: Callable[[Any], None] | None = None) -> tuple[int, str]:
    """How many versions there was room for, and why there was none for another; each is read, for `then`."""
    for version in range(1000):
        try:
            space.put("T", values_of(version), version=version)
        except staithe.LimitReached as error:
            return version, str(error)
        if then is not None:
            then(space.get("T", version=version))
    raise AssertionError("2 GB are where there is no room for them")


@pytest.mark.parametrize("size", [1, 2])
def test_more_than_the_memory_holds_is_kept(tmp_path: Path, size: int) -> None:
    """Whatever is asked for is there, wherever it lies; and the memory stays within its limit."""
    with (
        serving_together(size, "--memory", MEMORY, "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        put_all(space, VERSIONS * size)
        check_all(space, VERSIONS * size)
        described = servers()
        assert len(described) == size
        assert all(server["memory"] <= 20_000_000 for server in described)
        assert all(server["spilled"] > 0 for server in described), [
            (s["bytes"], s["spilled"], s["memory"]) for s in described
        ]
        total = sum(server["bytes"] + server["spilled"] for server in described)
        assert total >= VERSIONS * size * ELEMENTS * 8
        space.remove("T")
        until = time.monotonic() + 20  # whoever has a block is told by who knows of it
        while sum(server["spilled"] for server in servers()) > 0:
            assert time.monotonic() < until


def test_parts_of_versions_on_disk_are_read(tmp_path: Path) -> None:
    """A box of one block, a box over several, a query, sums, and what is converted to other orders."""
    whole = np.random.default_rng(0).random((500, 600))
    with (
        serving("--memory", MEMORY, "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        space.put("u", whole[:200], offset=(0, 0), shape=whole.shape, version=0, complete=False)
        space.put("u", np.asfortranarray(whole[200:]), offset=(200, 0), shape=whole.shape, version=0)
        put_all(space)
        assert servers()[0]["spilled"] > whole.nbytes
        for rows, columns in (
            (slice(10, 20), slice(5, 7)),
            (slice(150, 350), slice(0, 600)),
            (slice(0, 500), slice(3, 4)),
        ):
            box = staithe.Box((rows.start, columns.start), (rows.stop - rows.start, columns.stop - columns.start))
            np.testing.assert_array_equal(space.get("u", version=0, box=box), whole[rows, columns])
        for axis in (None, 0, 1):
            np.testing.assert_allclose(space.reduce("u", "sum", version=0, axis=axis), whole.sum(axis=axis), 1e-12)
        hits = space.query("u > 0.999", version=0)
        found = np.concatenate([np.asarray(hit.values).ravel() for hit in hits])
        np.testing.assert_array_equal(np.sort(found), np.sort(whole[whole > 0.999]))


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    """A version that is asked for again and again stays in memory: it can be shown where it lies."""
    with (
        serving("--memory", MEMORY, "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        space.put("hot", values_of(7))
        space.put("cold", values_of(8))
        for version in range(VERSIONS):
            space.put("T", values_of(version), version=version)
            assert space.get("hot")[1] == 8
        assert not space.get("hot").flags.owndata, "it lies in the server's memory"
        assert space.get("cold").base is None or space.get("cold")[1] == 9


def test_what_is_held_stays_where_it_lies(tmp_path: Path) -> None:
    """An array that somebody has does not change, whatever is put; and its version can go once it is let go of."""
    with (
        serving("--memory", MEMORY, "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        space.put("T", values_of(100), version=100)
        held = space.get("T", version=100)
        put_all(space)
        np.testing.assert_array_equal(held, values_of(100))
        del held
        put_all(space, name="U")
        np.testing.assert_array_equal(space.get("T", version=100), values_of(100))


def test_who_holds_all_is_waited_for(tmp_path: Path) -> None:
    """With everything in memory held a put waits, says why, and goes on as soon as something is let go of."""
    with (
        serving("--memory", MEMORY, "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe", timeout=2) as space,
    ):
        held: list[Any] = []
        put, why = put_until_full(space, held.append)
        assert put >= 4
        assert re.search("has no room.*held or being put", why)
        held.clear()
        space.put("T", values_of(put), version=put)
        check_all(space, put + 1)


@pytest.mark.parametrize("size", [1, 2])
def test_a_full_disk_is_said(tmp_path: Path, size: int) -> None:
    """The put waits, then fails; all that was put before is there, and what is removed makes room."""
    with (
        serving_together(size, "--memory", MEMORY, "--spill", str(tmp_path), "--spill-bytes", "10MB"),
        staithe.space("campaign", server="staithe", timeout=2) as space,
    ):
        put, why = put_until_full(space)
        assert put >= 7 * size
        assert re.search(r"\d MB on disk, which takes no more", why), why
        check_all(space, put)
        assert all(server["spilled"] <= 10_000_000 for server in servers())
        for version in range(put):
            space.remove("T", version=version)
        put_all(space, 4)
        check_all(space, 4)


def test_a_disk_that_fills_is_said(small_disk: Path) -> None:
    """Before the server's own limit; there is room again when something was removed."""
    with (
        serving("--memory", "6MB", "--spill", str(small_disk)),
        staithe.space("campaign", server="staithe", timeout=2) as space,
    ):
        put, why = put_until_full(space)
        assert put >= 3
        assert re.search("which takes no more: .*No space left", why)
        check_all(space, put)
        space.remove("T", version=1)
        space.put("T", values_of(1), version=1)
        check_all(space, put)


def test_small_blocks_go_to_disk_too(tmp_path: Path) -> None:
    """One by one, and many at a time."""
    with (
        serving("--memory", "4MB", "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        for start in range(0, 12_000, 1000):
            with space.batch():
                for number in range(start, start + 1000):
                    space.put(f"of/{number}", np.full(128, number))
        for number in range(500):
            space.put("one by one", np.full(1000, number), version=number)
        assert servers()[0]["spilled"] > 8_000_000
        for number in range(0, 12_000, 7):
            assert (space.get(f"of/{number}") == number).all()
        for number in range(500):
            assert (space.get("one by one", version=number) == number).all()


def test_blocks_of_an_incomplete_version_go_to_disk(tmp_path: Path) -> None:
    """A version greater than the memory can be put, block by block, and read."""
    rows = 60
    with (
        serving("--memory", MEMORY, "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        for row in range(rows):
            space.put("T", values_of(row)[None], offset=(row, 0), shape=(rows, ELEMENTS), version=0)
        whole = space.get("T", version=0)
        for row in range(rows):
            np.testing.assert_array_equal(whole[row], values_of(row))


def test_what_outlives_a_server_may_be_more_than_the_next_has_memory_for(tmp_path: Path) -> None:
    """It lies on disk there; what was not to outlive the first is gone."""
    with (
        serving("--memory", "200MB", "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        for version in range(VERSIONS):
            space.put("T", values_of(version), version=version, persist=True)
        space.put("gone", values_of(1))
    with (
        serving("--memory", MEMORY, "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        check_all(space)
        assert space.names() == ["T"]
        put_all(space, name="more")
        check_all(space)
        check_all(space, name="more")


@pytest.mark.parametrize("size", [1, 2])
def test_damage_on_the_disk_is_told_and_named(tmp_path: Path, size: int) -> None:
    """Whoever reads the bytes is told of it; the other versions, and what is put again, are as they were put."""
    with (
        serving_together(size, "--memory", MEMORY, "--spill", str(tmp_path)) as together,
        staithe.space("campaign", server="staithe", timeout=20) as space,
    ):
        put_all(space, VERSIONS * size)
        assert any(flip_a_bit_on_disk_of(server.process.pid, values_of(0)) for server in together)
        damaged = {}
        for version in range(VERSIONS * size):
            try:
                np.testing.assert_array_equal(space.get("T", version=version), values_of(version))
            except staithe.ProtocolError as error:
                damaged[version] = str(error)
        assert list(damaged) == [0]
        for words in ("version 0 of 'T'", "[0:250000]", "spill file of server 'staithe", "put it again"):
            assert words in damaged[0], damaged[0]
        with pytest.raises(staithe.ProtocolError, match=r"version 0 of 'T'.*is damaged"):
            space.reduce("T", "sum", version=0)
        with pytest.raises(staithe.ProtocolError, match=r"version 0 of 'T'.*is damaged"):
            list(space.query("T > 1", version=0))
        np.testing.assert_array_equal(space.get("T", version=0, box=staithe.Box((0,), (1000,))), values_of(0)[:1000])
        space.remove("T", version=0)
        space.put("T", values_of(0), version=0)
        check_all(space, VERSIONS * size)


def test_nothing_is_left_behind(tmp_path: Path) -> None:
    """Whatever a server had on disk for want of memory goes with it, even if it is killed."""
    with serving("--memory", MEMORY, "--spill", str(tmp_path)) as server:
        with staithe.space("campaign", server="staithe") as space:
            put_all(space)
        assert servers()[0]["spilled"] > 0
        server.kill()
    assert sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file()) < 1_000_000


@pytest.mark.parametrize("arguments", [("--spill-bytes", "1GB"), ("--spill", "{}", "--spill-bytes", "-1")])
def test_wrong_words_are_said(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """At the start."""
    server = Server(*[word.format(tmp_path) for word in arguments])
    code, errors = server.ends()
    assert code == 1
    assert "disk" in errors or "amount" in errors
    assert "Traceback" not in errors


def _put_and_get(number: int, versions: int, holds: bool) -> None:
    with staithe.space("campaign", server="staithe") as space:
        name = f"of {number}"
        held: list[Any] = []
        for version in range(versions):
            space.put(name, values_of(version), version=version)
            read = space.get(name, version=version // 2, timeout=25)
            np.testing.assert_array_equal(read, values_of(version // 2))
            if holds:
                held = [*held[-1:], read]


@pytest.mark.parametrize("size", [1, 2])
def test_many_programs_put_more_than_there_is_memory(tmp_path: Path, size: int) -> None:
    """Each sees what it put, while others' versions go to disk."""
    context = multiprocessing.get_context("spawn")
    with serving_together(size, "--memory", MEMORY, "--spill", str(tmp_path)):
        programs = [context.Process(target=_put_and_get, args=(n, 20, n % 2 == 1)) for n in range(4)]
        for program in programs:
            program.start()
        for program in programs:
            program.join(60)
        assert [program.exitcode for program in programs] == [0] * 4
        with staithe.space("campaign", server="staithe") as space:
            for number in range(4):
                check_all(space, 20, f"of {number}")


def _put_until_killed() -> None:
    with staithe.space("campaign", server="staithe") as space:
        for version in range(10_000):
            space.put("of the killed", values_of(version), version=version)


@pytest.mark.parametrize("size", [1, 2])
def test_programs_are_killed_while_blocks_go_to_disk(tmp_path: Path, size: int) -> None:
    """Every version that is there is whole, and the server goes on."""
    context = multiprocessing.get_context("spawn")
    with (
        serving_together(size, "--memory", MEMORY, "--spill", str(tmp_path)),
        staithe.space("campaign", server="staithe") as space,
    ):
        for _ in range(3):
            program = context.Process(target=_put_until_killed)
            program.start()
            space.get("of the killed", version=15, timeout=25)
            assert program.pid is not None
            os.kill(program.pid, signal.SIGKILL)
            program.join()
            for entry in space.versions("of the killed"):
                read = space.get("of the killed", version=entry.number, timeout=10)
                np.testing.assert_array_equal(read, values_of(entry.number))
            space.remove("of the killed")
        put_all(space)
        check_all(space)


def test_a_server_that_is_killed_takes_only_what_lies_with_it(tmp_path: Path) -> None:
    """Of two, the other goes on, and its disk with it."""
    with (
        serving_together(2, "--memory", MEMORY, "--spill", str(tmp_path)) as both,
        staithe.space("campaign", server="staithe") as space,
    ):
        put_all(space)
        both[1].kill()
        lost = 0
        for version in range(VERSIONS):
            try:
                np.testing.assert_array_equal(space.get("T", version=version, timeout=5), values_of(version))
            except staithe.PeerLost:
                lost += 1
        assert 0 < lost <= VERSIONS


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["put", "get", "hold", "release", "remove"]), st.sampled_from("abc"), st.integers(0, 6)
        ),
        max_size=60,
    ),
    size=st.sampled_from([1, 2]),
)
def test_whatever_is_done_arrays_are_as_they_were_put(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int]], size: int
) -> None:
    """NumPy beside the space: random puts, gets, holds and removals in little memory."""
    folder = tmp_path_factory.mktemp("spill")
    with (
        own_run_directory(),
        serving_together(size, "--memory", "6MB", "--spill", str(folder)),
        staithe.space("campaign", server="staithe") as space,
    ):
        expected: dict[tuple[str, int], np.ndarray[Any, Any]] = {}
        held: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
        number = 0
        for what, name, version in steps:
            key = (name, version)
            if what == "put" and key not in expected:
                number += 1
                expected[key] = np.full(60_000 + 20_000 * version, number, np.int64)
                space.put(name, expected[key], version=version)
            elif what == "remove" and key in expected:
                space.remove(name, version=version)
                del expected[key]
            elif what in ("get", "hold") and key in expected:
                read = space.get(name, version=version, timeout=20)
                np.testing.assert_array_equal(read, expected[key])
                if what == "hold":
                    held = [*held[-1:], (read, expected[key])]
            elif what == "release":
                held.clear()
            for array, values in held:
                np.testing.assert_array_equal(array, values)
        for (name, version), values in expected.items():
            np.testing.assert_array_equal(space.get(name, version=version, timeout=20), values)


def test_memory_does_not_grow_with_what_is_put(tmp_path: Path) -> None:
    """What comes and goes leaves neither memory nor disk behind."""
    with (
        serving("--memory", MEMORY, "--spill", str(tmp_path), "--spill-bytes", "60MB"),
        staithe.space("campaign", server="staithe") as space,
    ):
        space.keep("T", versions=20)
        started = time.monotonic()
        for version in range(200):
            space.put("T", values_of(version), version=version)
            if time.monotonic() - started > 40:
                break
        described = servers()[0]
        assert described["spilled"] <= 60_000_000
        assert described["memory"] <= 20_000_000
