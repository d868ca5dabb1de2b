"""What goes wrong between the hosts of a stream: connections and hosts that are cut, processes that say nothing."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest
from between_hosts import assert_in_order, read, rest_of, steps_of, write
from hosts import Host, line_of, network, result_of, skip_reason

import thoroughness

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

KNOWN_WITHIN = 8.0  # seconds: five, and what a busy machine takes for the rest

# Connections of a process that are no link: each has SO_KEEPALIVE. By the port that each goes by.
CONNECTIONS = """
    import os, socket, stat

    def further_connections():
        found = {}
        for number in range(100):
            try:
                if not stat.S_ISSOCK(os.fstat(number).st_mode):
                    continue
            except OSError:
                continue
            connection = socket.socket(fileno=os.dup(number))
            is_tcp = connection.family in (socket.AF_INET, socket.AF_INET6)
            if is_tcp and connection.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE):
                replaced = found.get(connection.getsockname()[1])
                found[connection.getsockname()[1]] = connection
                connection = replaced
            if connection is not None:
                connection.close()
        return found
"""


# A connection alone ------------------------------------------------------------------------------------------------

READER_THAT_LOSES_ITS_CHANNEL = (
    CONNECTIONS
    + """
    import staithe, sys, time
    stream = staithe.reader("melt", timeout=30)
    step = next(stream)
    ((port, channel),) = further_connections().items()
    print(port, flush=True)
    sys.stdin.readline()
    if sys.argv[1] == "end":
        channel.shutdown(socket.SHUT_RDWR)
    channel.close()
    began = time.monotonic()
    held = [step]
    try:
        while True:
            held.append(next(stream))
    except staithe.PeerLost as error:
        print(error, flush=True)
    print(time.monotonic() - began, flush=True)
    sys.stdin.readline()
"""
)


def test_a_channel_that_ends_alone_is_a_loss_for_both_sides(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 5, "{'queue_steps': 2}")
    reader = beta.python(READER_THAT_LOSES_ITS_CHANNEL, "end", env=together)
    assert line_of(reader).isdigit()
    time.sleep(0.5)
    assert writer.poll() is None  # the reader has a step
    print("go", file=reader.stdin, flush=True)
    said = line_of(reader)
    assert "writer rank 0" in said and "on alpha" in said and "cut" in said, said
    assert float(line_of(reader)) < 2
    output, errors = writer.communicate(timeout=10)
    assert output == "closed\n" and "rank 0 is lost" in errors and "on beta" in errors
    rest_of(reader, 10)


def test_a_channel_through_which_nothing_comes_any_more_is_a_loss(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 5, "{'queue_steps': 2}")
    reader = beta.python(READER_THAT_LOSES_ITS_CHANNEL, "stay", env=together)
    port = int(line_of(reader))
    beta.swallow(port)
    print("go", file=reader.stdin, flush=True)
    said = line_of(reader)
    assert "writer rank 0" in said and "on alpha" in said, said
    assert float(line_of(reader)) < 8
    assert rest_of(writer, 10)[0] == "closed\n"
    rest_of(reader, 10)


def test_a_connection_for_blocks_that_ends_is_made_anew(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 3)
    reader = beta.python(
        CONNECTIONS
        + """
    import staithe
    channel = None
    for step in staithe.reader("melt", timeout=30):
        found = further_connections()
        channel = channel or next(iter(found))
        for port, connection in found.items():
            if port != channel:
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()
        assert step["T"][2, 3] == 63.0 + step.index
        print(step.index, flush=True)
    """,
        env=together,
    )
    assert steps_of(reader) == [0, 1, 2]
    assert rest_of(writer, 10)[0] == "closed\n"


# The end -----------------------------------------------------------------------------------------------------------


def test_a_writer_does_not_stay_for_readers_that_have_the_end(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    reader = beta.python(
        """
        import staithe, sys
        stream = staithe.reader("melt", timeout=30)
        print("joined", flush=True)
        print([int(step["n"][()]) for step in stream], flush=True)
        sys.stdin.readline()  # it does not close yet
        """,
        env=together,
    )
    writer = alpha.python(
        """
        import numpy, staithe, time
        out = staithe.writer("melt", timeout=30, queue_steps=1)  # by the third, it has joined
        for i in range(3):
            with out.step() as step:
                step.put("n", numpy.int32(i))
        while staithe.describe("melt")["readers"][0]["steps"] < 2:  # it is behind the third
            time.sleep(0.01)
        began = time.monotonic()
        out.close()
        print(time.monotonic() - began)
        """,
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    assert line_of(reader) == "joined"
    assert float(result_of(writer)) < 0.5
    assert line_of(reader) == "[0, 1, 2]"
    rest_of(reader, 10)


def test_the_end_arrives_where_packets_are_lost(shared_directory: Path, together: dict[str, str]) -> None:
    with network("alpha", "beta", delay=0.0005, loss=0.05, shared=shared_directory) as (alpha, beta):
        for _ in range(5):
            writer = write(alpha, together, 10)
            assert steps_of(read(beta, together)) == list(range(10))
            assert rest_of(writer, 10)[0] == "closed\n"


# Hosts -------------------------------------------------------------------------------------------------------------


def test_a_cable_that_is_pulled_for_a_second_loses_nothing(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    alpha.limit(2e8)  # a step of 8 MB takes a third of a second
    writer = alpha.python(
        """
        import numpy, staithe
        with staithe.writer("melt", timeout=30) as out:
            print("opened", flush=True)
            for i in range(6):
                with out.step() as step:
                    step.put("x", numpy.full(1_000_000, float(i)))
        """,
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    assert line_of(writer) == "opened"
    reader = beta.python(
        """
        import staithe
        for step in staithe.reader("melt", timeout=30, codec="none"):
            x = step["x"][...]
            assert (x == step.index).all()
            print(step.index, flush=True)
        """,
        env=together,
    )
    assert line_of(reader) == "0"
    time.sleep(0.1)
    beta.cut()
    time.sleep(1)
    beta.restore()
    assert [line_of(reader) for _ in range(5)] == ["1", "2", "3", "4", "5"]
    assert rest_of(reader, 10)[1] == ""
    assert rest_of(writer, 10)[1] == ""


def assert_is_lost(errors: str) -> None:
    loss = errors.splitlines()[-1]
    for part in ("PeerLost", "'melt'", "writer rank 0", "on alpha", "its host has not answered"):
        assert part in loss, errors


@pytest.mark.parametrize("end", ["cut", "unplug"])
def test_a_host_that_is_gone_is_known_within_five_seconds(
    hosts: list[Host], together: dict[str, str], end: str
) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 10**9, "{'readers': 2}")
    lost, other = (read(host, together, f"{{'program': '{host.name}'}}") for host in (beta, gamma))
    for reader in (lost, other):
        assert [line_of(reader) for _ in range(3)] == ["joined", "0", "1"]
    getattr(beta, end)()
    began = time.monotonic()
    assert writer.stderr is not None
    assert "on beta) rank 0 is lost: its host has not answered" in writer.stderr.readline()
    assert time.monotonic() - began < KNOWN_WITHIN
    if end == "cut":
        errors = rest_of(lost, 5)[1]
        assert_is_lost(errors)
    assert line_of(other).isdigit()
    alpha.unplug()
    began = time.monotonic()
    errors = rest_of(other, 10)[1]
    assert time.monotonic() - began < KNOWN_WITHIN
    assert_is_lost(errors)


# Processes that say nothing ----------------------------------------------------------------------------------------

SLOW_WRITER = """
    import numpy, staithe, sys, time
    steps, pause = int(sys.argv[1]), float(sys.argv[2])
    with staithe.writer("melt", queue_steps=4) as out:
        print("opened", flush=True)
        for i in range(steps):
            with out.step() as step:
                step.put("n", numpy.int32(i))
            time.sleep(pause)
    print("closed", flush=True)
"""
SLOW_READER = """
    import staithe, sys
    try:
        for step in staithe.reader("melt"):
            print(int(step["n"][()]), flush=True)
    except staithe.PeerLost as loss:
        print(type(loss).__name__, loss, flush=True)
"""


@pytest.mark.parametrize("which", ["writer", "reader"])
def test_a_process_that_is_stopped_is_reported_and_goes_on(
    hosts: list[Host], together: dict[str, str], which: str
) -> None:
    alpha, beta, _ = hosts
    writer = alpha.python(SLOW_WRITER, "90", "0.05", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    reader = beta.python(SLOW_READER, env=together)
    assert line_of(reader) == "0"
    stopped = writer if which == "writer" else reader
    os.kill(stopped.pid, signal.SIGSTOP)
    time.sleep(7)
    if which == "reader":
        assert "(silent for " in alpha.run(
            [str(Path(sys.executable).with_name("staithe")), "show", "melt"], env=together
        )
    os.kill(stopped.pid, signal.SIGCONT)
    output, errors_of_reader = rest_of(reader, 20)
    assert_in_order(output, last=89)
    errors_of_writer = rest_of(writer, 20)[1]
    assert writer.returncode == reader.returncode == 0
    errors = errors_of_reader if which == "writer" else errors_of_writer
    assert f"on {'alpha' if which == 'writer' else 'beta'}) has said nothing for 5 s" in errors and "goes on" in errors


PATIENT = {"STAITHE_TIMEOUT": "200"}  # more than the minute after which a silent process is lost


@pytest.mark.skipif(not thoroughness.IS_LONG, reason="takes minutes: runs with STAITHE_TEST_LONG=1")
def test_a_writer_that_is_stopped_for_long_is_lost_and_fenced(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = alpha.python(SLOW_WRITER, "40", "0.1", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"} | PATIENT)
    assert line_of(writer) == "opened"
    reader = beta.python(SLOW_READER, env=together | PATIENT)
    assert line_of(reader) == "0"
    os.kill(writer.pid, signal.SIGSTOP)
    began = time.monotonic()
    output, _ = rest_of(reader, 75)
    assert 55 < time.monotonic() - began < 70
    loss = output.splitlines()[-1]
    assert loss.startswith("PeerLost stream 'melt': writer rank 0") and "has said nothing for 60 s" in loss
    os.kill(writer.pid, signal.SIGCONT)
    output, errors = rest_of(writer, 20)
    assert output == "closed\n"
    assert "on beta) rank 0 is lost: it has given this process up" in errors


@pytest.mark.skipif(not thoroughness.IS_LONG, reason="takes minutes: runs with STAITHE_TEST_LONG=1")
def test_a_reader_that_is_stopped_for_long_is_lost_and_fenced(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = alpha.python(SLOW_WRITER, "40", "0.1", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"} | PATIENT)
    assert line_of(writer) == "opened"
    reader = beta.python(SLOW_READER, env=together | PATIENT)
    assert line_of(reader) == "0"
    os.kill(reader.pid, signal.SIGSTOP)
    began = time.monotonic()
    output, errors = rest_of(writer, 80)
    assert output == "closed\n" and time.monotonic() - began > 55
    assert "on beta) rank 0 is lost: it has said nothing for 60 s" in errors
    os.kill(reader.pid, signal.SIGCONT)
    loss = rest_of(reader, 10)[0].splitlines()[-1]
    assert loss.startswith("PeerLost") and "on alpha) is lost: it has given this process up" in loss.replace(
        "), is", ") is"
    )


def test_programs_that_hold_the_gil_for_long_are_not_lost(hosts: list[Host], together: dict[str, str]) -> None:
    """Eight on a core: whoever hears nothing of one for 5 s would say so."""
    alpha, beta, _ = hosts
    seconds = 30 if thoroughness.IS_LONG else 8
    hold = f"""
        import ctypes, numpy, staithe, sys, time
        def hold_the_gil():
            ctypes.PyDLL(None).usleep({seconds * 1_000_000})  # as a library that does not let go of it
        def spin_with_the_gil():
            end = time.monotonic() + {seconds}
            while time.monotonic() < end:
                pass
    """
    writer = alpha.python(
        hold
        + """
        with staithe.writer("melt", readers=8, timeout=120) as out:
            print("opened", flush=True)
            for i in range(3):
                with out.step() as step:
                    step.put("n", numpy.arange(1000) + i)
                if i == 1:
                    hold_the_gil()
        """,
        cores=[0],
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    assert line_of(writer) == "opened"
    readers = [
        beta.python(
            hold
            + """
        for step in staithe.reader("melt", program=sys.argv[1], timeout=120):
            print(int(step["n"][0]), flush=True)
            if step.index == 0:
                spin_with_the_gil()
        """,
            str(number),
            cores=[0],
            env=together,
        )
        for number in range(8)
    ]
    for program in (*readers, writer):
        output, errors = rest_of(program, 120)
        assert program.returncode == 0 and "said nothing" not in errors, errors
        assert output.split() == ["0", "1", "2"] or program is writer
