"""Servers of several hosts that keep spaces together."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Iterator

import pytest
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

AT_BOTH = "alpha:7700,beta:7700"


@pytest.fixture
def env(key: dict[str, str]) -> dict[str, str]:
    """What all programs have in their environments: each host has a run directory of its own."""
    return key | {"STAITHE_ADDRESS": AT_BOTH, "STAITHE_TIMEOUT": "20"}


@pytest.fixture
def servers(apart: list[Host], env: dict[str, str]) -> Iterator[list[Program]]:
    """One on alpha, one on beta."""
    with contextlib.ExitStack() as ends:
        programs = []
        for rank in (0, 1):
            words = ["serve", "--rank", str(rank), "--size", "2", "--listen", "0.0.0.0:7700"]
            programs.append(apart[rank].popen([sys.executable, "-W", "error", "-m", "staithe.cli", *words], env=env))
            ends.callback(programs[-1].wait)
            ends.callback(programs[-1].kill)
        for program in programs:
            assert "keeps spaces" in line_of(program)
        yield programs


PUTS = """
    import numpy as np
    import staithe, sys
    with staithe.space("campaign") as space:
        rank, size = int(sys.argv[1]), int(sys.argv[2])
        for version in range(4):
            block = np.arange(200_000) + 1e6 * rank + version
            space.put("T", block, offset=200_000 * rank, shape=200_000 * size, version=version)
            space.put(f"small/{rank}/{version}", rank, run="a12")
        print("put")
"""

GETS = """
    import numpy as np
    import staithe, sys
    with staithe.space("campaign") as space:
        size = int(sys.argv[1])
        for version in range(4):
            T = space.get("T", version=version).reshape(size, 200_000)
            for rank in range(size):
                assert (T[rank] == np.arange(200_000) + 1e6 * rank + version).all()
        box = staithe.Box([199_990], [20])
        assert space.get("T", version=3, box=box).tolist()[9:11] == [199_999 + 3, 1e6 + 3]
        assert len(space.names("small/*")) == 4 * size
        assert space.reduce("T", "max", version=3) == 1e6 * (size - 1) + 200_002
        np.testing.assert_allclose(space.reduce("T", "sum", version=3), T.sum(), 1e-12)
        hits = space.query("T > 2e6 and T < 2000010", version=0)
        assert hits.size == 9, hits.size
        with space.lock("T", "write"):
            space.put("T", np.zeros(100_000), version=9)
            assert (space.get("T") == 0).all()
            space.remove("T", 9)
        print("got")
"""

BYTES = """
    import json, subprocess, sys
    said = subprocess.check_output([sys.executable, "-m", "staithe.cli", "servers", "--json"])
    print([server["bytes"] for server in sorted(json.loads(said), key=lambda server: server["name"])])
"""


@pytest.mark.usefixtures("servers")
def test_programs_of_all_hosts_put_and_get(apart: list[Host], env: dict[str, str]) -> None:
    writers = [apart[rank].python(PUTS, str(rank), "3", env=env) for rank in range(3)]
    assert [result_of(writer) for writer in writers] == ["put"] * 3
    readers = [host.python(GETS, "3", env=env) for host in apart]
    assert [result_of(reader) for reader in readers] == ["got"] * 3
    held = [int(text) for text in result_of(apart[2].python(BYTES, env=env)).strip("[]").split(",")]
    assert sum(held) >= 12 * 200_000 * 8
    assert max(held) / sum(held) < 0.75, held


def test_a_server_that_is_cut_off_from_the_others_acknowledges_nothing_that_they_do_not_know(
    apart: list[Host], env: dict[str, str], servers: list[Program]
) -> None:
    """Its own variables it knows alone; of the others its programs are told that nobody can be asked."""
    assert len(servers) == 2
    program = """
        import numpy as np
        import staithe, sys
        with staithe.space("campaign", timeout=15) as space:
            for number in range(8):
                for version in range(2):
                    space.put(f"x{number}", np.full(20_000, number), version=version)
            print("put", flush=True)
            sys.stdin.readline()
            known, lost = [], []
            for number in range(8):  # until both servers were to know of one
                try:
                    space.put(f"x{number}", np.full(20_000, -number), version=2)
                    known.append(number)
                except (staithe.PeerLost, staithe.Timeout):
                    lost.append(number)
                if known and lost:
                    break
            print(len(known) > 0, len(lost) > 0, flush=True)
    """
    cut = apart[0].python(program, env=env, stdin=subprocess.PIPE)
    assert line_of(cut) == "put"
    apart[0].cut()
    assert cut.stdin is not None
    cut.stdin.write("go on\n")
    cut.stdin.flush()
    assert result_of(cut, timeout=150) == "True True"
    apart[0].restore()
    again = """
        import numpy as np
        import staithe
        with staithe.space("again") as space:
            for number in range(8):
                space.put(f"x{number}", np.full(20_000, number))
                assert (space.get(f"x{number}") == number).all()
        print("well")
    """
    assert result_of(apart[2].python(again, env=env), timeout=150) == "well"
