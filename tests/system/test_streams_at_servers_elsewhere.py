"""Streams at servers of other hosts: writer ranks where there is none, readers anywhere."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from between_hosts import PLACED, WRITER, assert_in_order, read, serving, steps_of
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))


@pytest.fixture
def server(hosts: list[Host], together: dict[str, str]) -> Iterator[Program]:
    """On beta. Programs are on alpha and gamma, as a rule."""
    with serving(hosts[1], together | {"STAITHE_LISTEN": "0.0.0.0:0"}) as program:
        yield program


def write(host: Host, together: dict[str, str], steps: int, options: str = "{}") -> Program:
    writer = host.python(WRITER, "melt", str(steps), options, env=together | PLACED)
    assert line_of(writer) == "opened"
    return writer


@pytest.mark.usefixtures("server")
def test_a_writer_is_gone_before_its_readers_come(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 7)
    assert result_of(writer) == "closed"
    for host in (gamma, beta, alpha):
        assert steps_of(read(host, together)) == list(range(7))


@pytest.mark.usefixtures("server")
def test_readers_follow_a_writer(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 300, "{'readers': 2, 'keep': 3}")
    readers = [read(host, together, f"{{'program': '{host.name}'}}") for host in (beta, gamma)]
    for reader in readers:
        assert steps_of(reader) == list(range(300))
    assert result_of(writer) == "closed"
    assert steps_of(read(gamma, together)) == [297, 298, 299]


@pytest.mark.usefixtures("server")
def test_an_address_is_all_that_a_writer_needs(hosts: list[Host], tmp_path: Path) -> None:
    """Hosts that share nothing but a key: the writer opens no port."""
    alpha, _, gamma = hosts
    env = {"STAITHE_KEY_FILE": str(tmp_path / "run" / "named.key"), "STAITHE_RUN_DIR": ""}
    words = [sys.executable, "-m", "staithe.cli", "key", env["STAITHE_KEY_FILE"]]
    subprocess.run(words, check=True, capture_output=True)
    with serving(hosts[1], env, "--listen", "0.0.0.0:7700"):
        there = env | {"STAITHE_ADDRESS": "beta:7700"}
        assert result_of(write(alpha, there | {"STAITHE_LISTEN": "off"}, 5)) == "closed"
        assert steps_of(read(gamma, there)) == list(range(5))


# Ranks that each write rows of the same array.
RANK = """
    import numpy, os, signal, staithe, sys
    rank, ranks, steps, options = *map(int, sys.argv[1:4]), eval(sys.argv[4])
    with staithe.writer("melt", timeout=30, group=(rank, ranks), **options) as out:
        print("opened", flush=True)
        for i in range(steps):
            whole = numpy.random.default_rng(i).random((24, 30_000))  # no codec makes it smaller
            rows = 24 // ranks
            with out.step() as step:
                step.put("T", whole[rank * rows : (rank + 1) * rows], offset=(rank * rows, 0), shape=whole.shape)
                step.attrs[f"of {rank}"] = i
    print("closed", flush=True)
"""
WHOLE = """
    import numpy, staithe, sys
    ranks, options = int(sys.argv[1]), eval(sys.argv[2])
    with staithe.reader("melt", timeout=30, **options) as stream:
        for step in stream:
            assert (step["T"][...] == numpy.random.default_rng(step.index).random((24, 30_000))).all()
            assert dict(step.attrs) == {f"of {rank}": step.index for rank in range(ranks)}
            print(step.index, flush=True)
"""


def write_ranks(on: list[Host], env: dict[str, str], steps: int, options: str = "{}") -> list[Program]:
    """One rank on each of the hosts; all are there."""
    placed = env | PLACED
    ranks = [
        host.python(RANK, str(rank), str(len(on)), str(steps), options, env=placed) for rank, host in enumerate(on)
    ]
    assert [line_of(program) for program in ranks] == ["opened"] * len(on)
    return ranks


def read_whole(host: Host, env: dict[str, str], ranks: int, options: str = "{}") -> Program:
    return host.python(WHOLE, str(ranks), options, env=env)


@pytest.mark.usefixtures("server")
def test_ranks_on_the_host_of_the_server_and_on_others(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    ranks = write_ranks([alpha, beta, gamma], together, 12, "{'keep': 4}")
    readers = [read_whole(host, together, 3) for host in (gamma,)]
    assert [steps_of(reader) for reader in readers] == [list(range(12))]
    assert [result_of(rank) for rank in ranks] == ["closed"] * 3
    for host in hosts:
        assert steps_of(read_whole(host, together, 3)) == [8, 9, 10, 11]


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("overflow", ["drop-oldest", "drop-newest", "keep-every-3"])
def test_steps_may_be_lost_where_the_user_says_so(hosts: list[Host], together: dict[str, str], overflow: str) -> None:
    alpha, _, gamma = hosts
    options = f"{{'overflow': '{overflow}', 'queue_steps': 2, 'keep': 1, 'readers': 0}}"
    assert result_of(write(alpha, together, 50, options)) == "closed"
    assert steps_of(read(gamma, together)) == [49]


def killed(program: Program) -> None:
    os.kill(program.pid, signal.SIGKILL)
    program.wait()


@pytest.mark.usefixtures("server")
def test_a_killed_rank_takes_no_complete_step_along(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, _, gamma = hosts
    ranks = write_ranks([alpha, gamma], together, 10**6, "{'readers': 1, 'keep': 3}")
    reader = read_whole(gamma, together, 2)
    first = [line_of(reader) for _ in range(3)]
    assert first == ["0", "1", "2"]
    killed(ranks[0])
    said, errors = reader.communicate(timeout=30)
    assert "PeerLost" in errors and "writer rank 0" in errors and "on alpha" in errors
    steps = [int(line) for line in (*first, *said.split())]
    later = read_whole(gamma, together, 2)
    said, errors = later.communicate(timeout=30)
    assert "PeerLost" in errors and "writer rank 0" in errors
    assert [int(line) for line in said.split()] == steps[-3:]
    _, errors = ranks[1].communicate(timeout=30)
    assert "PeerLost" in errors and "writer rank 0" in errors


def test_a_killed_server_is_named(hosts: list[Host], together: dict[str, str], server: Program) -> None:
    alpha, _, gamma = hosts
    writer = write(alpha, together, 10**6)
    reader = read(gamma, together)
    assert [line_of(reader) for _ in range(3)] == ["joined", "0", "1"]
    killed(server)
    for program in (writer, reader):
        errors = program.communicate(timeout=30)[1]
        assert "PeerLost" in errors and "on beta" in errors


@pytest.mark.usefixtures("server")
def test_a_killed_reader_keeps_nobody(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 300, "{'readers': 2}")
    doomed = read(gamma, together, "{'program': 'doomed'}")
    other = read(beta, together, "{'program': 'other'}")
    assert [line_of(doomed) for _ in range(2)] == ["joined", "0"]
    killed(doomed)
    assert steps_of(other) == list(range(300))
    assert result_of(writer) == "closed"


@pytest.mark.usefixtures("server")
def test_a_killed_writer_comes_back(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, _, gamma = hosts
    writer = write(alpha, together, 10**6, "{'readers': 1}")
    reader = read(gamma, together, "{'resume': True}")
    assert [line_of(reader) for _ in range(3)] == ["joined", "0", "1"]
    killed(writer)
    again = """
        import numpy, staithe
        with staithe.writer("melt", timeout=30, resume=True) as out:
            for i in range(out.next_step, out.next_step + 5):
                with out.step() as step:
                    step.put("T", numpy.arange(600.0).reshape(20, 30) + i)
                    step.put("n", numpy.int32(i))
                    step.attrs["time"] = 0.5 * i
        print(i)
    """
    last = int(result_of(alpha.python(again, env=together | PLACED)))
    output, errors = reader.communicate(timeout=30)
    assert reader.returncode == 0, errors
    assert_in_order(output, last)


@pytest.mark.usefixtures("server")
def test_who_fails_says_why(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, _, gamma = hosts
    text = """
        import numpy, staithe
        out = staithe.writer("melt", timeout=30)
        for i in range(3):
            with out.step() as step:
                step.put("T", numpy.arange(600.0).reshape(20, 30) + i)
                step.put("n", numpy.int32(i))
                step.attrs["time"] = 0.5 * i
        out.fail("the lattice melted")
        print("failed")
    """
    assert result_of(alpha.python(text, env=together | PLACED)) == "failed"
    said, errors = read(gamma, together).communicate(timeout=30)
    assert said.split() == ["joined", "0", "1", "2"]
    assert "WriterFailed" in errors and "the lattice melted" in errors


HELD = """
    import json, subprocess, sys
    said = subprocess.check_output([sys.executable, "-m", "staithe.cli", "servers", "--json"])
    print([server["streams"]["melt"]["memory"] for server in json.loads(said)])
"""


@pytest.mark.parametrize(
    "writers",
    [
        ["alpha"],
        ["alpha", "alpha"],
        ["alpha", "beta"],
        ["gamma", "alpha"],
        ["beta", "gamma"],
        ["alpha", "alpha", "beta"],
        ["alpha", "beta", "gamma", "alpha"],
        ["gamma", "gamma", "alpha", "alpha", "alpha", "alpha"],
    ],
)
def test_servers_share_what_ranks_write(hosts: list[Host], together: dict[str, str], writers: list[str]) -> None:
    """Two servers, on beta and on gamma; a rank that has one on its own host is with that, others fill up the rest."""
    env = together | {"STAITHE_LISTEN": "0.0.0.0:0"}
    by_name = {host.name: host for host in hosts}
    with contextlib.ExitStack() as ends:
        for rank, host in enumerate(hosts[1:]):
            ends.enter_context(serving(host, env, "--name", "depot", "--rank", str(rank), "--size", "2"))
        options = "{'readers': 0, 'keep': 24, 'queue_steps': 4}"
        ranks = write_ranks([by_name[name] for name in writers], together, 60, options)
        assert [result_of(rank) for rank in ranks] == ["closed"] * len(ranks)
        for host in hosts:
            assert steps_of(read_whole(host, together, len(writers))) == list(range(36, 60))
        held = [int(text) for text in result_of(hosts[0].python(HELD, env=together)).strip("[]").split(",")]
        assert len(held) == 2
        assert max(held) <= 1.1 * sum(held) / 2, held


def test_a_lost_server_of_several_is_named(hosts: list[Host], together: dict[str, str]) -> None:
    alpha = hosts[0]
    env = together | {"STAITHE_LISTEN": "0.0.0.0:0"}
    with contextlib.ExitStack() as ends:
        servers = [
            ends.enter_context(serving(host, env, "--name", "depot", "--rank", str(rank), "--size", "2"))
            for rank, host in enumerate(hosts[1:])
        ]
        writer = write(alpha, together, 10**6, "{'readers': 0}")
        killed(servers[1])
        errors = writer.communicate(timeout=40)[1]
        assert "PeerLost" in errors or "WriterFailed" in errors
        assert "on gamma" in errors
