"""Servers that come when a stream is being written already: they have their share of what is written from then on.
And one that is drained meanwhile: it has no share of that."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator

import pytest
from between_hosts import PLACED, go_on, memory_by_server, ranks_on, serving, steps_of
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

# Ranks that each write rows of the same array, and wait in between until they are told to go on.
RANK = """
    import numpy, staithe, sys
    rank, ranks, pause, steps = map(int, sys.argv[1:5])
    with staithe.writer("melt", timeout=30, group=(rank, ranks), queue_steps=4, **eval(sys.argv[5])) as out:
        print("opened", flush=True)
        for i in range(steps):
            if i == pause:
                print("pauses", flush=True)
                sys.stdin.readline()
            whole = numpy.random.default_rng(i).random((24, 30_000))  # no codec makes it smaller
            rows = 24 // ranks
            with out.step() as step:
                step.put("T", whole[rank * rows : (rank + 1) * rows], offset=(rank * rows, 0), shape=whole.shape)
    print("closed", flush=True)
"""
WHOLE = """
    import numpy, staithe
    with staithe.reader("melt", timeout=30) as stream:
        print("joined", flush=True)
        for step in stream:
            whole = numpy.random.default_rng(step.index).random((24, 30_000))
            assert (step["T"][...] == whole).all()
            assert (step["T"][3:20:4] == whole[3:20:4]).all()
            print(step.index, flush=True)
"""
PAUSE, STEPS, KEPT = 10, 70, 24


def member(rank: int) -> list[str]:
    return ["--name", "depot", "--rank", str(rank), "--size", "2"]


@pytest.fixture
def env(together: dict[str, str]) -> dict[str, str]:
    return together | {"STAITHE_LISTEN": "0.0.0.0:0"}


@pytest.fixture
def first(hosts: list[Host], env: dict[str, str]) -> Iterator[Program]:
    """One of two servers, on beta."""
    with serving(hosts[1], env, *member(0)) as program:
        yield program


def write(on: list[Host], env: dict[str, str], options: str) -> list[Program]:
    return ranks_on(on, RANK, (PAUSE, STEPS), options, env)


def read(host: Host, env: dict[str, str]) -> Program:
    reader = host.python(WHOLE, env=env)
    assert line_of(reader) == "joined"
    return reader


def wait_until_it_takes_part(server: str, host: Host, env: dict[str, str]) -> None:
    deadline = time.monotonic() + 60
    while server not in memory_by_server(host, env):
        assert time.monotonic() < deadline, f"{server} takes no part"
        time.sleep(0.1)


@pytest.mark.parametrize("writers", [["alpha", "alpha"], ["alpha", "gamma"], ["beta", "alpha"]])
def test_it_has_its_share(hosts: list[Host], env: dict[str, str], first: Program, writers: list[str]) -> None:
    by_name = {host.name: host for host in hosts}
    ranks = write([by_name[name] for name in writers], env, f"{{'readers': 3, 'keep': {KEPT}}}")
    readers = [read(host, env) for host in hosts]
    assert [line_of(rank) for rank in ranks] == ["pauses"] * len(ranks)
    with serving(hosts[2], env, *member(1)):
        wait_until_it_takes_part("depot.1-of-2", hosts[0], env)
        go_on(ranks)
        for reader in readers:
            assert steps_of(reader, 60) == list(range(STEPS))
        assert [result_of(rank) for rank in ranks] == ["closed"] * len(ranks)
        for host in hosts:
            assert steps_of(host.python(WHOLE, env=env)) == list(range(STEPS - KEPT, STEPS))
        held = memory_by_server(hosts[0], env)
        assert held.keys() == {"depot.0-of-2", "depot.1-of-2"}
        assert max(held.values()) <= 1.1 * sum(held.values()) / 2, held
    assert first.poll() is None


@pytest.mark.usefixtures("first")
def test_ranks_that_listen_at_no_port(hosts: list[Host], env: dict[str, str]) -> None:
    """They connect to it, as to those that were there before."""
    alpha, _, gamma = hosts
    ranks = write([alpha, alpha], env | {"STAITHE_LISTEN": "off"}, "{'readers': 1, 'keep': 24}")
    reader = read(alpha, env)
    assert [line_of(rank) for rank in ranks] == ["pauses"] * 2
    with serving(gamma, env, *member(1)):
        wait_until_it_takes_part("depot.1-of-2", alpha, env)
        go_on(ranks)
        assert steps_of(reader, 60) == list(range(STEPS))
        assert [result_of(rank) for rank in ranks] == ["closed"] * 2
        held = memory_by_server(alpha, env)
        assert max(held.values()) <= 1.1 * sum(held.values()) / 2, held


@pytest.mark.usefixtures("first")
def test_one_that_ranks_do_not_reach_takes_no_part(hosts: list[Host], env: dict[str, str]) -> None:
    """It would end the stream. Once they reach it, it has its share."""
    alpha, _, gamma = hosts
    ranks = write([alpha], env | {"STAITHE_LISTEN": "off"}, "{'readers': 1, 'keep': 24}")
    reader = read(alpha, env)
    assert line_of(ranks[0]) == "pauses"
    alpha.ip(f"route add prohibit {gamma.address}/32", f"route add prohibit {gamma.address6}/128")
    with serving(gamma, env, *member(1)):
        time.sleep(3)  # it is looked for once a second
        assert memory_by_server(hosts[1], env).keys() == {"depot.0-of-2"}
        alpha.ip(f"route del prohibit {gamma.address}/32", f"route del prohibit {gamma.address6}/128")
        wait_until_it_takes_part("depot.1-of-2", hosts[1], env)
        go_on(ranks)
        assert steps_of(reader, 60) == list(range(STEPS))
        assert result_of(ranks[0]) == "closed"


@pytest.mark.usefixtures("first")
def test_one_that_is_killed_is_named(hosts: list[Host], env: dict[str, str]) -> None:
    alpha, _, gamma = hosts
    ranks = write([alpha], env, "{'readers': 0}")
    assert line_of(ranks[0]) == "pauses"
    with serving(gamma, env, *member(1)) as latecomer:
        wait_until_it_takes_part("depot.1-of-2", alpha, env)
        os.kill(latecomer.pid, signal.SIGKILL)
        latecomer.wait()
    go_on(ranks)
    errors = ranks[0].communicate(timeout=40)[1]
    assert "PeerLost" in errors or "WriterFailed" in errors
    assert "on gamma" in errors


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("writers", [["beta", "alpha"], ["beta", "gamma"]])
def test_one_that_is_drained_lets_go(hosts: list[Host], env: dict[str, str], writers: list[str]) -> None:
    """Also where it is the one of the rank's own host. What it has stays until newer steps are kept instead."""
    by_name = {host.name: host for host in hosts}
    with serving(hosts[2], env, *member(1)) as drained:
        ranks = write([by_name[name] for name in writers], env, "{'readers': 1, 'keep': 4}")
        reader = read(hosts[0], env)
        assert [line_of(rank) for rank in ranks] == ["pauses"] * len(ranks)
        assert "depot.1-of-2" in memory_by_server(hosts[0], env)
        drain = [sys.executable, "-m", "staithe.cli", "drain", "depot.1-of-2", "--timeout"]
        kept = hosts[0].popen([*drain, "0"], env=env)
        said, _ = kept.communicate(timeout=30)
        assert kept.returncode == 1
        assert "stream 'melt', which another server directs, has blocks here" in said
        draining = hosts[0].popen([*drain, "60"], env=env)
        go_on(ranks)
        assert steps_of(reader, 60) == list(range(STEPS))
        assert [result_of(rank) for rank in ranks] == ["closed"] * len(ranks)
        assert "has been drained" in result_of(draining)
        assert drained.wait(timeout=30) == 0
        assert memory_by_server(hosts[0], env).keys() == {"depot.0-of-2"}
        assert steps_of(hosts[1].python(WHOLE, env=env)) == list(range(STEPS - 4, STEPS))


@pytest.mark.usefixtures("first")
def test_one_that_was_killed_on_its_host_is_passed_by(hosts: list[Host], env: dict[str, str]) -> None:
    """Its name is still in the run directory, since nobody of its host has cleaned up, and some streams choose it."""
    with serving(hosts[2], env, *member(1)) as killed:
        os.kill(killed.pid, signal.SIGKILL)
        killed.wait()
        writes = """
            import numpy, staithe
            for number in range(8):
                with staithe.writer(f"melt{number}", timeout=30, readers=0) as out, out.step() as step:
                    step.put("T", numpy.zeros(10))
            print("written")
        """
        assert result_of(hosts[0].python(writes, env=env | PLACED)).strip() == "written"
