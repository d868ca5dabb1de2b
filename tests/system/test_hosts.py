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
from hosts import CHECKOUT, Host, line_of, network, pid_inside, result_of, skip_reason

pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))


@pytest.fixture(scope="module")
def three() -> Iterator[list[Host]]:
    """Hosts on which nothing is changed."""
    with network("alpha", "beta", "gamma") as hosts:
        yield hosts


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
    assert alpha.run(["cat", f"/proc/{pid_inside(sleeping)}/comm"]) == "sleep"
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
        assert beta.run(["cat", f"{tmp_path}/word"]) == (tmp_path / "word").read_text().strip() == "hello"


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


def test_a_look_up_of_names_hangs_where_it_is_to() -> None:
    text = """
        import socket
        print("ready", flush=True)
        try:
            socket.getaddrinfo("nobody.invalid", 7000)
        except socket.gaierror:
            print("unknown", flush=True)
    """
    with network("alpha", "beta") as (alpha, _):
        assert result_of(alpha.python(text)) == "ready\nunknown"
        alpha.lose_name_server()
        hanging = alpha.python(text)
        assert line_of(hanging) == "ready"
        with pytest.raises(subprocess.TimeoutExpired):
            hanging.wait(1)
        assert "beta" in alpha.run(["getent", "hosts", "beta"])


@pytest.mark.parametrize("lacking", ["root", "ip"])
def test_where_hosts_cannot_be_it_is_said_why(lacking: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert skip_reason() is None
    if lacking == "root":
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
    else:
        monkeypatch.setenv("PATH", str(tmp_path))
    assert lacking in str(skip_reason.__wrapped__())


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
