"""What goes wrong between the hosts of a stream: connections and hosts that are cut, processes that say nothing."""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from between_hosts import read, steps_of, write
from hosts import Host, Program, line_of, network, result_of, skip_reason

import thoroughness

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

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


@pytest.fixture
def run_directory(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def together(run_directory: Path) -> dict[str, str]:
    return {"STAITHE_RUN_DIR": str(run_directory)}


@pytest.fixture
def hosts(run_directory: Path) -> Iterator[list[Host]]:
    with network("alpha", "beta", "gamma", shared=run_directory) as made:
        yield made


def wait_until(happened: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def rest_of(program: Program, seconds: float) -> tuple[str, str]:
    """What a program says until it ends, which it does within that time."""
    output, errors = program.communicate(timeout=seconds)
    return output, errors


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


def test_the_end_arrives_where_packets_are_lost(run_directory: Path, together: dict[str, str]) -> None:
    with network("alpha", "beta", delay=0.0005, loss=0.05, shared=run_directory) as (alpha, beta):
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
        for step in staithe.reader("melt", timeout=30):
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
    assert time.monotonic() - began < 5.5
    if end == "cut":
        errors = rest_of(lost, 5)[1]
        assert_is_lost(errors)
    assert line_of(other).isdigit()
    alpha.unplug()
    began = time.monotonic()
    errors = rest_of(other, 10)[1]
    assert time.monotonic() - began < 5.5
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
    writer = alpha.python(SLOW_WRITER, "40", "0.05", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
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
    assert output.split() == [str(i) for i in range(1, 40)]
    errors_of_writer = rest_of(writer, 20)[1]
    assert writer.returncode == reader.returncode == 0
    errors = errors_of_reader if which == "writer" else errors_of_writer
    assert f"on {'alpha' if which == 'writer' else 'beta'}) has said nothing for 5 s" in errors and "goes on" in errors


@pytest.mark.skipif(not thoroughness.IS_LONG, reason="takes minutes: runs with STAITHE_TEST_LONG=1")
def test_a_writer_that_is_stopped_for_long_is_lost_and_fenced(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = alpha.python(SLOW_WRITER, "40", "0.1", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    reader = beta.python(SLOW_READER, env=together)
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
    writer = alpha.python(SLOW_WRITER, "40", "0.1", env=together | {"STAITHE_LISTEN": "0.0.0.0:0"})
    assert line_of(writer) == "opened"
    reader = beta.python(SLOW_READER, env=together)
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


def test_a_reader_that_does_not_read_does_not_stall_others(hosts: list[Host], together: dict[str, str]) -> None:
    """Its connection is full of what it has asked for; a thread of its owner serves all."""
    alpha, beta, gamma = hosts
    writer = alpha.python(
        """
        import numpy, staithe
        with staithe.writer("melt", readers=2, queue_steps=4, timeout=60) as out:
            print("opened", flush=True)
            for i in range(30):
                with out.step() as step:
                    step.put("x", numpy.full(2_000_000, float(i)))
        """,
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    assert line_of(writer) == "opened"
    text = """
        import staithe, sys
        for step in staithe.reader("melt", program=sys.argv[1], overflow=sys.argv[2], timeout=60):
            print(int(step["x"][-1]), flush=True)
    """
    lazy = beta.python(text, "lazy", "latest", env=together)
    assert line_of(lazy).isdigit()
    os.kill(lazy.pid, signal.SIGSTOP)
    output = rest_of(gamma.python(text, "eager", "block", env=together), 40)[0]
    assert output.split() == [str(i) for i in range(30)]
    os.kill(lazy.pid, signal.SIGCONT)
    assert rest_of(lazy, 20)[0].split()[-1] == "29"
    assert rest_of(writer, 20)[1] == ""


def test_nothing_is_written_after_a_fetch_has_timed_out(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    alpha.limit(2e8)
    writer = alpha.python(
        """
        import numpy, staithe, sys
        with staithe.writer("melt") as out:
            print("opened", flush=True)
            with out.step() as step:
                step.put("x", numpy.full(4_000_000, 7.0))
        """,
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    assert line_of(writer) == "opened"
    reader = beta.python(
        """
        import numpy, staithe, sys, time
        step = next(staithe.reader("melt", timeout=0.8))
        x = numpy.zeros(4_000_000)
        print("fetching", flush=True)
        try:
            step["x"].read(out=x)
        except staithe.Timeout as error:
            print("timed out", flush=True)
        part = int((x == 7.0).sum())
        x[:] = 1.0
        sys.stdin.readline()  # meanwhile the link is restored
        time.sleep(2)
        assert 0 < part < 4_000_000, part
        assert (x == 1.0).all()
        print((step["x"][...] == 7.0).all(), flush=True)
        """,
        env=together,
    )
    assert line_of(reader) == "fetching"
    time.sleep(0.4)
    beta.cut()
    assert line_of(reader) == "timed out"
    beta.restore()
    print("go", file=reader.stdin, flush=True)
    assert line_of(reader) == "True"
    assert rest_of(reader, 10)[1] == ""
    assert rest_of(writer, 10)[1] == ""


# Ways that are bad ------------------------------------------------------------------------------------------------


def test_a_narrow_way_takes_longer_and_loses_nothing(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    beta.set_mtu(1280)
    writer = write(alpha, together, 50)
    assert steps_of(read(beta, together)) == list(range(50))
    assert rest_of(writer, 10) == ("closed\n", "")


def test_an_interface_that_leads_nowhere_is_passed_by(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    alpha.add_interface("tun0", "10.8.0.1/24")
    for host in (alpha, beta):
        host.add_interface("docker0", "172.17.0.1/16")  # the same on both
    writer = write(alpha, together, 20)
    assert steps_of(read(beta, together)) == list(range(20))
    assert rest_of(writer, 10) == ("closed\n", "")


def test_a_host_behind_a_slow_cable_holds_up_nobody_who_may_not_wait(
    hosts: list[Host], together: dict[str, str]
) -> None:
    alpha, beta, gamma = hosts
    beta.limit(2e7)
    writer = alpha.python(
        """
        import numpy, staithe, time
        with staithe.writer("melt", readers=2, timeout=60) as out:
            print("opened", flush=True)
            began = time.monotonic()
            for i in range(20):
                with out.step() as step:
                    step.put("x", numpy.full(200_000, float(i)))
        """,
        env=together | {"STAITHE_LISTEN": "0.0.0.0:0"},
    )
    assert line_of(writer) == "opened"
    text = """
        import staithe, sys, time
        steps = staithe.reader("melt", program=sys.argv[1], overflow=sys.argv[2], timeout=60)
        began = time.monotonic()
        print([int(step["x"][-1]) for step in steps][-1], time.monotonic() - began, flush=True)
    """
    slow = beta.python(text, "slow", "latest", env=together)
    fast = gamma.python(text, "fast", "block", env=together)
    last, seconds = line_of(fast).split()
    assert last == "19" and float(seconds) < 6  # by the slow cable, 13
    assert line_of(slow).split()[0] == "19"
    assert rest_of(writer, 10)[1] == ""


@pytest.mark.parametrize("which", ["writer", "reader"])
def test_who_is_killed_anywhere_in_a_step_is_known(hosts: list[Host], together: dict[str, str], which: str) -> None:
    """At times that are drawn, so that it comes before, in and after what goes between the hosts."""
    alpha, beta, _ = hosts
    chance = random.Random(thoroughness.SEED)
    for _ in range(20 if thoroughness.IS_LONG else 4):
        writer = write(alpha, together, 2000, "{'queue_steps': 3}")
        reader = read(beta, together)
        assert line_of(reader) == "joined"
        time.sleep(chance.uniform(0.0, 0.2))
        killed, other = (writer, reader) if which == "writer" else (reader, writer)
        if other.poll() is None:
            os.kill(killed.pid, signal.SIGKILL)
        output, errors = rest_of(other, 20)
        if which == "writer":
            assert [int(line) for line in output.split()] == list(range(len(output.split())))
            assert output.endswith("1999\n") or "PeerLost" in errors, errors
        else:
            assert output.endswith("closed\n"), errors
        rest_of(killed, 10)


def test_ipv6_alone_will_do(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 20, listen=f"[{alpha.address6}]:0")
    assert steps_of(read(beta, together)) == list(range(20))
    assert rest_of(writer, 10) == ("closed\n", "")


# Strangers, and many --------------------------------------------------------------------------------------------------


def test_another_key_opens_nothing(hosts: list[Host], together: dict[str, str], run_directory: Path) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 3)
    key = run_directory / "another"
    key.touch(mode=0o600)
    key.write_text("5" * 64)
    errors = rest_of(read(beta, together | {"STAITHE_KEY_FILE": str(key)}), 20)[1]
    assert "does not prove that it has the key of STAITHE_KEY_FILE" in errors
    assert steps_of(read(beta, together)) == [0, 1, 2]
    assert rest_of(writer, 10)[0] == "closed\n"


def test_noise_at_the_port_of_a_writer_harms_nobody(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    writer = write(alpha, together, 300)
    port = next(
        line.split()[3].rpartition(":")[2] for line in alpha.run(["ss", "-Hltn"]).splitlines() if "0.0.0.0:" in line
    )
    noise = gamma.python(
        """
        import os, random, socket, sys
        random.seed(7)
        held = []
        print("begins", flush=True)
        while True:
            try:
                connection = socket.create_connection(("alpha", int(sys.argv[1])))
            except ConnectionRefusedError:
                break  # the stream has ended
            held.append(connection)
            try:
                if random.random() < 0.5:
                    connection.send(random.randbytes(random.randrange(2000)))
            except ConnectionError:
                pass
            if len(held) > 200:
                held.pop(random.randrange(len(held))).close()
        print("ends", flush=True)
        """,
        port,
    )
    assert line_of(noise) == "begins"
    assert steps_of(read(beta, together)) == list(range(300))
    assert rest_of(writer, 10)[0] == "closed\n"
    assert line_of(noise) == "ends"


def test_many_readers_with_few_descriptors(hosts: list[Host], together: dict[str, str]) -> None:
    alpha, beta, gamma = hosts
    count = 200 if thoroughness.IS_LONG else 24
    writer = write(alpha, together, 5, f"{{'readers': {count}, 'timeout': 120}}")
    few = "import resource; resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))"
    readers = [
        read((beta, gamma)[number % 2], together, f"{{'program': 'reader{number}'}}", before=few)
        for number in range(count)
    ]
    for reader in readers:
        assert steps_of(reader, 120) == list(range(5))
    assert rest_of(writer, 20)[0] == "closed\n"
