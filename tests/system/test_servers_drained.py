"""`staithe drain`: a server takes in nothing new, and ends once nobody needs what it has; programs go on."""

from __future__ import annotations

import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from space_servers import Server, own_run_directory, servers, serving, serving_together, until_safe

import staithe
from staithe import _core

DIES = """
import os
import numpy, staithe

out = staithe.writer("s", placement="servers", keep=2, readers=0)
for _ in range(2):
    with out.step() as step:
        step.put("x", numpy.arange(1000) + step.index)
os._exit(1)
"""


@pytest.fixture(autouse=True)
def directory() -> Iterator[Path]:
    """A run directory for every test."""
    with own_run_directory() as path:
        yield path


def drain(server: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Does not wait for who needs something, unless the arguments say so."""
    timeout = () if "--timeout" in arguments else ("--timeout", "0")
    command = [sys.executable, "-m", "staithe.cli", "drain", server, *timeout, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def put(out: Any) -> int:
    """One step. Its number."""
    with out.step() as step:
        step.put("x", np.arange(1000) + step.index)
    return int(step.index)


def read(stream: str, **options: Any) -> list[int]:
    """The numbers of the steps, each of which is whole."""
    numbers = []
    for step in staithe.reader(stream, timeout=20, **options):
        assert np.array_equal(step["x"][...], np.arange(1000) + step.index)
        numbers.append(step.index)
    return numbers


def where_is(stream: str) -> str:
    """The server that directs it."""
    return str(next(one["name"] for one in servers() if one["streams"].get(stream, {}).get("ranks")))


def ends_well(server: Server) -> bool:
    """Whether it ends, and as it should."""
    return server.ends()[0] == 0


def test_it_ends_when_nothing_is_there() -> None:
    with serving() as server:
        drained = drain("staithe")
        assert (drained.returncode, drained.stdout) == (0, "server 'staithe' has been drained, and ends\n")
        assert ends_well(server)
        assert servers() == []


def test_streams_go_on_and_new_ones_go_elsewhere() -> None:
    with serving_together(2) as both:
        with staithe.writer("old", placement="servers", keep=2, readers=0) as out:
            put(out)
            drained = where_is("old")
            stays = drain(drained)
            assert stays.returncode == 1
            assert "stream 'old' is being written" in stays.stdout
            for number in range(8):  # of some of them the name chooses that server
                with staithe.writer(f"new{number}", placement="servers", readers=0) as new:
                    put(new)
                    assert where_is(f"new{number}") != drained
            assert put(out) == 1
        assert "stream 'old' has ended, and keeps 2 steps for whoever comes" in drain(drained).stdout
        assert read("old") == [0, 1]
        assert drain(drained).returncode == 1, "others may come"
        assert drain(drained, "--drop-kept").returncode == 0
        assert ends_well(both[int(drained.partition(".")[2][0])])
        assert len(servers()) == 1
        assert read("new0") == [0]


def test_writer_that_comes_back_goes_on_elsewhere() -> None:
    with serving_together(2):
        subprocess.run([sys.executable, "-W", "error", "-c", DIES], check=False, timeout=60)
        drained = where_is("s")
        drain(drained)
        with staithe.writer("s", placement="servers", keep=2, readers=0, resume=True) as out:
            assert put(out) == 2
        assert where_is("s") != drained
        assert drain(drained).returncode == 0, "what it kept gave way to the next one, as it does where it stays"
        assert read("s") == [2]


def test_it_waits_for_readers() -> None:
    with serving() as server:
        with staithe.writer("s", placement="servers", keep=0, readers=2, timeout=20) as out:
            put(out)
            steps = staithe.reader("s", timeout=20)
            assert next(steps)["x"][0] == 0
        assert (
            "its expected readers have yet to come" in drain("staithe").stdout
            or "is being read" in drain("staithe").stdout
        )
        assert read("s") == [0]
        steps.close()
        assert drain("staithe", "--timeout", "20").returncode == 0
        assert ends_well(server)


def test_no_stream_where_all_are_drained() -> None:
    with serving(), staithe.writer("s", placement="servers", readers=0):
        drain("staithe")
        with pytest.raises(staithe.NotFound, match=r"all that there are \(1\) are being drained.*staithe serve"):
            staithe.writer("t", placement="servers", timeout=1)


def test_spaces_keep_it() -> None:
    with serving() as server:
        with staithe.space("campaign", server="staithe") as space:
            space.put("T", np.zeros(1000))
            said = drain("staithe", "--drop-kept").stdout
            assert "space 'campaign': 1 variable, 8 KB, which no other server has all of" in said
        assert drain("staithe").returncode == 1
        assert (
            "staithe (draining)"
            in subprocess.run(
                [sys.executable, "-m", "staithe.cli", "servers"], capture_output=True, text=True, check=True, timeout=30
            ).stdout
        )
        assert drain("staithe", "--drop-kept").returncode == 0
        assert ends_well(server)


def test_of_two_that_go_on_for_each_other_one_may_go() -> None:
    with serving_together(2, "--replicas", "2") as both, staithe.space("campaign", server="staithe") as space:
        until_safe(2)
        for version in range(8):
            space.put(f"T{version}", np.full(20_000, version))
        assert drain("staithe.0-of-2", "--timeout", "20").returncode == 0
        assert ends_well(both[0])
        assert [space.get(f"T{version}")[-1] for version in range(8)] == list(range(8))
        assert drain("staithe.1-of-2", "--timeout", "0.5").returncode == 1, "nobody else has it now"
        assert space.get("T7")[0] == 7


def test_one_of_several_is_named() -> None:
    with serving_together(2):
        refused = drain("staithe")
        assert refused.returncode == 1
        assert "'staithe' are several servers" in refused.stderr
        assert not any(server["draining"] for server in servers())


def test_who_has_no_such_server_is_told() -> None:
    missing = drain("depot")
    assert missing.returncode != 0
    assert "there is no server 'depot'" in missing.stdout + missing.stderr


def test_server_is_not_waited_for_twice() -> None:
    with serving_together(2):
        drain("staithe.0-of-2")
        until = time.monotonic() + 20
        while len(servers()) == 2 and time.monotonic() < until:
            time.sleep(0.05)
        with staithe.writer("a", placement="servers", readers=0) as out:  # may wait for the one that has gone
            put(out)
        began = time.monotonic()
        for number in range(20):
            with staithe.writer(f"b{number}", placement="servers", readers=0) as out:
                put(out)
        assert time.monotonic() - began < 60, "each would have waited for five seconds"


def test_a_descriptor_tells_that_a_server_is_dismissed() -> None:
    server = _core.open_server("harbour")
    told = select.select([server.fileno()], [], [], 0)[0]
    assert not told and not server.is_dismissed()
    assert _core.drain_server("harbour", drops_kept=False, timeout=20) == []
    told = select.select([server.fileno()], [], [], 20)[0]
    assert told and server.is_dismissed()
