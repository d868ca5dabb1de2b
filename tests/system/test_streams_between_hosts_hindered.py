"""Bad company and bad ways between the hosts of a stream: slow, narrow, noisy, without the key, many."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path

import pytest
from between_hosts import assert_in_order, read, rest_of, steps_of, write
from hosts import Host, line_of, skip_reason

import thoroughness

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))


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
        for step in staithe.reader("melt", program=sys.argv[1], overflow=sys.argv[2], timeout=60, codec="none"):
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
        step = next(staithe.reader("melt", timeout=0.8, codec="none"))
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
        steps = staithe.reader("melt", program=sys.argv[1], overflow=sys.argv[2], timeout=60, codec="none")
        next(steps)  # for which it waits until the other one has joined
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
            assert_in_order(output)
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


def test_another_key_opens_nothing(hosts: list[Host], together: dict[str, str], shared_directory: Path) -> None:
    alpha, beta, _ = hosts
    writer = write(alpha, together, 3)
    key = shared_directory / "another"
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
            except ConnectionError:
                break  # the stream has ended, maybe with connections that nobody had taken yet
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
