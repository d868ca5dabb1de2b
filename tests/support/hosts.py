"""Hosts that are really apart, on one machine: for tests and benchmarks of what goes over a network.

A host is a set of Linux namespaces: network, ipc, uts, pid and mount. So it has its own addresses, host name, boot id,
processes, shared memory, /tmp and /run (with a run directory of Staithe); else it sees the machine's file system.

    from hosts import network, skip_reason

    pytestmark = pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))

    def test_a_cable_is_pulled(tmp_path: Path) -> None:
        with network("alpha", "beta", shared=tmp_path) as (alpha, beta):  # all see the folder: a cluster's file system
            together = {"STAITHE_RUN_DIR": str(tmp_path)}
            writer = alpha.python(WRITER, "melt", env=together)  # as subprocess.Popen, with pipes for text
            reader = beta.python(READER, "melt", env=together, cores=[1])
            alpha.cut()  # then alpha.restore(); alpha.unplug() is for good
            assert "alpha" in reader.communicate(timeout=20)[1]

Hosts reach each other by name, over IPv4 and IPv6. `network("a", "b", delay=0.001, loss=0.01)` makes the way long and
lossy, `a.limit(1e9)` slow, `a.set_mtu(1280)` narrow; `a.add_interface("tun0", "10.8.0.1/24")` leads peers astray; after
`a.shift_clock(3600)`, programs that start there live an hour ahead. `a.root` is the host's file system, seen from here.
A program's `pid` is that of the machine, so that signals reach it; `pid_inside` is what the host calls it.

Nothing is left behind, however the program that made a network ends: everything lies in the namespaces (the cables, the
switch, temporary files), which end with their processes, and their first process ends with the pipe to its maker.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import flows
from compiled import COMPILER, clock_shim, compiled

Program = subprocess.Popen[str]

CHECKOUT = Path(__file__).resolve().parents[2]
_HIDDEN = [Path(folder) for folder in ("/tmp", "/var/tmp", "/dev/shm", "/run")]  # the host has its own (host.sh)
_OWN = ["--net", "--ipc", "--uts", "--pid", "--mount", "--mount-proc"]
_IN_NEW_NAMESPACES = ["unshare", *_OWN, "--fork", "--kill-child"]
_CLONE_NEWPID = 0x20000000
_libc = ctypes.CDLL(None, use_errno=True)


@functools.cache
def skip_reason() -> str | None:
    """Why there can be no hosts here; None: there can."""
    if os.geteuid() != 0:
        return "hosts are namespaces, which takes root"
    if missing := [
        name for name in ("ethtool", "ip", "tc", "nsenter", "unshare", "mount") if shutil.which(name) is None
    ]:
        return f"hosts take {', '.join(missing)} (ethtool, iproute2, util-linux)"
    if COMPILER is None:
        return "hosts take a C compiler, for the switch and the clock between them"
    trial = "mount -t tmpfs own /mnt && ip link add name a type veth peer name b && ip link add name c type bridge"
    tried = subprocess.run([*_IN_NEW_NAMESPACES, "sh", "-ec", trial], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else f"this machine makes no hosts: {tried.stderr.strip()}"


@contextlib.contextmanager
def network(
    *names: str, delay: float = 0.0, loss: float = 0.0, flow_rate: float | None = None, shared: Path | None = None
) -> Iterator[list[Host]]:
    """Hosts of these names, joined by a switch; they and all in them end with the block.

    `delay` is the time of each way, in seconds, `loss` the share of packets that is lost on it: where there is any, the
    switch is a program, for which a core is good for some 10 Gbit/s, with loss 2. `flow_rate` caps each connection, in
    bit/s, headers included. The folder `shared` is the same for all, at the path that it has here.
    """
    lines = "\n".join(
        ["127.0.0.1 localhost", "::1 localhost ip6-localhost"]
        + [f"{address} {name}" for at, name in enumerate(names, 1) for address in (_address(at), _address6(at))]
    )
    with contextlib.ExitStack() as ending:
        folders = [CHECKOUT, Path(sys.prefix), Path(sys.base_prefix), *([] if shared is None else [shared])]
        covered = sorted(path for path in {folder.resolve() for folder in folders} if _is_hidden(path))
        wire = _Namespaces("wire", lines, covered)
        ending.callback(wire.end)
        hosts = []
        for number, name in enumerate(names, 1):
            hosts.append(Host(name, number, wire, lines, covered))
            ending.callback(hosts[-1].end)
        for namespaces in (wire, *hosts):
            namespaces.wait_until_ready()
        for host in hosts:
            host.connect(cut_to_frames=loss > 0)
            if flow_rate is not None:
                host.limit_flows(flow_rate, len(hosts))
        if delay > 0 or loss > 0:
            wire.ip(*(f"link set {host.port} up" for host in hosts))
            figures = [str(round(delay * 1e6)), str(round(loss * 1e6))]
            switch = wire.popen([str(compiled("switch.c")), *figures, *(host.port for host in hosts)])
            if (said := line_of(switch)) != "ready":
                raise RuntimeError(f"the switch did not start: {said}")
        else:
            bridge = ["link add name bridge type bridge mcast_snooping 0", "link set bridge up"]
            wire.ip(*bridge, *(f"link set {host.port} master bridge up" for host in hosts))
            switch = None
        yield hosts
        if switch is not None and switch.poll() is not None:
            raise RuntimeError(f"the switch ended: {switch.communicate()[1]}")


def pid_inside(program: Program) -> int:
    """The pid that a program has on its host."""
    status = Path(f"/proc/{program.pid}/status").read_text()
    return int(status.partition("\nNSpid:")[2].splitlines()[0].split()[-1])


def line_of(program: Program) -> str:
    """What a program says next; if it ends, how."""
    assert program.stdout is not None
    line = program.stdout.readline()
    return line.rstrip("\n") if line else str(program.communicate(timeout=20))


def result_of(program: Program, timeout: float = 60) -> str:
    """What a program said since, without the last end of line; it must succeed."""
    output, errors = program.communicate(timeout=timeout)
    if program.returncode != 0:
        failed = subprocess.CalledProcessError(program.returncode, program.args, output, errors)
        failed.add_note(errors)
        raise failed
    return output.rstrip("\n")


class _Namespaces:
    """Namespaces of their own, and the programs in them."""

    def __init__(self, name: str, lines: str, covered: Sequence[Path]) -> None:
        self.name = name
        self._programs: list[Program] = []
        self._ended = False
        setup = ["sh", str(Path(__file__).with_name("host.sh")), name, lines, *map(str, covered)]
        pipe = subprocess.PIPE
        self._first = subprocess.Popen(
            [*_IN_NEW_NAMESPACES, *setup], stdin=pipe, stdout=pipe, stderr=pipe, text=True, start_new_session=True
        )

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def wait_until_ready(self) -> None:
        """The namespaces are there, with their file systems."""
        assert self._first.stdout is not None
        if self._first.stdout.readline() != "ready\n":
            raise RuntimeError(f"{self.name} did not start: {self._first.communicate()[1]}")

    @property
    def root(self) -> Path:
        """The file system in there, seen from outside."""
        return Path(f"/proc/{self._first.pid}/root")

    def namespace(self, kind: str) -> str:
        """The path of the namespace of a kind, as nsenter(1) and ip(8) take it."""
        return f"/proc/{self._first.pid}/ns/{kind}"

    def popen(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cores: Iterable[int] | None = None,
        **options: Any,
    ) -> Program:
        """Starts a program in there, in its /tmp. As subprocess.Popen, with text and pipes if nothing else is said;
        `env` is added to the environment that it inherits."""
        assert not self._ended, f"{self.name} is off"
        entering = ["nsenter", f"--target={self._first.pid}", "--net", "--ipc", "--uts", "--mount"]
        environment = [f"{name}={value}" for name, value in (self._environment() | dict(env or {})).items()]
        pinning = [] if cores is None else ["taskset", "--cpu-list", ",".join(map(str, cores))]
        pipe = subprocess.PIPE
        options = {"stdin": pipe, "stdout": pipe, "stderr": pipe, "text": True} | options
        with _children_in(self.namespace("pid_for_children")):
            # Each of these becomes the next, so the program is a child of this process, which signals and waits for it.
            program = subprocess.Popen([*entering, "env", "--chdir=/tmp", *environment, *pinning, *command], **options)
        self._programs.append(program)
        return program

    def run(self, command: Sequence[str], *, timeout: float = 60, **options: Any) -> str:
        """Runs a program in there; returns what it printed, as `result_of` does. Options as for `popen`."""
        return result_of(self.popen(command, **options), timeout)

    def ip(self, *commands: str) -> None:
        """Commands of ip(8), in there."""
        self._configure("ip", commands)

    def tc(self, *commands: str) -> None:
        """Commands of tc(8), in there."""
        self._configure("tc", commands)

    def _configure(self, program: str, commands: Sequence[str]) -> None:
        command = ["nsenter", f"--net={self.namespace('net')}", program, "-batch", "-"]
        done = subprocess.run(command, input="\n".join(commands), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{self.name}: {program} {'; '.join(commands)}: {done.stderr.strip()}")

    def _environment(self) -> dict[str, str]:
        return {}

    def kill(self) -> None:
        """Ends all processes in there, at once; they are gone when this returns."""
        if self._ended:
            return
        self._ended = True
        assert self._first.stdin is not None
        self._first.stdin.close()  # the first process ends, and the kernel kills the others
        for program in self._programs:
            program.kill()
            program.wait()  # before the first: that one is only gone when the others are
        try:
            self._first.wait(10)
        except subprocess.TimeoutExpired:
            self._first.kill()
            raise

    def end(self) -> None:
        """Ends all in there, and closes the pipes of its programs."""
        self.kill()
        for program in (*self._programs, self._first):
            with program:
                pass


class Host(_Namespaces):
    """A host: see the head of this file."""

    def __init__(self, name: str, number: int, wire: _Namespaces, lines: str, covered: Sequence[Path]) -> None:
        super().__init__(name, lines, covered)
        self.address = _address(number)
        self.address6 = _address6(number)
        self.port = f"port{number}"  # the other end of its cable, in the switch
        self._wire = wire
        self._has_clock = False

    def connect(self, *, cut_to_frames: bool) -> None:
        """Puts the cable into its port; with `cut_to_frames`, nothing larger than a packet goes over it."""
        wire = self._wire.namespace("net").split("/")[2]
        self.ip(
            "link set lo up",
            # 100, so that all interfaces that are added are listed before it.
            f"link add name eth0 index 100 type veth peer name {self.port} netns {wire}",
            f"address add {self.address}/24 dev eth0",
            f"address add {self.address6}/64 dev eth0 nodad",
            "link set eth0 up",
        )
        if cut_to_frames:
            self.run(["ethtool", "--offload", "eth0", "tso", "off"])

    def _environment(self) -> dict[str, str]:
        clock = {"LD_PRELOAD": str(clock_shim()), "CLOCK_SHIM": "/run/clock"} if self._has_clock else {}
        return {"STAITHE_RUN_DIR": "/run/staithe"} | clock

    def python(self, text: str, *arguments: str, **options: Any) -> Program:
        """Starts a Python program, given as text, with this Python and its Staithe. Options as for `popen`."""
        return self.popen([sys.executable, "-W", "error", "-c", textwrap.dedent(text), *arguments], **options)

    def cut(self) -> None:
        """Pulls the cable: packets are lost, and nobody is told but the host's own kernel."""
        self._wire.ip(f"link set {self.port} down")

    def restore(self) -> None:
        """Plugs the cable in again."""
        self._wire.ip(f"link set {self.port} up")

    def unplug(self) -> None:
        """Takes the power away: peers hear no more of it, not even the end of a connection, and its processes die."""
        self.cut()
        self.kill()

    @property
    def received(self) -> int:
        """The bytes that came over its cable so far."""
        return int((self.root / "sys/class/net/eth0/statistics/rx_bytes").read_text())

    def set_mtu(self, mtu: int) -> None:
        """The largest packet that its cable carries, in bytes."""
        self.ip(f"link set eth0 mtu {mtu}")
        self._wire.ip(f"link set {self.port} mtu {mtu}")

    def limit(self, rate: float) -> None:
        """Makes its cable slow, each way: so many bit/s, headers included, with a queue of 20 ms in front."""
        shape = f"tbf rate {rate:.0f}bit burst 256kb latency 20ms"
        self.tc(f"qdisc replace dev eth0 root {shape}")
        self._wire.tc(f"qdisc replace dev {self.port} root {shape}")

    def limit_flows(self, rate: float, hosts: int) -> None:
        """Makes each connection slow by which it sends: so many bit/s."""
        number = int(self.port.removeprefix("port"))
        ports = flows.ports_of(number)
        self.run(["sh", "-c", f"echo {ports[0]} {ports[-1]} >/proc/sys/net/ipv4/ip_local_port_range"])
        self.tc(*flows.limits(rate, hosts))

    def swallow(self, port: int) -> None:
        """Loses what goes from the host by that port of its own, and tells nobody: from now on, of IPv4."""
        self.tc(
            "qdisc replace dev eth0 root handle 1: htb",  # what finds no queue passes
            "class add dev eth0 parent 1: classid 1:1 htb rate 1gbit",
            "qdisc add dev eth0 parent 1:1 pfifo limit 0",
            f"filter add dev eth0 parent 1: protocol ip u32 match ip sport {port} 0xffff classid 1:1",
        )

    def add_interface(self, name: str, address: str) -> None:
        """Adds an interface behind which there is nobody, listed before the one that works: a dead tunnel if the name
        begins with "tun", else a bridge like Docker's. The address is one with the length of its network."""
        kind = "tuntap add name {} mode tun" if name.startswith("tun") else "link add name {} type bridge"
        self.ip(kind.format(name), f"address add {address} dev {name}", f"link set {name} up")

    def lose_name_server(self) -> None:
        """Names that are no host's are looked up where nobody answers. Else it is known at once that there are none."""
        self.add_interface("tun-dns", "10.9.0.1/24")
        (self.root / "run" / "resolv.conf").write_text("nameserver 10.9.0.53\n")

    def shift_clock(self, seconds: int) -> None:
        """Moves the wall clock, of programs that start after the first call: by so much from the machine's."""
        self._has_clock = True
        shift = self.root / "run" / "clock"
        shift.with_suffix(".new").write_text(str(seconds))
        shift.with_suffix(".new").rename(shift)


def _is_hidden(path: Path) -> bool:
    """Whether hosts have something of their own in its place."""
    return any(path.is_relative_to(folder) for folder in _HIDDEN)


def _address(number: int) -> str:
    return f"10.77.0.{number}"


def _address6(number: int) -> str:
    return f"fd77::{number:x}"


@contextlib.contextmanager
def _children_in(namespace: str) -> Iterator[None]:
    """What this thread starts meanwhile is in that pid namespace."""
    with open(namespace) as there, open("/proc/thread-self/ns/pid") as here:  # noqa: PTH123
        _set_namespace(there.fileno())
        try:
            yield
        finally:
            _set_namespace(here.fileno())


def _set_namespace(descriptor: int) -> None:
    if _libc.setns(descriptor, _CLONE_NEWPID) != 0:
        raise OSError(ctypes.get_errno(), "setns")
