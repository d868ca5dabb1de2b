"""Steps that come encoded to several servers: of other hosts than the one that directs the stream, or that come late,
and two that go on for each other."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from between_hosts import go_on, memory_by_server, ranks_on, serving, steps_of
from hosts import Host, Program, line_of, network, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

FIELD = """
    import numpy as np, staithe, sys
    SHAPE = (24, 120, 256)
    def field(i):
        x, y, z = np.meshgrid(*(np.linspace(0, 1, n) for n in SHAPE), indexing="ij")
        return (300 + 40 * np.sin(7 * x + 0.1 * i) * np.cos(5 * y) + 3 * z).astype("f4")
    def numbers(i):
        return np.arange(24 * 9000, dtype="i4").reshape(24, 9000) + i
"""
# Ranks that each write rows, and wait once until they are told to go on.
RANK = (
    FIELD
    + """
    rank, ranks, pause, steps = map(int, sys.argv[1:5])
    rows = 24 // ranks
    mine = slice(rank * rows, (rank + 1) * rows)
    with staithe.writer("melt", timeout=40, group=(rank, ranks), queue_steps=4, **eval(sys.argv[5])) as out:
        print("opened", flush=True)
        for i in range(steps):
            if i == pause:
                print("pauses", flush=True)
                sys.stdin.readline()
            with out.step() as step:
                step.put("T", field(i)[mine], offset=(mine.start, 0, 0), shape=SHAPE, error="0.05 abs")
                step.put("n", numbers(i)[mine], offset=(mine.start, 0), shape=(24, 9000))
    print("closed", flush=True)
"""
)
# Says each step's number. Values are off by no more than the writer allows, and in some step by something.
READER = (
    FIELD
    + """
    most = 0.0
    with staithe.reader("melt", timeout=40) as stream:
        print("joined", flush=True)
        for step in stream:
            i = step.index
            off = np.abs(step["T"][...] - field(i)).max()
            assert off <= 0.05, (i, off)
            most = max(most, off)
            part = np.s_[3:20:4, ::-5, 7:200]
            assert np.abs(step["T"][part] - field(i)[part]).max() <= 0.05, i
            assert abs(step["T"].reduce("mean").item() - field(i).astype("f8").mean()) <= 0.05, i
            assert (step["n"][...] == numbers(i)).all() and (step["n"][::5, 3] == numbers(i)[::5, 3]).all(), i
            print(i, flush=True)
    assert most > 0, "all of it came as it was"
"""
)
RAW = 24 * 120 * 256 * 4 + 24 * 9000 * 4  # of a step
PAUSE, STEPS = 6, 30


@pytest.fixture
def env(together: dict[str, str]) -> dict[str, str]:
    return together | {"STAITHE_LISTEN": "0.0.0.0:0"}


@pytest.fixture
def four(shared_directory: Path) -> Iterator[list[Host]]:
    """Hosts with slow ways between each other."""
    with network("alpha", "beta", "gamma", "delta", shared=shared_directory) as made:
        for host in made:
            host.limit(300e6)
        yield made


def write(on: list[Host], env: dict[str, str], options: str) -> list[Program]:
    return ranks_on(on, RANK, (PAUSE, STEPS), options, env)


def reader_on(host: Host, env: dict[str, str]) -> Program:
    reader = host.python(READER, env=env)
    assert line_of(reader) == "joined"
    return reader


def go_on_from_the_pause(ranks: list[Program]) -> None:
    assert [line_of(rank) for rank in ranks] == ["pauses"] * len(ranks)
    go_on(ranks)


def assert_closed(ranks: list[Program]) -> None:
    assert [result_of(rank).strip() for rank in ranks] == ["closed"] * len(ranks)


def server(
    host: Host, env: dict[str, str], rank: int, size: int, *words: str
) -> contextlib.AbstractContextManager[Program]:
    return serving(host, env, "--name", "depot", "--rank", str(rank), "--size", str(size), *words)


@pytest.mark.parametrize("writers", [["alpha"], ["alpha", "alpha"], ["alpha", "delta"]])
def test_servers_of_two_further_hosts(four: list[Host], env: dict[str, str], writers: list[str]) -> None:
    """Readers have what came encoded from all of them."""
    _, beta, gamma, delta = four
    by_name = {host.name: host for host in four}
    with contextlib.ExitStack() as stack:
        for rank, host in enumerate((beta, gamma, delta)):
            stack.enter_context(server(host, env, rank, 3))
        ranks = write([by_name[name] for name in writers], env, f"{{'readers': 4, 'keep': {STEPS}}}")
        readers = [reader_on(host, env) for host in four]
        go_on_from_the_pause(ranks)
        for reader in readers:
            assert steps_of(reader, 60) == list(range(STEPS))
        assert_closed(ranks)
        held = memory_by_server(four[0], env)
        assert len(held) == 3 and sum(held.values()) < (0.6 if "delta" not in writers else 0.9) * RAW * STEPS, held
        # Nobody but the servers has them any more.
        for host in four:
            assert steps_of(host.python(READER, env=env), 60) == list(range(STEPS))


def test_readers_and_a_server_that_come_late(four: list[Host], env: dict[str, str]) -> None:
    alpha, beta, gamma, delta = four
    with server(beta, env, 0, 2):
        ranks = write([alpha, delta], env, f"{{'readers': 1, 'keep': {STEPS}}}")
        first = reader_on(delta, env)
        assert [line_of(rank) for rank in ranks] == ["pauses"] * 2
        early = reader_on(gamma, env)
        assert int(line_of(early)) == 0
        with server(gamma, env, 1, 2):
            deadline = time.monotonic() + 60
            while len(memory_by_server(alpha, env)) < 2:
                assert time.monotonic() < deadline, "the server that came late takes no part"
                time.sleep(0.1)
            for rank in ranks:
                assert rank.stdin is not None
                rank.stdin.write("\n")
                rank.stdin.flush()
            late = [reader_on(host, env) for host in four]
            assert steps_of(first, 60) == list(range(STEPS))
            assert steps_of(early, 60) == list(range(1, STEPS))
            for reader in late:
                assert steps_of(reader, 60) == list(range(STEPS))
            assert_closed(ranks)
            held = memory_by_server(alpha, env)
            assert len(held) == 2 and min(held.values()) > 0 and sum(held.values()) < 0.6 * RAW * STEPS, held


@pytest.mark.parametrize("dies", ["melt", "melt.twin"])
@pytest.mark.parametrize("writers", [["alpha"], ["alpha", "delta"], ["alpha", "beta"]])
def test_two_that_go_on_for_each_other(four: list[Host], env: dict[str, str], writers: list[str], dies: str) -> None:
    """Both have what came encoded, each by itself, and readers go on with one when the other is killed."""
    alpha, beta, gamma, delta = four
    by_name = {host.name: host for host in four}
    with contextlib.ExitStack() as stack:
        servers = {
            f"depot.{rank}-of-3": stack.enter_context(server(host, env, rank, 3, "--replicas", "2"))
            for rank, host in enumerate((beta, beta, gamma))
        }
        placed = env | {"STAITHE_SERVERS": "depot"}
        ranks = write([by_name[name] for name in writers], placed, f"{{'readers': 2, 'keep': {STEPS}}}")
        readers = [reader_on(host, env) for host in (alpha, delta)]
        go_on_from_the_pause(ranks)
        while int(line_of(readers[0])) < STEPS // 3:
            pass
        [directs] = memory_by_server(alpha, env, dies)
        servers[directs].kill()
        for reader in readers:
            assert steps_of(reader, 60)[-1] == STEPS - 1
        assert_closed(ranks)
        assert steps_of(gamma.python(READER, env=env), 60) == list(range(STEPS))
