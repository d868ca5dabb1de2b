"""Streams between hosts that share no directory: one side listens, the other is told where."""

import json
import os
import signal
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hosts import Host, Program, line_of, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

WRITER = """
    import numpy, staithe, sys
    with staithe.writer(sys.argv[1], timeout=30, **eval(sys.argv[3])) as out:
        print("opened", flush=True)
        for i in range(int(sys.argv[2])):
            with out.step() as step:
                step.put("T", numpy.arange(600.0).reshape(20, 30) + i)
"""
READER = """
    import numpy, staithe, sys
    with staithe.reader(sys.argv[1], **({"timeout": 30} | eval(sys.argv[2]))) as stream:
        for step in stream:
            assert (step["T"][3:7] == numpy.arange(600.0).reshape(20, 30)[3:7] + step.index).all()
            print(step.index, flush=True)
"""
STEPS = list(range(50))


def write(host: Host, env: dict[str, str], name: str = "melt", steps: int = 50, options: str = "{}") -> Program:
    return host.python(WRITER, name, str(steps), options, env=env)


def read(host: Host, env: dict[str, str], name: str = "melt", options: str = "{}") -> Program:
    return host.python(READER, name, options, env=env)


def steps_of(reader: Program) -> list[int]:
    return [int(line) for line in result_of(reader).split()]


def failure_of(program: Program, seconds: float = 30.0) -> str:
    errors = program.communicate(timeout=seconds)[1]
    assert program.returncode != 0
    return str(errors.splitlines()[-1])


def test_a_reader_is_told_where_the_writer_listens(apart: list[Host], key: dict[str, str]) -> None:
    alpha, beta, _ = apart
    writer = write(alpha, key, options="{'listen': '0.0.0.0:7700', 'readers': 3}")
    told = [
        read(beta, key | {"STAITHE_ADDRESS": "gamma:7700,alpha:7700"}),
        read(beta, key, options="{'address': 'alpha:7700', 'program': 'second'}"),
        read(beta, key, "staithe://alpha:7700/melt", "{'program': 'third'}"),
    ]
    for reader in told:
        assert steps_of(reader) == STEPS
    result_of(writer)


def test_a_reader_waits_for_who_is_to_listen(apart: list[Host], key: dict[str, str]) -> None:
    alpha, beta, _ = apart
    reader = read(beta, key, "staithe://[fd77::1]:7700/melt")
    time.sleep(1.5)
    assert reader.poll() is None
    first = write(alpha, key, "another", options="{'listen': '[::]:7700', 'readers': 0}", steps=0)
    result_of(first)
    time.sleep(0.5)
    assert reader.poll() is None
    writer = write(alpha, key, options="{'listen': '[::]:7700'}")
    assert steps_of(reader) == STEPS
    result_of(writer)


def test_a_process_tells_of_what_others_of_its_host_have(apart: list[Host], key: dict[str, str]) -> None:
    alpha, beta, _ = apart
    door = write(alpha, key, "another", options="{'listen': '0.0.0.0:7700'}")
    writer = write(alpha, key | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert steps_of(read(beta, key, "staithe://alpha:7700/melt")) == STEPS
    result_of(writer)
    door.kill()


def test_the_reader_listens_where_nobody_can_connect_to_the_writer(apart: list[Host], key: dict[str, str]) -> None:
    alpha, beta, gamma = apart
    reader = read(beta, key, options="{'listen': '0.0.0.0:7700'}")
    writer = write(alpha, key | {"STAITHE_ADDRESS": "gamma:7700,beta:7700"}, options="{'readers': 2}")
    second = read(gamma, key | {"STAITHE_LISTEN": "0.0.0.0:7700"}, options="{'program': 'second'}")
    assert steps_of(reader) == STEPS
    assert steps_of(second) == STEPS
    result_of(writer)


def test_ranks_of_a_writer_that_nobody_can_connect_to_are_read(apart: list[Host], key: dict[str, str]) -> None:
    alpha, beta, _ = apart
    reader = beta.python(READER_OF_RANKS, env=key)
    ranks = [alpha.python(WRITER_OF_RANKS, str(rank), env=key) for rank in range(2)]
    assert result_of(reader) == "0 1 2 3 4"
    for rank in ranks:
        result_of(rank)


WRITER_OF_RANKS = """
    import numpy, staithe, sys
    rank = int(sys.argv[1])
    with staithe.writer("melt", timeout=30, group=(rank, 2), address="beta:7700") as out:
        for i in range(5):
            with out.step() as step:
                step.put("x", numpy.full((2, 3), 10.0 * i + rank), offset=(2 * rank, 0), shape=(4, 3))
"""
READER_OF_RANKS = """
    import numpy, staithe
    seen = []
    with staithe.reader("melt", timeout=30, listen=":7700") as stream:
        for step in stream:
            assert (step["x"][:, 0] == 10.0 * step.index + numpy.array([0, 0, 1, 1])).all()
            seen.append(step.index)
    print(*seen)
"""


def test_what_keeps_a_reader_from_the_stream_is_said(apart: list[Host], key: dict[str, str], tmp_path: Path) -> None:
    alpha, beta, _ = apart
    wrong = tmp_path / "wrong"
    wrong.write_text("7" * 64)
    wrong.chmod(0o600)
    writer = write(alpha, key, options="{'listen': '0.0.0.0:7700'}")
    assert line_of(writer) == "opened"
    brief = "{'timeout': 2}"
    nobody = failure_of(read(beta, key, "staithe://alpha:7701/melt", brief))
    assert "Timeout" in nobody and "nobody listens at 10.77.0.1:7701" in nobody
    unknown = failure_of(read(beta, key, "staithe://nowhere:7700/melt", brief))
    assert "cannot look up the host 'nowhere'" in unknown
    absent = failure_of(read(beta, key, "staithe://alpha:7700/another", brief))
    assert "no program has opened stream 'another'" in absent and "seen from alpha:7700" in absent
    keyless = failure_of(read(beta, {}, "staithe://alpha:7700/melt", brief))
    assert "without a key" in keyless and "STAITHE_KEY_FILE" in keyless
    other = failure_of(read(beta, {"STAITHE_KEY_FILE": str(wrong)}, "staithe://alpha:7700/melt", brief))
    assert "is it the same key?" in other
    os.kill(writer.pid, signal.SIGKILL)


def test_a_port_that_is_taken_is_named(apart: list[Host], key: dict[str, str]) -> None:
    alpha, *_ = apart
    first = write(alpha, key, options="{'listen': '0.0.0.0:7700'}")
    assert line_of(first) == "opened"
    taken = failure_of(write(alpha, key, "second", options="{'listen': '0.0.0.0:7700'}"))
    assert "AlreadyExists" in taken and "7700" in taken
    # What the environment says is for all programs: the one that writes has the port.
    reader = read(alpha, key | {"STAITHE_LISTEN": "0.0.0.0:7700"})
    assert steps_of(reader) == STEPS
    result_of(first)


# Sleeps in its reader, on a host whose clocks are all an hour ahead.
IDLE = """
    import staithe
    with staithe.reader("staithe://alpha:7700/melt", timeout=60, program="idle") as stream:
        for step in stream:
            print(step.index, flush=True)
"""
SLOW_WRITER = """
    import staithe, sys
    with staithe.writer("melt", listen="0.0.0.0:7700", timeout=60) as out:
        with out.step() as step:
            step.put("n", 1)
        sys.stdin.readline()
"""


def test_the_command_line_looks_across_hosts_and_allows_for_their_clocks(
    apart: list[Host], key: dict[str, str]
) -> None:
    alpha, beta, gamma = apart
    for ahead in (beta, gamma):
        ahead.shift_clock(3600)
    writer = alpha.python(SLOW_WRITER, env=key)
    ahead = ["unshare", "--time", "--monotonic", "3600", "--fork"]
    reader = beta.popen([*ahead, sys.executable, "-c", textwrap.dedent(IDLE)], env=key)
    assert line_of(reader) == "0"
    time.sleep(1.5)
    look = [sys.executable, "-m", "staithe.cli"]
    at = ["--address", "alpha:7700"]
    (melt,) = json.loads(gamma.run([*look, "ls", "--json", *at], env=key))
    assert (melt["name"], melt["host"]) == ("melt", "alpha")
    (idle,) = melt["readers"][0]["members"]
    assert idle["host"] == "beta"
    assert 0.5 < idle["waiting_seconds"] < 60
    assert 0 <= melt["now"] - melt["started"] < 60
    shown = gamma.run([*look, "show", "melt", *at], env=key)
    assert "on alpha" in shown and "since 0.00 s" not in shown and " h " not in shown
    assert "melt" in gamma.run([*look, "top", "--once", "--interval", "0.1", *at], env=key)
    assert "alpha" in gamma.run([*look, "ls"], env=key | {"STAITHE_ADDRESS": "alpha:7700"})
    assert gamma.run([*look, "doctor", "--waiting", "600", *at], env=key).startswith("all is well")
    nobody = gamma.popen([*look, "ls", "--address", "alpha:7701"], env=key)
    assert "nobody listens" in nobody.communicate(timeout=20)[1] and nobody.returncode == 1
    result_of_line(writer)
    result_of(reader)


def result_of_line(program: Program) -> None:
    """It goes on after a line, and ends well."""
    errors = program.communicate("\n", timeout=20)[1]
    assert program.returncode == 0, errors
