"""The hosts that other tests and benchmarks stand on (tests/support/hosts.py): as far apart as they say."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosts import CHECKOUT, Host, Program, network, pid_inside, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

MB = 1_000_000
PAYLOAD = 1448 / 1514  # of what goes over a cable by TCP


@pytest.fixture(scope="module")
def three() -> Iterator[list[Host]]:
    """Hosts on which nothing is changed."""
    with network("alpha", "beta", "gamma") as hosts:
        yield hosts


def line_of(program: Program) -> str:
    """What a program says next."""
    assert program.stdout is not None
    return program.stdout.readline().rstrip("\n") or str(program.communicate(timeout=20))


def result_of(program: Program) -> str:
    """What a program that succeeds said since."""
    output, errors = program.communicate(timeout=30)
    assert program.returncode == 0, errors
    return output.rstrip("\n")


# Takes bytes from one connection. Says "ready"; each mark, when so many are there; in the end the rate of all but the
# first tenth, in bit/s, and a checksum.
SINK = """
    import socket, sys, time, zlib
    port, size, *marks = map(int, sys.argv[1:])
    with socket.create_server(("::", port), family=socket.AF_INET6, dualstack_ipv6=True) as listening:
        print("ready", flush=True)
        connection, _ = listening.accept()
    with connection:
        buffer, taken, checksum, began, skipped = bytearray(1 << 18), 0, 0, None, 0
        while length := connection.recv_into(buffer):
            checksum = zlib.crc32(memoryview(buffer)[:length], checksum)
            taken += length
            if began is None and taken > size // 10:
                began, skipped = time.monotonic(), taken
            while marks and taken >= marks[0]:
                print(marks.pop(0), flush=True)
    print(8 * (taken - skipped) / (time.monotonic() - began), checksum)
"""
SOURCE = """
    import random, socket, sys, zlib
    host, port, size = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    block, checksum = random.Random(7).randbytes(1 << 16), 0
    with socket.create_connection((host, port)) as connection:
        for at in range(0, size, len(block)):
            part = block[: size - at]
            connection.sendall(part)
            checksum = zlib.crc32(part, checksum)
    print(checksum)
"""


def rate(source: Host, sink: Host, size: int, *, connections: int = 1, to: str | None = None) -> list[float]:
    """Of each of some connections at once, in bit/s."""
    sinks = [sink.python(SINK, str(7000 + number), str(size)) for number in range(connections)]
    assert {line_of(program) for program in sinks} == {"ready"}
    sources = [source.python(SOURCE, to or sink.name, str(7000 + number), str(size)) for number in range(connections)]
    rates = []
    for sending, taking in zip(sources, sinks, strict=True):
        measured, checksum = result_of(taking).split()
        assert result_of(sending) == checksum
        rates.append(float(measured))
    return rates


# Sends datagrams back.
ECHO = """
    import socket
    with socket.create_server(("::", 7000), family=socket.AF_INET6, dualstack_ipv6=True):
        print("ready", flush=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as echo:
        echo.bind(("", 7000))
        print("ready", flush=True)
        while True:
            echo.sendto(*echo.recvfrom(2000))
"""
# The shortest of some round trips, in seconds.
ROUND_TRIP = """
    import socket, sys, time
    shortest = 1e9
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect((sys.argv[1], 7000))
        asking.settimeout(10)
        for _ in range(50):
            began = time.monotonic()
            asking.send(b"?")
            asking.recv(10)
            shortest = min(shortest, time.monotonic() - began)
    print(shortest)
"""


def round_trip(source: Host, sink: Host) -> float:
    """The shortest of some, in seconds."""
    echo = sink.python(ECHO)
    assert line_of(echo) == "ready"
    shortest = float(result_of(source.python(ROUND_TRIP, sink.name)))
    echo.kill()
    return shortest


@pytest.mark.parametrize("family", ["AF_INET", "AF_INET6"])
def test_hosts_reach_each_other_by_name(three: list[Host], family: str) -> None:
    asking = f"""
        import socket, sys
        *_, address = socket.getaddrinfo(sys.argv[1], 7000, socket.{family}, socket.SOCK_STREAM)[0]
        with socket.create_connection(address[:2], timeout=20) as connection:
            print(address[0], connection.recv(100).decode())
    """
    answering = """
        import socket
        with socket.create_server(("::", 7000), family=socket.AF_INET6, dualstack_ipv6=True) as listening:
            print("ready", flush=True)
            for _ in range(2):
                with listening.accept()[0] as connection:
                    connection.send(socket.gethostname().encode())
    """
    for asked in three:
        server = asked.python(answering)
        assert line_of(server) == "ready"
        address = asked.address if family == "AF_INET" else asked.address6
        others = [host for host in three if host is not asked]
        assert [result_of(host.python(asking, asked.name)) for host in others] == [f"{address} {asked.name}"] * 2
        assert result_of(server) == ""


def test_hosts_share_neither_processes_nor_memory_nor_temporary_files(three: list[Host]) -> None:
    alpha, beta, _ = three
    alpha.run(["sh", "-c", "touch /tmp/mine /dev/shm/mine /run/staithe/mine && ipcmk --shmem 4096"])
    sleeping = alpha.popen(["sleep", "1234"])
    for host, sees in ((alpha, True), (beta, False)):
        assert ("mine" in host.run(["ls", "/tmp", "/dev/shm", "/run/staithe"])) is sees
        assert ("0x" in host.run(["ipcs", "--shmems"])) is sees
        assert ("sleep\0001234" in host.run(["sh", "-c", "cat /proc/[0-9]*/cmdline"])) is sees
    assert alpha.run(["cat", f"/proc/{pid_inside(sleeping)}/comm"]) == "sleep\n"
    for identity in ("/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/hostname"):
        assert len({Path(identity).read_text(), *(host.run(["cat", identity]) for host in three)}) == 4
    assert not Path("/run/staithe/mine").exists()
    assert (alpha.root / "run/staithe/mine").exists()


def test_programs_on_a_host_are_signalled_and_waited_for_like_others(three: list[Host]) -> None:
    program = three[0].popen(["sh", "-c", "trap 'echo heard; exit 7' INT; echo ready; while :; do sleep 0.01; done"])
    assert line_of(program) == "ready"
    program.send_signal(signal.SIGINT)
    assert program.communicate(timeout=20) == ("heard\n", "")
    assert program.returncode == 7
    with pytest.raises(subprocess.CalledProcessError, match="status 3"):
        three[0].run(["sh", "-c", "exit 3"])


def test_programs_get_cores_variables_and_the_staithe_of_this_checkout(three: list[Host]) -> None:
    core = min(os.sched_getaffinity(0))
    text = "import os, staithe; print(*os.sched_getaffinity(0), os.environ['STAITHE_RUN_DIR'], staithe.__file__)"
    there = f"{Path(sys.prefix).resolve()}/"
    said = result_of(three[0].python(text, cores=[core])).split()
    assert said[:2] == [str(core), "/run/staithe"] and said[2].startswith((there, str(CHECKOUT)))
    assert result_of(three[0].python(text, env={"STAITHE_RUN_DIR": "/tmp"})).split()[-2] == "/tmp"


def test_hosts_share_the_folder_that_they_are_told_to(tmp_path: Path) -> None:
    with network("alpha", "beta", shared=tmp_path) as (alpha, beta):
        alpha.run(["sh", "-c", f"echo hello >{tmp_path}/word"])
        assert beta.run(["cat", f"{tmp_path}/word"]) == (tmp_path / "word").read_text() == "hello\n"


def test_a_cable_is_pulled_and_plugged_in_again_while_bytes_are_on_their_way() -> None:
    with network("alpha", "beta") as (alpha, beta):
        alpha.limit(1e9)
        size = 60 * MB
        sink = beta.python(SINK, "7000", str(size), str(size // 6), str(size // 2))
        assert line_of(sink) == "ready"
        source = alpha.python(SOURCE, "beta", "7000", str(size))
        assert line_of(sink) == str(size // 6)
        beta.cut()
        time.sleep(0.5)  # in which all would have come
        assert sink.poll() is source.poll() is None
        beta.restore()
        assert line_of(sink) == str(size // 2)
        assert result_of(sink).split()[1] == result_of(source)


TALKING = """
    import socket, time
    with socket.create_server(("", 7000)) as listening:
        print("ready", flush=True)
        with listening.accept()[0] as connection:
            connection.send(b"hello")
            time.sleep(60)
"""
LISTENING = """
    import socket, sys
    with socket.create_connection(("alpha", 7000), timeout=10) as connection:
        print(connection.recv(5).decode(), flush=True)
        connection.settimeout(1)
        try:
            print("told" if connection.recv(5) == b"" else "sent")
        except ConnectionResetError:
            print("told")
        except TimeoutError:
            print("silence")
"""


@pytest.mark.parametrize(("end", "heard"), [("kill", "told"), ("unplug", "silence")])
def test_a_host_without_power_says_nothing_more(end: str, heard: str) -> None:
    with network("alpha", "beta") as (alpha, beta):
        talking = alpha.python(TALKING)
        assert line_of(talking) == "ready"
        listening = beta.python(LISTENING)
        assert line_of(listening) == "hello"
        if end == "kill":
            talking.kill()
        else:
            alpha.unplug()
            assert talking.returncode == -signal.SIGKILL
            with pytest.raises(AssertionError, match="alpha is off"):
                alpha.run(["true"])
        assert result_of(listening) == heard


def test_a_narrow_cable_carries_no_large_packets() -> None:
    # Of datagrams that may not be cut into pieces, those that arrive are echoed.
    asking = """
        import socket
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.connect(("beta", 7000))
            asking.setsockopt(socket.IPPROTO_IP, 10, 3)  # IP_MTU_DISCOVER: probe
            asking.settimeout(0.3)
            for size in (1200, 1252, 1260, 1400, 1):
                asking.send(bytes(size))
                try:
                    print(len(asking.recv(2000)))
                except TimeoutError:
                    print("lost")
    """
    with network("alpha", "beta") as (alpha, beta):
        beta.set_mtu(1280)
        echo = beta.python(ECHO)
        assert line_of(echo) == "ready"
        assert result_of(alpha.python(asking)).split() == ["1200", "1252", "lost", "lost", "1"]
        rate(alpha, beta, MB)
        rate(beta, alpha, MB)


def test_a_slow_cable_keeps_its_rate() -> None:
    with network("alpha", "beta") as (alpha, beta):
        assert rate(alpha, beta, 40 * MB)[0] > 1.5e9
        alpha.limit(1e9)
        for source, sink in ((alpha, beta), (beta, alpha)):
            assert rate(source, sink, 40 * MB)[0] == pytest.approx(PAYLOAD * 1e9, rel=0.1)


def test_connections_are_capped_one_by_one() -> None:
    with network("alpha", "beta", flow_rate=2e8) as (alpha, beta):
        for to in (beta.address, beta.address6):
            assert rate(alpha, beta, 10 * MB, connections=3, to=to) == pytest.approx([PAYLOAD * 2e8] * 3, rel=0.1)


def test_a_long_way_takes_its_time() -> None:
    with network("alpha", "beta") as (alpha, beta):
        assert round_trip(alpha, beta) < 0.001
    with network("alpha", "beta", delay=0.001) as (alpha, beta):
        assert 0.002 <= round_trip(alpha, beta) < 0.003
        assert rate(alpha, beta, 40 * MB)[0] > 1e9
        alpha.limit(1e9)
        assert rate(alpha, beta, 40 * MB)[0] == pytest.approx(PAYLOAD * 1e9, rel=0.1)


@pytest.mark.parametrize(("loss", "least", "most"), [(0, 0, 0), (0.01, 130, 270)])  # 5 standard deviations
def test_a_lossy_way_loses_its_share(loss: float, least: int, most: int) -> None:
    counting = """
        import socket
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as counting:
            counting.setsockopt(socket.SOL_SOCKET, 33, 1 << 25)  # SO_RCVBUFFORCE: none is lost here
            counting.bind(("", 7000))
            print("ready", flush=True)
            count = 0
            counting.settimeout(20)
            while counting.recv(10) != b"end":
                count += 1
            print(count)
    """
    sending = """
        import socket, time
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
            sending.connect(("beta", 7000))
            for number in range(20_000):
                sending.send(b"x")
                if number % 200 == 0:
                    time.sleep(0.001)  # what waits in the kernel between has room for so many
            time.sleep(0.2)
            for _ in range(10):
                sending.send(b"end")
    """
    with network("alpha", "beta", delay=0.0001, loss=loss) as (alpha, beta):
        counter = beta.python(counting)
        assert line_of(counter) == "ready"
        assert result_of(alpha.python(sending)) == ""
        assert least <= 20_000 - int(result_of(counter)) <= most


def test_interfaces_that_lead_nowhere_are_listed_first() -> None:
    with network("alpha", "beta") as (alpha, beta):
        for host in (alpha, beta):
            host.add_interface("docker0", "172.17.0.1/16")
            host.add_interface("tun0", "10.8.0.1/24")
            lines = host.run(["ip", "-4", "-oneline", "address"]).splitlines()
            assert [line.split()[1] for line in lines] == ["lo", "docker0", "tun0", "eth0"]
            assert host.run(["ls", "/sys/class/net"]).split() == ["docker0", "eth0", "lo", "tun0"]
        rate(alpha, beta, MB)


def test_a_hosts_clock_is_moved() -> None:
    text = """
        import sys, time
        for line in sys.stdin:
            print(round(time.time()), flush=True)
    """
    with network("alpha", "beta") as (alpha, beta):
        for host, shift in ((alpha, 0), (alpha, 3600), (beta, 0)):
            host.shift_clock(shift)
            assert abs(int(host.run(["date", "+%s"])) - time.time() - shift) < 60
        clock = alpha.python(text)
        for shift in (3600, -86400):
            alpha.shift_clock(shift)
            assert clock.stdin is not None
            clock.stdin.write("\n")
            clock.stdin.flush()
            assert abs(int(line_of(clock)) - time.time() - shift) < 60


MAKER = """
import sys
sys.path.append(sys.argv[1])
from hosts import network
with network("alpha", "beta", "gamma", delay=0.001) as hosts:
    for host in hosts:
        host.add_interface("docker0", "172.17.0.1/16")
        program = host.popen(["sh", "-c", "touch /tmp/mine; (setsid sleep 1234 &); echo started; sleep 1234; true"])
        program.stdout.readline()
    print("made", flush=True)
    sys.stdin.read()
"""


def namespaces_of(pid: int | str) -> set[str]:
    """None of a process that is gone."""
    with contextlib.suppress(OSError):
        return {str(link.readlink()) for link in Path(f"/proc/{pid}/ns").iterdir()}
    return set()


def descendants(pid: int) -> list[int]:
    """The processes that one started, those that these started, and so on."""
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [found for child in children for found in (child, *descendants(child))]


def outside() -> set[str]:
    """What can be seen of networks and mounts from outside of them."""
    links = subprocess.run(["ip", "-oneline", "link"], capture_output=True, text=True, check=True).stdout
    mounts = Path("/proc/self/mountinfo").read_text()
    return {*links.splitlines(), *mounts.splitlines(), *map(str, Path("/run").glob("netns/*"))}


@pytest.mark.parametrize("end", ["kill", "leave"])
def test_nothing_is_left_of_a_network(end: str, tmp_path: Path) -> None:
    before = outside()
    command = [sys.executable, "-c", MAKER, str(CHECKOUT / "tests/support")]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, text=True, env=os.environ | {"TMPDIR": str(tmp_path)}
    ) as maker:
        assert maker.stdout is not None and maker.stdin is not None
        assert maker.stdout.readline() == "made\n"
        started = descendants(maker.pid)
        assert (
            len(started) >= 4 * 2 + 1 + 3 * 2
        )  # two each that hold hosts and switch, the switch, programs and orphans
        theirs = set.union(*map(namespaces_of, started)) - namespaces_of(maker.pid)
        assert len(theirs) == 4 * 5  # net, ipc, uts, pid, mnt
        if end == "kill":
            maker.kill()
        else:
            maker.stdin.close()
        assert maker.wait(20) == (-signal.SIGKILL if end == "kill" else 0)
    deadline = time.monotonic() + 20
    while left := [pid for pid in Path("/proc").glob("[0-9]*") if namespaces_of(pid.name) & theirs]:
        assert time.monotonic() < deadline, left
        time.sleep(0.01)
    assert outside() <= before
    assert list(tmp_path.iterdir()) == []
