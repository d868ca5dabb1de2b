"""Blocks that readers of other hosts read by RDMA: by libfabric's provider for TCP, which stands in for an adapter."""

import os
import signal
import sys
from pathlib import Path

import pytest
from hosts import Host, Program, line_of, skip_reason
from staithe_fabric import fabric_skip_reason

pytestmark = [
    pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason())),
    pytest.mark.skipif(fabric_skip_reason() is not None, reason=str(fabric_skip_reason())),
]

WRITER = """
    import numpy, staithe, sys
    with staithe.writer("melt", timeout=30) as out:
        print("opened", flush=True)
        for i in range(int(sys.argv[1])):
            with out.step() as step:
                step.put("T", numpy.arange(600_000.0).reshape(600, 1000) + i)
    print("closed", flush=True)
"""
READER = """
    import numpy, staithe, sys
    with staithe.reader("melt", timeout=30) as stream:
        for step in stream:
            expected = numpy.arange(600_000.0).reshape(600, 1000) + step.index
            assert (step["T"][...] == expected).all()
            assert (step["T"][30:70] == expected[30:70]).all()
            assert (step["T"][::3, 5:29:4] == expected[::3, 5:29:4]).all()
            print(step.index, flush=True)
            sys.stdin.readline()
"""


def start(hosts: list[Host], together: dict[str, str], steps: int, **fabrics: str) -> tuple[Program, Program]:
    """A writer on alpha and a reader on beta, each with its STAITHE_FABRIC; the reader has its first step."""
    alpha, beta, _ = hosts
    ours = {"STAITHE_FABRIC": fabrics.get("alpha", "tcp"), "STAITHE_LISTEN": "0.0.0.0:0"}
    writer = alpha.python(WRITER, str(steps), env=together | ours)
    assert line_of(writer) == "opened"
    reader = beta.python(READER, env=together | {"STAITHE_FABRIC": fabrics.get("beta", "tcp")})
    assert line_of(reader) == "0"
    return writer, reader


def way(host: Host, together: dict[str, str]) -> str:
    """How the reader gets its blocks, as `staithe show` says."""
    show = [sys.executable, "-m", "staithe.cli", "show", "melt"]
    shown = host.run(show, env=together | {"COLUMNS": "500"})
    *_, head, line = shown.splitlines()
    return line[head.index("blocks from") :]


def finish(reader: Program, steps: int) -> None:
    out, errors = reader.communicate("\n" * steps, timeout=60)
    assert reader.returncode == 0, errors
    assert out.split() == [str(i) for i in range(1, steps)]


def test_blocks_are_read_by_the_provider_that_both_have(hosts: list[Host], together: dict[str, str]) -> None:
    writer, reader = start(hosts, together, 20)
    shown = way(hosts[0], together)
    assert shown.startswith("rank 0 on alpha") and "TCP" not in shown
    finish(reader, 20)
    assert writer.wait(timeout=20) == 0


@pytest.mark.parametrize(
    ("alpha", "beta", "why"),
    [
        ("off", "tcp", "STAITHE_FABRIC is off"),
        ("tcp", "off", "STAITHE_FABRIC is off"),
        ("tcp", "shm", "the two have no provider of libfabric in common"),
        ("tcp", "nonsense", "libfabric has no provider 'nonsense' here"),
        ("auto", "auto", "there is no adapter for RDMA"),
    ],
)
def test_without_a_common_provider_blocks_come_over_tcp(
    hosts: list[Host], together: dict[str, str], alpha: str, beta: str, why: str
) -> None:
    if "adapter" in why and any(Path(f"/sys/class/{kind}").is_dir() for kind in ("infiniband", "cxi")):
        pytest.skip("this machine has an adapter")
    writer, reader = start(hosts, together, 20, alpha=alpha, beta=beta)
    assert f"TCP: {why}" in way(hosts[0], together).replace("writer rank 0 of stream 'melt', ", "")
    finish(reader, 20)
    assert writer.wait(timeout=20) == 0


def test_signals_mean_to_the_program_what_they_did(hosts: list[Host], together: dict[str, str]) -> None:
    # Libraries that libfabric loads take SIGINT and SIGTERM for themselves.
    _, reader = start(hosts, together, 10**6)
    os.kill(reader.pid, signal.SIGINT)
    assert "KeyboardInterrupt" in reader.communicate(timeout=20)[1]


def test_a_killed_writer_is_known(hosts: list[Host], together: dict[str, str]) -> None:
    writer, reader = start(hosts, together, 10**6)
    os.kill(writer.pid, signal.SIGKILL)
    errors = reader.communicate("\n" * 100, timeout=30)[1]
    assert "PeerLost" in errors and "on alpha" in errors


def test_a_host_that_is_powered_off_is_known(hosts: list[Host], together: dict[str, str]) -> None:
    _, reader = start(hosts, together, 10**6)
    hosts[0].unplug()
    errors = reader.communicate("\n" * 100, timeout=40)[1]
    assert "PeerLost" in errors and "on alpha" in errors


def test_a_reader_that_forks_goes_on_and_its_child_reads_over_tcp(hosts: list[Host], together: dict[str, str]) -> None:
    forking = """
        import os, staithe, sys
        with staithe.reader("melt", timeout=30) as stream:
            step = next(stream)
            assert step["T"][0, 1] == 1.0
            child = os.fork()
            if child == 0:
                with staithe.reader("melt", timeout=20, program="child") as own:
                    os._exit(0 if next(own)["T"][1, 0] >= 1000.0 else 1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
            assert (step["T"][...] >= 0).all()
            assert next(stream)["T"][0, 1] == 2.0
            print("done", flush=True)
    """
    together |= {"STAITHE_FABRIC": "tcp"}
    alpha, beta, _ = hosts
    writer = alpha.python(WRITER, "1000000", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    out, errors = beta.python(forking, env=together).communicate(timeout=60)
    assert out == "done\n", errors
