"""Servers of several hosts that go on for each other."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest
import space_servers
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

PORTS = {"alpha": 7700, "beta": 7701}


@pytest.fixture
def env(key: dict[str, str]) -> dict[str, str]:
    places = ",".join(f"{name}:{port}" for name, port in PORTS.items())
    return key | {"STAITHE_ADDRESS": places, "STAITHE_TIMEOUT": "20"}


def serve(host: Host, rank: int, env: dict[str, str]) -> Program:
    listen = f"0.0.0.0:{PORTS[host.name]}"
    words = ["serve", "--rank", str(rank), "--size", "2", "--replicas", "2", "--listen", listen]
    program = host.popen([sys.executable, "-W", "error", "-m", "staithe.cli", *words], env=env)
    assert "keeps spaces" in line_of(program)
    return program


@pytest.fixture
def servers(apart: list[Host], env: dict[str, str]) -> Iterator[list[Program]]:
    """One on alpha, one on beta. Those that a test starts in their places end, too."""
    programs = [serve(host, rank, env) for rank, host in enumerate(apart[:2])]
    with contextlib.ExitStack() as ends:
        ends.callback(lambda: [(program.kill(), program.wait()) for program in programs])
        until_safe(apart[0], env)
        yield programs


def described(host: Host, env: dict[str, str]) -> list[dict[str, Any]]:
    said = result_of(host.popen([sys.executable, "-m", "staithe.cli", "servers", "--json"], env=env))
    listed: list[dict[str, Any]] = json.loads(said)
    return listed


def until_safe(host: Host, env: dict[str, str]) -> None:
    space_servers.until_safe(2, 30, lambda: described(host, env))


PUTS = """
    import numpy as np
    import staithe, sys
    with staithe.space("campaign") as space:
        for number in range(6):
            for elements in (50, 5_000, 200_000):
                space.put(f"{elements}/{number}", np.arange(elements) + number)
        print("put", flush=True)
"""

GETS = """
    import numpy as np
    import staithe, sys
    with staithe.space("campaign") as space:
        for number in range(6):
            for elements in (50, 5_000, 200_000):
                assert (space.get(f"{elements}/{number}") == np.arange(elements) + number).all()
        print("got", flush=True)
"""


def test_nothing_is_lost_with_a_server(apart: list[Host], env: dict[str, str], servers: list[Program]) -> None:
    assert result_of(apart[2].python(PUTS, env=env)) == "put"
    for dead in (0, 1, 0):
        servers[dead].kill()
        servers[dead].wait()
        gets = [host.python(GETS, env=env) for host in apart]  # each of which waits for the dead one first
        assert [result_of(program) for program in gets] == ["got"] * 3
        servers[dead] = serve(apart[dead], dead, env)
        until_safe(apart[2], env)


@pytest.mark.usefixtures("servers")
def test_a_server_that_is_cut_off_says_so_and_acknowledges_nothing(apart: list[Host], env: dict[str, str]) -> None:
    program = """
        import numpy as np
        import staithe, sys
        with staithe.space("campaign", timeout=20) as space:
            for number in range(8):
                space.put(f"x{number}", np.full(50, number), version=0)
            print("put", flush=True)
            sys.stdin.readline()
            said, lost = [], []
            for number in reversed(range(8)):  # until both servers were to know of one
                try:
                    space.put(f"x{number}", np.full(50, -number), version=1)
                    print("acknowledged", flush=True)
                except staithe.Error as error:
                    (said if "nothing is acknowledged" in str(error) else lost).append(str(error))
                if said and lost:
                    break
            print(len(said) > 0, len(lost) > 0, said, lost, flush=True)
            sys.stdin.readline()
            for number in range(8):
                assert (space.get(f"x{number}", version=0) == number).all()
                space.put(f"x{number}", np.full(50, number), version=2)
            print("well")
    """
    cut = apart[0].python(program, env=env, stdin=subprocess.PIPE)
    assert line_of(cut) == "put"
    apart[0].cut()
    assert cut.stdin is not None
    cut.stdin.write("go on\n")
    cut.stdin.flush()
    assert line_of(cut).startswith("True True")
    apart[0].restore()
    until_safe(apart[2], env)
    cut.stdin.write("go on\n")
    cut.stdin.flush()
    assert result_of(cut) == "well"


def test_a_server_that_was_taken_for_gone_leads_nothing(
    apart: list[Host], env: dict[str, str], servers: list[Program]
) -> None:
    """The network lies: where alpha was, somebody says to beta that nobody is there."""
    assert result_of(apart[2].python(PUTS, env=env)) == "put"
    alphas = [f"{apart[0].address}/32 dev lo", f"{apart[0].address6}/128 dev lo"]
    apart[0].cut()
    apart[1].ip(*(f"addr add {alpha}" for alpha in alphas))
    until = time.monotonic() + 30
    while [len(server["replicas"]["leads"]) for server in described(apart[1], env) if "replicas" in server] != [2]:
        assert time.monotonic() < until
    assert result_of(apart[1].python(GETS, env=env)) == "got"
    apart[1].ip(*(f"addr del {alpha}" for alpha in alphas))
    apart[0].restore()
    while not any(server["replicas"]["past"] for server in described(apart[2], env) if "replicas" in server):
        assert time.monotonic() < until
    assert result_of(apart[0].python(GETS, env=env)) == "got"
    servers[0].terminate()
    _, errors = servers[0].communicate(timeout=20)
    assert "end it, and start it anew" in errors
    servers[0] = serve(apart[0], 0, env)
    until_safe(apart[2], env)
    assert [result_of(host.python(GETS, env=env)) for host in apart] == ["got"] * 3
