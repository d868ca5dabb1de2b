"""What readers on other hosts get of steps: small ones along with their announcement, large ones when they are read, or
ahead of it."""

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from hosts import Host, Program, line_of, network, result_of, skip_reason
from standing_still import stop

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

WRITER = """
    import numpy, staithe, sys
    steps, rows, options = int(sys.argv[1]), int(sys.argv[2]), eval(sys.argv[3])
    with staithe.writer("melt", timeout=30, **options) as out:
        print("opened", flush=True)
        for i in range(steps):
            with out.step() as step:
                step.put("T", numpy.arange(rows * 512.0).reshape(rows, 512) + i)
    print("closed", flush=True)
"""


def write(host: Host, together: dict[str, str], steps: int, rows: int, options: str = "{}") -> Program:
    env = together | {"STAITHE_LISTEN": "0.0.0.0:0"}
    writer = host.python(WRITER, str(steps), str(rows), options, env=env)
    assert line_of(writer) == "opened"
    return writer


def read(host: Host, together: dict[str, str], text: str) -> Program:
    return host.python(text, env=together)


@pytest.mark.parametrize("pause", [0.0, 0.02])  # a program that computes finds the next step there
def test_large_steps_are_what_was_written(hosts: list[Host], together: dict[str, str], pause: float) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 40, 1024, "{'queue_steps': 4}")
    reader = f"""
        import numpy, staithe, time
        out = numpy.empty((1024, 512))
        with staithe.reader("melt", timeout=30) as stream:
            for step in stream:
                expected = numpy.arange(1024 * 512.0).reshape(1024, 512) + step.index
                assert (step["T"][...] == expected).all()
                assert (step["T"].read(..., out=out) == expected).all()
                if step.index % 7 != 3:  # now and then it is fetched in vain
                    assert (step["T"][100:900:3, ::-5] == expected[100:900:3, ::-5]).all()
                time.sleep({pause})
        print(step.index)
    """
    assert result_of(read(beta, together, reader)) == "39"
    assert result_of(writer) == "closed"


@pytest.mark.parametrize("most", ["0", "256 MiB"])
def test_steps_come_ahead_over_a_long_way_as_far_as_they_may(
    shared_directory: Path, together: dict[str, str], most: str
) -> None:
    """The reader does not compute for long: over a short way it would fetch each step when it reads it."""
    reader = f"""
        import numpy, staithe
        staithe.set_limits(prefetch="{most}")
        ahead = 0
        with staithe.reader("melt", timeout=30) as stream:
            for step in stream:
                expected = numpy.arange(512 * 512.0).reshape(512, 512) + step.index
                assert (step["T"][...] == expected).all()
                ahead = max(ahead, staithe.usage().prefetch)
        print(step.index, ahead > 0)
    """
    with network("alpha", "beta", delay=0.002, loss=0.01, shared=shared_directory) as (alpha, beta):
        writer = write(alpha, together, 40, 512)
        assert result_of(read(beta, together, reader)) == f"39 {most != '0'}"
        assert result_of(writer) == "closed"


def test_small_steps_take_no_connection_for_blocks(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    write(alpha, together, 100, 4)
    reader = """
        import numpy, pathlib, staithe
        def connections():
            lines = pathlib.Path("/proc/self/net/tcp").read_text().splitlines()
            return sum(line.split()[3] == "01" for line in lines)
        with staithe.reader("melt", timeout=30) as stream:
            first = next(stream)
            before = connections()
            for step in stream:
                assert (step["T"][1] == numpy.arange(512.0, 1024.0) + step.index).all()
            assert connections() <= before, (before, connections())
            print(step.index)
    """
    assert result_of(read(beta, together, reader)) == "99"


@pytest.mark.parametrize("rows", [4, 64])
def test_arrays_of_other_hosts_keep_no_step(hosts: list[Host], together: dict[str, str], rows: int) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 20, rows, "{'queue_steps': 2}")
    reader = """
        import staithe
        with staithe.reader("melt", timeout=10) as stream:
            arrays = [step["T"][...] for step in stream]
        assert [array[0, 0] for array in arrays] == list(range(20))
        print(len(arrays))
    """
    assert result_of(read(beta, together, reader)) == "20"
    assert result_of(writer) == "closed"


def test_nothing_is_written_after_a_timeout(hosts: list[Host], together: dict[str, str]) -> None:
    """The way is cut in the middle of a step, and comes back when its memory is used for something else."""
    alpha, beta, _ = hosts
    alpha.limit(1e9)
    write(alpha, together, 1, 1 << 16)  # 256 MiB: two seconds
    reader = """
        import numpy, staithe, sys, time
        out = numpy.empty((1 << 16, 512))
        with staithe.reader("melt", timeout=1.5, codec="none") as stream:
            step = stream.next(timeout=20)
            print("fetches", flush=True)
            try:
                step["T"].read(..., out=out)
            except (staithe.Timeout, staithe.PeerLost) as error:
                print(type(error).__name__, flush=True)
            out[:] = -1
            sys.stdin.readline()
            time.sleep(1)
            assert (out == -1).all()
            print("unchanged", flush=True)
    """
    program = read(beta, together, reader)
    assert line_of(program) == "fetches"
    time.sleep(0.5)
    alpha.cut()
    assert line_of(program) == "Timeout"
    alpha.restore()
    assert program.stdin is not None
    program.stdin.write("\n")
    program.stdin.flush()
    assert line_of(program) == "unchanged"


def test_a_program_goes_on_while_little_of_another_host_is_waited_for(
    hosts: list[Host], together: dict[str, str]
) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 1, 1024)
    reader = """
        import staithe, sys, threading, time
        step = next(staithe.reader("melt", timeout=1.0))
        print("has a step", flush=True)
        sys.stdin.readline()
        ticks = 0
        def tick():
            global ticks
            while True:
                time.sleep(0.01)
                ticks += 1
        threading.Thread(target=tick, daemon=True).start()
        for look in (lambda: step["T"][7, 3:5], lambda: step["T"].blocks[0].data):
            before = ticks
            try:
                look()
            except staithe.Timeout:
                print(ticks - before > 10, flush=True)
    """
    program = read(beta, together, reader)
    assert line_of(program) == "has a step"
    stop(writer.pid)
    assert program.stdin is not None
    print(file=program.stdin, flush=True)
    assert line_of(program) == "True"
    assert line_of(program) == "True"
    os.kill(writer.pid, signal.SIGCONT)


def test_show_says_what_each_pair_took(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    write(alpha, together, 100, 1024)
    reader = """
        import staithe, sys
        with staithe.reader("melt", timeout=30, program="plot", codec="none") as stream:
            next(stream)["T"][...]
            print("fetched", flush=True)
            sys.stdin.readline()
    """
    program = read(beta, together, reader)
    assert line_of(program) == "fetched"
    command = [sys.executable, "-m", "staithe.cli", "show", "melt"]
    *_, head, line = alpha.run(command, env=together).splitlines()
    assert head.split() == ["reader", "host", "blocks", "from", "connections", "congestion", "data", "rate", "way"]
    shown = line.split()
    assert shown[:8] == ["plot", "rank", "0", "beta", "rank", "0", "on", "alpha"]
    assert shown[8] == "1" and shown[10:12] == ["4.19", "MB"] and shown[13].endswith("B/s")
    assert shown[14] in ("TCP:", "verbs", "cxi", "efa", "opx")
