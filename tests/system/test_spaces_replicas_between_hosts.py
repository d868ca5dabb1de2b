"""Servers of several hosts that go on for each other."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hosts import Host, Program, line_of, network, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

PORTS = {"alpha": 7700, "beta": 7701}


@pytest.fixture
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


@pytest.fixture
def hosts(shared: Path) -> Iterator[list[Host]]:
    with network("alpha", "beta", "gamma", shared=shared) as all_of_them:
        yield all_of_them


@pytest.fixture
def env(shared: Path) -> dict[str, str]:
    subprocess.run([sys.executable, "-m", "staithe.cli", "key", str(shared / "key")], check=True, capture_output=True)
    places = ",".join(f"{name}:{port}" for name, port in PORTS.items())
    return {"STAITHE_KEY_FILE": str(shared / "key"), "STAITHE_ADDRESS": places, "STAITHE_TIMEOUT": "20"}


def serve(host: Host, rank: int, env: dict[str, str]) -> Program:
    listen = f"0.0.0.0:{PORTS[host.name]}"
    words = ["serve", "--rank", str(rank), "--size", "2", "--replicas", "2", "--listen", listen]
    program = host.popen([sys.executable, "-W", "error", "-m", "staithe.cli", *words], env=env)
    assert "keeps spaces" in line_of(program)
    return program


@pytest.fixture
def servers(hosts: list[Host], env: dict[str, str]) -> Iterator[list[Program]]:
    """One on alpha, one on beta. Those that a test starts in their places end, too."""
    programs = [serve(host, rank, env) for rank, host in enumerate(hosts[:2])]
    with contextlib.ExitStack() as ends:
        ends.callback(lambda: [(program.kill(), program.wait()) for program in programs])
        until_safe(hosts[0], env, 2)
        yield programs


def described(host: Host, env: dict[str, str]) -> list[dict[str, Any]]:
    said = result_of(host.popen([sys.executable, "-m", "staithe.cli", "servers", "--json"], env=env))
    listed: list[dict[str, Any]] = json.loads(said)
    return listed


def until_safe(host: Host, env: dict[str, str], size: int) -> None:
    until = time.monotonic() + 30
    while True:
        replicas = [server["replicas"] for server in described(host, env)]
        led = [home for each in replicas for home in each["leads"]]
        if len(led) == size and all(each["complete"] or not each["leads"] for each in replicas):
            return
        assert time.monotonic() < until, replicas


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


def test_nothing_is_lost_with_a_server(hosts: list[Host], env: dict[str, str], servers: list[Program]) -> None:
    assert result_of(hosts[2].python(PUTS, env=env)) == "put"
    for dead in (0, 1, 0):
        servers[dead].kill()
        servers[dead].wait()
        assert [result_of(host.python(GETS, env=env)) for host in hosts] == ["got"] * 3
        servers[dead] = serve(hosts[dead], dead, env)
        until_safe(hosts[2], env, 2)


@pytest.mark.usefixtures("servers")
def test_a_server_that_is_cut_off_says_so_and_acknowledges_nothing(hosts: list[Host], env: dict[str, str]) -> None:
    program = """
        import numpy as np
        import staithe, sys, time
        with staithe.space("campaign", timeout=20) as space:
            for number in range(8):
                space.put(f"x{number}", np.full(50, number), version=0)
            print("put", flush=True)
            sys.stdin.readline()
            said, began = [], time.monotonic()
            for number in range(8):
                try:
                    space.put(f"x{number}", np.full(50, -number), version=1)
                    print("acknowledged", flush=True)
                except staithe.Error as error:
                    said.append(str(error))
            is_said = any("nothing is acknowledged" in each for each in said)
            print(is_said, time.monotonic() - began, said, flush=True)
            sys.stdin.readline()
            for number in range(8):
                assert (space.get(f"x{number}", version=0) == number).all()
                space.put(f"x{number}", np.full(50, number), version=2)
            print("well")
    """
    cut = hosts[0].python(program, env=env, stdin=subprocess.PIPE)
    assert line_of(cut) == "put"
    hosts[0].cut()
    assert cut.stdin is not None
    cut.stdin.write("go on\n")
    cut.stdin.flush()
    assert line_of(cut).startswith("True")
    hosts[0].restore()
    until_safe(hosts[2], env, 2)
    cut.stdin.write("go on\n")
    cut.stdin.flush()
    assert result_of(cut) == "well"


def test_a_server_that_was_taken_for_gone_leads_nothing(
    hosts: list[Host], env: dict[str, str], servers: list[Program]
) -> None:
    """The network lies: where alpha was, somebody says to beta that nobody is there."""
    assert result_of(hosts[2].python(PUTS, env=env)) == "put"
    alphas = [f"{hosts[0].address}/32 dev lo", f"{hosts[0].address6}/128 dev lo"]
    hosts[0].cut()
    hosts[1].ip(*(f"addr add {alpha}" for alpha in alphas))
    until = time.monotonic() + 30
    while [len(server["replicas"]["leads"]) for server in described(hosts[1], env)] != [2]:
        assert time.monotonic() < until
    assert result_of(hosts[1].python(GETS, env=env)) == "got"
    hosts[1].ip(*(f"addr del {alpha}" for alpha in alphas))
    hosts[0].restore()
    while not any(server["replicas"]["past"] for server in described(hosts[2], env)):
        assert time.monotonic() < until
    assert result_of(hosts[0].python(GETS, env=env)) == "got"
    servers[0].terminate()
    _, errors = servers[0].communicate(timeout=20)
    assert "end it, and start it anew" in errors
    servers[0] = serve(hosts[0], 0, env)
    until_safe(hosts[2], env, 2)
    assert [result_of(host.python(GETS, env=env)) for host in hosts] == ["got"] * 3
