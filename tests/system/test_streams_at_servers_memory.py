"""Streams whose server has little memory: what is not needed goes back, and to those who need it."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from at_servers import ended, program, read, shell, values
from space_servers import Server, own_run_directory, serving

import staithe


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.mark.usefixtures("server")
def test_memory_of_steps_that_nobody_needs_goes_back() -> None:
    writer = program("""
        with staithe.writer("melt", placement="servers", readers=0, keep=2) as out:
            for number in range(20):
                with out.step() as step:
                    step.put("x", values(number))
                    step.put("y", np.full(1 << 20, number, "u1"))
        with staithe.writer("small", placement="servers", readers=0) as out:
            with out.step() as step:
                step.put("x", values(0))
    """)
    ended(writer)
    [described] = json.loads(shell("servers", "--json"))
    melt = described["streams"]["melt"]
    assert (melt["state"], melt["steps"], melt["kept"], melt["readers"], melt["ranks"]) == ("closed", 20, 2, 0, 1)
    assert 2 << 20 <= melt["memory"] <= (2 << 20) + (64 << 10)
    for step, number in zip(staithe.reader("melt", timeout=10), (18, 19), strict=True):
        assert step.index == number
        assert (step["y"][...] == number).all()


def test_a_server_has_no_more_than_its_memory() -> None:
    complaint = "server 'staithe' has no more memory for stream 'melt'"
    with serving("--memory", "8 MiB"):
        with staithe.writer("melt", placement="servers", readers=0, timeout=1) as out:
            with pytest.raises(staithe.LimitReached, match=complaint), out.step() as step:
                step.put("x", np.zeros(2 << 20))
            with out.step() as step:
                step.put("x", values(step.index))
        assert read("melt") == [1]


@pytest.mark.parametrize("ranks", [1, 2])
def test_kept_steps_go_where_there_is_no_memory_for_all(ranks: int) -> None:
    def write_rank(rank: int) -> None:
        group = (rank, ranks)
        with staithe.writer("melt", placement="servers", readers=0, keep=50, group=group, timeout=20) as out:
            for number in range(50):
                with out.step() as step:
                    step.put("x", np.full((1, 1 << 18), float(number)), offset=(rank, 0), shape=(ranks, 1 << 18))

    with serving("--memory", f"{16 * ranks} MiB"):
        threads = [threading.Thread(target=write_rank, args=(rank,)) for rank in range(ranks)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        kept = []
        for step in staithe.reader("melt", timeout=20):
            assert (step["x"][...] == step.index).all()
            kept.append(step.index)
        assert len(kept) > 1
        assert kept == list(range(kept[0], 50))


def test_memory_that_a_writer_does_not_use_goes_to_other_streams() -> None:
    with serving("--memory", "16 MiB"):
        with staithe.writer("melt", placement="servers", queue_steps=6, keep=1, timeout=20) as out:
            for _ in range(6):
                with out.step() as step:
                    step.put("x", values(step.index))
                    step.put("y", np.zeros(1 << 18))
            reading = threading.Thread(target=read, args=("melt",))
            reading.start()
            other = program("""
                with staithe.writer("freeze", placement="servers", readers=0, timeout=20) as out, out.step() as step:
                    step.put("x", values(0))
                    step.put("y", np.zeros(1 << 20))
            """)
            while other.poll() is None:
                with out.step() as step:
                    step.put("x", values(step.index))
                time.sleep(0.01)
        ended(other)
        reading.join()
        assert read("freeze") == [0]


def test_kept_steps_make_room_for_larger_ones() -> None:
    """Wherever they lie: no part of what they leave is large enough, but together they are."""
    sizes = [100_000] * 30 + [300_000] * 10 + [1_000_000, 100_000, 1_000_000]
    with serving("--memory", "16 MiB"):
        with staithe.writer("melt", placement="servers", readers=0, keep=50, timeout=20) as out:
            for size in sizes:
                with out.step() as step:
                    step.put("x", np.full(size, float(step.index)))
        kept = []
        for step in staithe.reader("melt", timeout=20):
            x = step["x"][...]
            assert x.shape == (sizes[step.index],) and (x == step.index).all()
            kept.append(step.index)
        assert kept == list(range(kept[0], len(sizes)))
