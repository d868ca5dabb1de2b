"""Small blocks of a version become fewer in the background: whoever is killed meanwhile, nothing of it is lost."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from space_servers import own_run_directory, servers, serving

import staithe

ROWS, COLUMNS = 400, 300
EXPECTED = np.arange(ROWS * COLUMNS, dtype=np.float64).reshape(ROWS, COLUMNS)


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


def put_rows(space: staithe.Space, version: int, *, persist: bool = False) -> None:
    """Each is a block of its own."""
    with space.batch() as batch:
        for row in range(ROWS):
            batch.put(
                "T", EXPECTED[row : row + 1], offset=(row, 0), shape=EXPECTED.shape, version=version, persist=persist
            )


def wait_until_merged(space: staithe.Space) -> None:
    """Each version is one block."""
    while any(version.blocks > 1 for version in space.versions("T")):
        time.sleep(0.01)


@pytest.mark.timeout(60)
def test_merged_blocks_take_no_more_memory_than_before() -> None:
    with serving("--memory", "100MB"), staithe.space("campaign", server="staithe") as space:
        for version in range(5):
            put_rows(space, version)
        [before] = servers()
        wait_until_merged(space)
        [after] = servers()
        assert after["spaces"]["campaign"]["blocks"] == 5
        assert after["spaces"]["campaign"]["bytes"] == 5 * EXPECTED.nbytes
        assert after["memory"] <= before["memory"] + EXPECTED.nbytes
        for version in range(5):
            np.testing.assert_array_equal(space.get("T", version=version), EXPECTED)
            assert list(space.query("T == 7", version=version).boxes) == [staithe.Box((0, 7), (1, 1))]


@pytest.mark.timeout(60)
def test_blocks_that_outlive_a_server_are_merged_again(tmp_path: Path) -> None:
    with serving("--spill", str(tmp_path)), staithe.space("campaign", server="staithe") as space:
        put_rows(space, 3, persist=True)
        wait_until_merged(space)
        np.testing.assert_array_equal(space.get("T"), EXPECTED)
    for _ in range(2):
        with serving("--spill", str(tmp_path)), staithe.space("campaign", server="staithe") as space:
            np.testing.assert_array_equal(space.get("T"), EXPECTED)
            wait_until_merged(space)
            np.testing.assert_array_equal(space.get("T"), EXPECTED)
    with serving("--spill", str(tmp_path)), staithe.space("campaign", server="staithe") as space:
        space.remove("T")
    with serving("--spill", str(tmp_path)), staithe.space("campaign", server="staithe") as space:
        assert space.names() == []


def put_hold_and_wait(held: multiprocessing.synchronize.Event) -> None:
    """Until it is killed."""
    space = staithe.space("campaign", server="staithe")
    put_rows(space, 1)
    array = space.get("T", box=staithe.Box((5, 0), (1, COLUMNS)))
    held.set()
    time.sleep(600)
    assert array is not None


@pytest.mark.timeout(60)
def test_what_a_program_that_is_killed_has_put_and_held_is_there() -> None:
    context = multiprocessing.get_context("spawn")
    held = context.Event()
    with serving(), staithe.space("campaign", server="staithe") as space:
        process = context.Process(target=put_hold_and_wait, args=(held,))
        process.start()
        assert held.wait(30)
        wait_until_merged(space)
        process.kill()
        process.join()
        np.testing.assert_array_equal(space.get("T"), EXPECTED)
        space.remove("T")
        while servers()[0]["bytes"] > 0:
            time.sleep(0.01)
