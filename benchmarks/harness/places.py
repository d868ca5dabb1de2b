"""Where the processes of a trial run: on this machine, or on hosts made of namespaces (tests/support/hosts.py)."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from .trial import Trial

REPOSITORY = Path(__file__).resolve().parents[2]

# As ssh is called by mpiexec: options, the host, and a command for a shell there.
ENTER_HOST = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
case $1 in
{hosts}
esac
shift
exec nsenter --target=$first --net --ipc --uts --mount --pid=/proc/$first/ns/pid_for_children \\
    sh -c "cd {directory} && exec $*"
"""


def hosts_skip_reason() -> str | None:
    """Why there can be no hosts here; None: there can."""
    reason: str | None = _hosts_module().skip_reason()
    return reason


class Place:
    """This machine, or the hosts of a trial's network."""

    def __init__(self, directory: Path, hosts: Sequence[Any] = ()) -> None:
        self.hosts = {host.name: host for host in hosts}
        self._directory = directory

    def start(self, command: Sequence[str], host: str, **options: Any) -> subprocess.Popen[Any]:
        """Starts a process; no host is where mpiexec runs, in the network of the first one."""
        if not self.hosts:
            return subprocess.Popen(command, cwd=self._directory, **options)
        if not host:
            network = next(iter(self.hosts.values())).namespace("net")
            return subprocess.Popen(["nsenter", f"--net={network}", *command], cwd=self._directory, **options)
        started: subprocess.Popen[Any] = self.hosts[host].popen(
            ["env", f"--chdir={self._directory}", *command], **options
        )
        return started

    def mpi_options(self, ranks: Sequence[str]) -> list[str]:
        """Of mpiexec, so that the ranks, given by the names of their hosts, start there."""
        if not self.hosts:
            return []
        cases = "\n".join(
            f"{host.address}) first={host.namespace('net').split('/')[2]} ;;" for host in self.hosts.values()
        )
        script = self._directory / "enter-host"
        script.write_text(ENTER_HOST.format(hosts=cases, directory=self._directory))
        script.chmod(0o700)
        counts = dict.fromkeys(ranks, 0)
        for name in ranks:
            counts[name] += 1
        hosts = ",".join(f"{self.hosts[name].address}:{count}" for name, count in counts.items())
        launching = ["-launcher", "ssh", "-launcher-exec", str(script), "-iface", "eth0", "-hosts", hosts]
        # Its other way, UCX, finds no device here.
        ways = {"MPIR_CVAR_CH4_NETMOD": "ofi", "FI_PROVIDER": "tcp", "FI_TCP_IFACE": "eth0"}
        return launching + [word for name, value in ways.items() for word in ("-genv", name, value)]


@contextmanager
def place_of(trial: Trial, directory: Path) -> Iterator[Place]:
    """For as long as the trial takes."""
    if not trial.network:
        yield Place(directory)
        return
    network = dict(trial.network)
    names = tuple(dict.fromkeys((*network.pop("writers"), *network.pop("readers"))))
    rate = network.pop("rate", None)
    with _hosts_module().network(*names, shared=directory, **network) as hosts:
        for host in hosts if rate is not None else ():
            host.limit(rate)
        yield Place(directory, hosts)


def _hosts_module() -> Any:
    support = str(REPOSITORY / "tests" / "support")
    if support not in sys.path:
        sys.path.insert(0, support)
    return import_module("hosts")
