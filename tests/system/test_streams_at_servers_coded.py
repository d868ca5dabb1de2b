"""Streams at a server of another host than their writer's, over a slow link: steps come encoded, and are kept so."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest
from between_hosts import PLACED, memory_by_server, serving
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

FIELDS = """
    import numpy as np
    SHAPE = (24, 256, 256)
    def field(i, dtype="f4", shape=SHAPE):
        x, y, z = np.meshgrid(*(np.linspace(0, 1, n) for n in shape), indexing="ij")
        T = (300 + 40 * np.sin(7 * x + i) * np.cos(5 * y) + 3 * z).astype(dtype)
        T[3, 5, 7] = np.nan
        T[4, :, 9] = 1e20
        return T
    def sent(i):
        # Step 3 is of another shape.
        T = field(i, shape=SHAPE if i != 3 else (7, 100, 300))
        return {
            "T": T,
            "fortran": np.asfortranarray(field(i, "f8")),
            "u": field(i, "c8").reshape(24, 1, 256, 256),
            "n": np.arange(900_000, dtype="i4").reshape(3, 3, 1, 1000, 100) + i,
            "noise": np.random.default_rng(i).random(300_000),
            "none": np.empty((0, 4)),
            "time": np.float64(i),
            "own": field(i, "f8")[:, :200, : 100 + i],
        }
"""
WRITER = (
    FIELDS
    + """
    import os, signal, staithe, sys
    steps, kills, options = int(sys.argv[1]), sys.argv[2] == "killed", eval(sys.argv[3])
    out = staithe.writer("melt", readers=0, timeout=30, **options)
    print("opened", flush=True)
    for i in range(steps):
        with out.step() as step:
            for name, values in sent(i).items():
                step.put(name, values, fill=1e20 if name in ("T", "fortran", "own") else None)
    if kills:
        while staithe.describe("melt")["steps"] < steps:
            pass
        print("killed", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    out.close()
    print("closed", flush=True)
"""
)
# By how much each variable is off, of all steps: whole, and in a part.
READER = (
    FIELDS
    + """
    import staithe, sys
    off = {}
    def compare(name, got, expected):
        assert got.dtype == expected.dtype and got.shape == expected.shape, name
        special = ~np.isfinite(expected)
        if name in ("T", "fortran", "own"):
            special |= expected == np.float32(1e20)  # fill
        assert np.array_equal(got[special], expected[special], equal_nan=True), name
        difference = np.abs(got[~special].astype("c16") - expected[~special])
        off[name] = max(off.get(name, 0.0), float(difference.max(initial=0.0)))
    steps = []
    with staithe.reader("melt", timeout=30, **eval(sys.argv[1])) as stream:
        try:
            for step in stream:
                for name, expected in sent(step.index).items():
                    compare(name, step[name][...], expected)
                    if expected.ndim > 2:
                        part = (slice(1, 3), *(slice(None, None, 3),) * (expected.ndim - 2), slice(90, 5, -7))
                        compare(name, step[name][part], expected[part])
                steps.append(step.index)
        except staithe.Error as error:
            print("failed:", error)
    print(steps, off)
"""
)
EXACT = ["n", "noise", "none", "time"]
RANGE = 86.0  # of T, at most


@pytest.fixture
def server(hosts: list[Host], together: dict[str, str]) -> Iterator[Program]:
    """On beta, to which the way is slow."""
    for host in hosts[:2]:
        host.limit(400e6)
    with serving(hosts[1], together | {"STAITHE_LISTEN": "0.0.0.0:0"}) as program:
        yield program


def written(host: Host, env: dict[str, str], steps: int, options: str, ends: str = "closed") -> None:
    writer = host.python(WRITER, str(steps), ends, options, env=env | PLACED)
    assert line_of(writer) == "opened"
    assert line_of(writer) == ends
    writer.communicate(timeout=30)


def read(host: Host, env: dict[str, str], options: str = "{}") -> tuple[str, list[int], dict[str, float]]:
    """What failed, if anything did, the steps that came, and how much they are off."""
    *failed, last = result_of(host.python(READER, options, env=env)).splitlines()
    steps, _, off = last.partition("] ")
    return "".join(failed), eval(steps + "]"), eval(off)


@pytest.mark.usefixtures("server")
def test_what_may_be_off_is_by_no_more_and_is_kept_as_it_came(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    before = beta.received
    written(alpha, together, 6, "{'error': {'T': '1e-3 rel', 'fortran': '0.01 abs', 'own': '0.5 abs'}, 'keep': 6}")
    raw = 6 * 24 * 256 * 256 * (4 + 8 + 8)
    assert beta.received - before < raw / 2
    for host in (beta, gamma, alpha):
        failed, steps, off = read(host, together)
        assert not failed and steps == list(range(6))
        assert 0 < off["T"] <= 1e-3 * RANGE and 0 < off["fortran"] <= 0.01 and 0 < off["own"] <= 0.5
        assert [off[name] for name in [*EXACT, "u"]] == [0.0] * 5
    [memory] = memory_by_server(beta, together).values()
    assert memory < raw / 2


@pytest.mark.usefixtures("server")
def test_transforms_tells_what_went_to_the_server(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    written(alpha, together, 4, "{'error': {'T': '1e-3 rel'}, 'keep': 4}")
    command = [sys.executable, "-m", "staithe.cli", "transforms", "melt"]
    rows = [line.split() for line in result_of(beta.popen(command, env=together)).splitlines()]
    [of_t, *_] = [row for row in rows if "T" in row and "it" not in row]
    assert of_t[:9] == ["server", "on", "beta,", "of", "rank", "0", "T", "0.001", "rel"]
    [link] = json.loads(result_of(beta.popen([*command, "--json"], env=together)))
    assert (link["program"], link["host"], link["writer"]) == ("server", "beta", 0)
    assert 0 < link["link_bytes_per_second"] < 200e6
    assert {"T", "fortran", "n", "noise"} <= {variable["variable"] for variable in link["coded"]}
    [ways] = [variable["ways"] for variable in link["coded"] if variable["variable"] == "T"]
    chosen = max(ways, key=lambda way: way["bytes"])
    assert chosen["codec"] is not None and chosen["coded"] < chosen["bytes"] / 2 and chosen["seconds"] > 0


# Each of two ranks has an array of its own in every step, of another length each time, and rows of a common one.
RANK = """
    import numpy as np, staithe, sys
    rank = int(sys.argv[1])
    with staithe.writer("melt", group=(rank, 2), readers=0, keep=5, timeout=30, error={"own": "1e-3 abs"}) as out:
        for i in range(5):
            with out.step() as step:
                step.put("own", np.linspace(rank, i, 50_000 + 1000 * i + rank))
                step.put("T", np.full((3, 40_000), 7.0 * i), offset=(3 * rank, 0), shape=(6, 40_000))
"""
LOCAL = """
    import numpy as np, staithe
    with staithe.reader("melt", timeout=30) as stream:
        for step in stream:
            i = step.index
            for rank, block in enumerate(step["own"].blocks):
                sent = np.linspace(rank, i, 50_000 + 1000 * i + rank)
                assert block.data.shape == sent.shape and np.abs(block.data - sent).max() <= 1e-3
            assert (step["T"][...] == 7.0 * i).all() and (step["T"][2:4, ::5] == 7.0 * i).all()
            print(i)
"""


@pytest.mark.usefixtures("server")
def test_ranks_on_two_hosts_have_arrays_of_their_own(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    ranks = [host.python(RANK, str(rank), env=together | PLACED) for rank, host in enumerate((alpha, gamma))]
    for rank in ranks:
        assert result_of(rank) == ""
    for host in (beta, gamma):
        assert result_of(host.python(LOCAL, env=together)).split() == [str(i) for i in range(5)]


@pytest.mark.usefixtures("server")
def test_nothing_said_is_exact(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    written(alpha, together, 4, "{'keep': 4}")
    command = [sys.executable, "-m", "staithe.cli", "transforms", "melt", "--json"]
    [link] = json.loads(result_of(beta.popen(command, env=together)))
    ways = [way for variable in link["coded"] for way in variable["ways"]]
    assert any(way["codec"] is not None and way["bytes"] > 0 for way in ways)
    for host in (beta, gamma):
        failed, steps, off = read(host, together)
        assert not failed and steps == list(range(4)) and set(off.values()) == {0.0}


@pytest.mark.usefixtures("server")
def test_steps_outlive_a_writer_that_is_killed(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, _, gamma = hosts
    written(alpha, together, 5, "{'error': {'T': '1e-3 rel'}, 'keep': 5}", "killed")
    failed, steps, off = read(gamma, together)
    assert "failed" in failed and steps == list(range(5)) and 0 < off["T"] <= 1e-3 * RANGE


@pytest.mark.usefixtures("server")
def test_a_reader_that_wants_finer_values_than_there_are_is_told(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    written(alpha, together, 6, "{'error': {'T': '1e-2 rel'}, 'keep': 6}")
    for host in (beta, gamma):
        # Steps that went as they were, before it was known how slow the way is, are as fine as any reader wants.
        failed, steps, off = read(host, together, "{'error': {'T': '1e-5 rel'}}")
        assert "'T'" in failed and "on its way to a server" in failed and "0.01 rel" in failed
        assert steps == list(range(len(steps))) and (not steps or off["T"] <= 1e-5 * RANGE)
    failed, steps, off = read(gamma, together, "{'error': {'T': '5 abs', 'noise': '0.4 abs'}}")
    assert not failed and steps == list(range(6)) and 0 < off["T"] <= 1e-2 * RANGE
