"""Servers that go on for each other (`--replicas 2`): any one is killed, nothing is lost, and nobody waits long."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from space_servers import Server, own_run_directory, restarted, servers, serving_together, until_safe

import staithe

LARGE = 1 << 17  # elements of 8 bytes: a block that goes to two servers by itself
MIDDLE = 5000  # one that lies with who leads, but does not go along with the message that puts it
SMALL = 50


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    with own_run_directory() as path:
        yield path


def values(name: int, version: int, elements: int) -> Any:
    return np.arange(elements, dtype=np.float64) + 1000 * name + version


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("dead", [0, 1, -1])
def test_nothing_is_lost_with_a_server(size: int, dead: int) -> None:
    names = 6
    with serving_together(size, "--replicas", "2") as started, staithe.space("campaign") as space:
        until_safe(size)
        for name in range(names):
            for version in range(3):
                space.put(f"large/{name}", values(name, version, LARGE), version=version)
                space.put(f"small/{name}", values(name, version, SMALL), version=version, run="a12")
                space.put(f"between/{name}", values(name, version, MIDDLE), version=version)
            space.set_attributes(f"large/{name}", owner="kb")
        started[dead].kill()
        began = time.monotonic()
        for name in range(names):
            for version in range(3):
                for kind, elements in (("large", LARGE), ("small", SMALL), ("between", MIDDLE)):
                    found = space.get(f"{kind}/{name}", version=version, timeout=10)
                    np.testing.assert_array_equal(found, values(name, version, elements))
            assert space.attributes(f"large/{name}") == {"owner": "kb"}
        assert time.monotonic() - began < 10
        assert len(space.names("*/*")) == 3 * names
        # And it goes on.
        for name in range(names):
            space.put(f"large/{name}", values(name, 3, LARGE))
            np.testing.assert_array_equal(space.get(f"large/{name}", timeout=10), values(name, 3, LARGE))
        with staithe.space("campaign") as other:
            np.testing.assert_array_equal(other.get("large/0", timeout=10), values(0, 3, LARGE))


def test_a_server_that_comes_back_is_told_everything() -> None:
    with serving_together(2, "--replicas", "2") as started, staithe.space("campaign") as space:
        until_safe(2)
        for name in range(6):
            space.put(f"{name}", values(name, 0, SMALL))
        for dead in (0, 1, 0):
            started[dead].kill()
            space.put("meanwhile", values(9, dead, SMALL))
            started[dead] = restarted(dead, 2)
            try:
                until_safe(2)
            except BaseException:
                started[dead].kill()
                raise
            for name in range(6):
                np.testing.assert_array_equal(space.get(f"{name}", timeout=10), values(name, 0, SMALL))
            np.testing.assert_array_equal(space.get("meanwhile", timeout=10), values(9, dead, SMALL))
        for server in started:
            server.kill()


def test_blocks_outlive_one_server_after_the_other() -> None:
    """What lay with the dead is copied to who comes in their place: in the end none is left of those to whom it was
    put."""
    with serving_together(3, "--replicas", "2") as started, staithe.space("campaign") as space:
        until_safe(3)
        for name in range(6):
            space.put(f"{name}", values(name, 0, LARGE))
        for dead in (2, 0, 1, 2):
            started[dead].kill()
            started[dead] = restarted(dead, 3)
            until_safe(3)
            for name in range(6):
                np.testing.assert_array_equal(space.get(f"{name}", timeout=10), values(name, 0, LARGE))
        for server in started:
            server.kill()


def test_writers_and_readers_do_not_notice() -> None:
    """Servers are killed one after the other while others put, get and wait."""
    versions, writers = 60, 2
    failures: list[BaseException] = []

    def write(rank: int) -> None:
        try:
            with staithe.space("campaign", group=(rank, writers), timeout=20) as space:
                for version in range(versions):
                    block = np.full((SMALL, MIDDLE, LARGE)[version % 3], version)
                    space.put("T", block, offset=rank * len(block), shape=writers * len(block), version=version)
        except BaseException as error:
            failures.append(error)

    def read() -> None:
        try:
            with staithe.space("campaign", timeout=20) as space:
                for version in range(versions):
                    array = space.get("T", version=version, timeout=20)
                    assert (array == version).all()
        except BaseException as error:
            failures.append(error)

    with serving_together(3, "--replicas", "2") as started:
        until_safe(3)
        threads = [threading.Thread(target=write, args=(rank,)) for rank in range(writers)]
        threads.append(threading.Thread(target=read))
        for thread in threads:
            thread.start()
        for dead in (1, 0, 2):
            started[dead].kill()
            started[dead] = restarted(dead, 3)
            until_safe(3)
        for thread in threads:
            thread.join(60)
        for server in started:
            server.kill()
        assert not failures, failures


def test_what_is_dropped_goes_from_all() -> None:
    with serving_together(2, "--replicas", "2"), staithe.space("campaign") as space:
        until_safe(2)
        space.keep("T", versions=1)
        for version in range(5):
            space.put("T", values(0, version, LARGE), version=version)
            space.put("S", values(0, version, SMALL), version=version)
        space.remove("S")
        until = time.monotonic() + 10
        while sum(server["bytes"] for server in servers()) != 2 * 8 * LARGE:
            assert time.monotonic() < until, servers()
            time.sleep(0.05)


def test_replicas_and_a_folder_are_not_for_one_server(tmp_path: Path) -> None:
    server = Server("--rank", "0", "--size", "2", "--replicas", "2", "--spill", str(tmp_path))
    assert not server.is_up
    code, errors = server.ends()
    assert code != 0
    assert "give --replicas or --spill, not both" in errors
