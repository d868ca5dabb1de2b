"""What is between the hosts of tests (tests/support/hosts.py): as bad as it is told to be."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import flows
import pytest
from hosts import Host, line_of, network, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

MB = 1_000_000
PAYLOAD = 1448 / 1514  # of what goes over a cable by TCP

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


def best_rate(source: Host, sink: Host, enough: float) -> float:
    """The highest of a few tries, since others may need the cores, too."""
    best = 0.0
    for _ in range(5):
        best = max(best, *rate(source, sink, 40 * MB))
        if best >= enough:
            break
    return best


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


@pytest.mark.parametrize(("family", "delay"), [("address", 0.0), ("address6", 0.0001)])
def test_a_cable_is_pulled_and_plugged_in_again_while_bytes_are_on_their_way(family: str, delay: float) -> None:
    with network("alpha", "beta", delay=delay) as (alpha, beta):
        alpha.limit(1e9)
        size = 60 * MB
        sink = beta.python(SINK, "7000", str(size), str(size // 6), str(size // 2))
        assert line_of(sink) == "ready"
        source = alpha.python(SOURCE, getattr(beta, family), "7000", str(size))
        assert line_of(sink) == str(size // 6)
        beta.cut()
        time.sleep(0.5)  # in which all would have come
        assert sink.poll() is source.poll() is None
        beta.restore()
        assert line_of(sink) == str(size // 2)
        assert result_of(sink).split()[1] == result_of(source)


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
        assert best_rate(alpha, beta, 1.5e9) > 1.5e9
        alpha.limit(1e9)
        for source, sink in ((alpha, beta), (beta, alpha)):
            assert best_rate(source, sink, 0.9 * PAYLOAD * 1e9) == pytest.approx(PAYLOAD * 1e9, rel=0.1)


def assert_each_is_capped(rates: Callable[[], list[float]], cap: float) -> None:
    """No connection is ever faster, and in one of a few tries none is much slower: others may need the cores, too."""
    slowest = 0.0
    for _ in range(5):
        measured = rates()
        assert max(measured) < 1.1 * cap
        slowest = max(slowest, min(measured))
        if slowest > 0.9 * cap:
            return
    pytest.fail(f"the slowest of three connections has {slowest:.3g} bit/s at most, of {cap:.3g}")


def test_connections_are_capped_one_by_one() -> None:
    with network("alpha", "beta", flow_rate=2e8) as (alpha, beta):
        for to in (beta.address, beta.address6):
            assert_each_is_capped(partial(rate, alpha, beta, 10 * MB, connections=3, to=to), PAYLOAD * 2e8)


def test_connections_to_a_port_that_the_kernel_chose_are_capped_one_by_one() -> None:
    giving = """
        import socket, threading
        with socket.create_server(("0.0.0.0", 0)) as listening:
            print(listening.getsockname()[1], flush=True)
            connections = [listening.accept()[0] for _ in range(3)]
        threads = [threading.Thread(target=each.sendall, args=(bytes(5_000_000),)) for each in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    """
    taking = """
        import socket, sys, time
        port, first = map(int, sys.argv[1:])
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # of the try before
            connection.bind(("", first))
            connection.connect(("alpha", port))
            buffer, taken, began = bytearray(1 << 18), 0, time.monotonic()
            while length := connection.recv_into(buffer):
                taken += length
        print(8 * taken / (time.monotonic() - began))
    """

    with network("alpha", "beta", flow_rate=2e8) as (alpha, beta):

        def rates() -> list[float]:
            giver = alpha.python(giving)
            port, ports = line_of(giver), flows.ports_of(2)[:48:16]
            takers = [beta.python(taking, port, str(each)) for each in ports]
            return [float(result_of(each)) for each in takers]

        assert_each_is_capped(rates, PAYLOAD * 2e8)


def test_a_long_way_takes_its_time() -> None:
    with network("alpha", "beta") as (alpha, beta):
        assert round_trip(alpha, beta) < 0.001
    with network("alpha", "beta", delay=0.001) as (alpha, beta):
        assert 0.002 <= round_trip(alpha, beta) < 0.003
        assert best_rate(alpha, beta, 1.5e9) > 1.5e9
        alpha.limit(1e9)
        assert best_rate(alpha, beta, 0.9 * PAYLOAD * 1e9) == pytest.approx(PAYLOAD * 1e9, rel=0.1)


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
        import contextlib, socket, time
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sending:
            sending.connect(("beta", 7000))
            for number in range(20_000):
                sending.send(b"x")
                if number % 200 == 0:
                    time.sleep(0.001)  # what waits in the kernel between has room for so many
            time.sleep(0.2)
            with contextlib.suppress(ConnectionRefusedError):  # who has got one of them has gone
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
