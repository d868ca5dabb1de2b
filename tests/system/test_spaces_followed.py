"""What programs are told by servers that go on for each other: nothing that is gone with one of them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from space_servers import own_run_directory, restarted, serving_together, until_safe

import staithe

NAMES = 8  # of which each of two servers leads some
WHILE_IT_SAYS_NOTHING = 0.5  # seconds


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    with own_run_directory() as path:
        yield path


def test_nobody_reads_what_the_follower_was_not_told() -> None:
    read: list[int] = []

    def put(name: int) -> None:
        with staithe.space("campaign") as space:
            space.put(f"T/{name}", [1.0, 2.0], version=7)

    def get(name: int) -> None:
        with staithe.space("campaign") as space:
            opened.wait(20)
            assert space.get(f"T/{name}", version=7, timeout=20).tolist() == [1.0, 2.0]
            read.append(name)

    with serving_together(2, "--replicas", "2") as started, staithe.space("campaign") as space:
        until_safe(2)
        for name in range(NAMES):
            space.put(f"T/{name}", [0.0], version=0)  # there is a link to either server
        opened = threading.Barrier(NAMES + 1)
        readers = [threading.Thread(target=get, args=(name,), daemon=True) for name in range(NAMES)]
        writers = [threading.Thread(target=put, args=(name,), daemon=True) for name in range(NAMES)]
        for reader in readers:
            reader.start()
        opened.wait(20)
        readers[0].join(WHILE_IT_SAYS_NOTHING)  # all of them wait at their servers now
        started[1].process.send_signal(signal.SIGSTOP)
        for writer in writers:
            writer.start()
        readers[0].join(WHILE_IT_SAYS_NOTHING)
        assert not read, "the other server is stopped, and may not have been told"
        started[1].process.send_signal(signal.SIGCONT)
        for thread in writers + readers:
            thread.join(20)
        assert sorted(read) == list(range(NAMES))


def test_what_is_known_of_a_version_is_taken_for_no_other() -> None:
    """A program remembers what it has seen of versions, longer than their servers live."""
    with serving_together(2, "--replicas", "2") as started, staithe.space("campaign") as space:
        until_safe(2)
        for name in range(NAMES):
            space.put(f"T/{name}", np.zeros(100), version=0)
            assert not list(space.query(f"`T/{name}` > 5", version=0))
        for dead in (0, 1):
            started[dead].kill()
            started[dead] = restarted(dead, 2)
            until_safe(2)
            for name in range(NAMES):
                space.remove(f"T/{name}")
                space.put(f"T/{name}", np.full(100, 6.0 + dead), version=0)
        started[0].kill()
        for name in range(NAMES):
            (hit,) = space.query(f"`T/{name}` > 5", version=0)
            assert (hit.values == 7).all()
        for server in started:
            server.kill()


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("first", [0, 1])
def test_a_server_that_is_ended_takes_nothing_along(size: int, first: int) -> None:
    elements = {"large": 1 << 17, "small": 50}
    with serving_together(size, "--replicas", "2") as started, staithe.space("campaign") as space:
        until_safe(size)
        for name in range(NAMES):
            for kind, count in elements.items():
                space.put(f"{kind}/{name}", np.arange(count) + 0.5 * name, version=0)
        started[first].process.terminate()
        assert started[first].ends()[0] == 0
        for name in range(NAMES):
            for kind, count in elements.items():
                array = space.get(f"{kind}/{name}", version=0, timeout=20)
                np.testing.assert_array_equal(array, np.arange(count) + 0.5 * name)
        for server in started[:first] + started[first + 1 :]:
            server.process.terminate()
            assert server.ends()[0] == 0
