"""iperf3: what the network carries over TCP, with no steps.

Connections take the hosts of writers and of readers in turn. Its processor time is what it says, which is that of its
whole process, the kernel's for it included: within some percent of what the kernel says.
Each connection is a process pair of its own: the threads that newer versions have for them share a core here anyway.
"""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from typing import Any

from ..harness.trial import Trial
from .base import Contender

SECONDS = 2.0
FIRST_PORT = 5201


class Iperf3(Contender):
    """The measuring tool. Settings: how many `connections`, and whose `congestion` control."""

    name = "iperf3"
    runs_itself = True

    def missing(self) -> str | None:
        return None if shutil.which("iperf3") else "iperf3 is not installed"

    def version(self) -> str:
        if self.missing():
            return ""
        said = subprocess.run(["iperf3", "--version"], capture_output=True, text=True, check=True).stdout
        return said.split()[1]

    def run(self, trial: Trial, hosts: Mapping[str, Any], cores: Sequence[int]) -> Mapping[str, Any]:
        ways = [
            (hosts[trial.host_of("writer", number)], hosts[trial.host_of("reader", number)], FIRST_PORT + number)
            for number in range(int(trial.settings.get("connections", 1)))
        ]
        congestion = trial.settings.get("congestion")
        servers = [
            receiver.popen(["iperf3", "--server", "--one-off", "--json", f"--port={port}"], cores=[cores[1]])
            for _, receiver, port in ways
        ]
        wait = "until grep -q ':{:04X} .* 0A ' /proc/net/tcp /proc/net/tcp6; do sleep 0.01; done"
        for _, receiver, port in ways:
            receiver.run(["sh", "-c", wait.format(port)], timeout=10)
        options = ["--json", f"--time={SECONDS:g}", "--omit=1"]
        options += [f"--congestion={congestion}"] if congestion else []
        clients = [
            sender.popen(["iperf3", "--client", receiver.name, *options, f"--port={port}"], cores=[cores[0]])
            for sender, receiver, port in ways
        ]
        ended = [_end(client.communicate(timeout=30)[0]) for client in clients]
        for server in servers:
            server.communicate(timeout=10)
        rate = sum(end["sum_received"]["bits_per_second"] for end in ended) / 8
        busy = {
            side: sum(end["cpu_utilization_percent"][f"{place}_total"] for end in ended) / 100
            for side, place in (("writer", "host"), ("reader", "remote"))
        }
        return {"bytes_per_second": rate} | {f"{side}_seconds_per_byte": busy[side] / rate for side in busy}


def _end(report: str) -> Mapping[str, Any]:
    """What a client says at last; raises RuntimeError if it failed."""
    said: Mapping[str, Any] = json.loads(report)
    if "error" in said:
        raise RuntimeError(said["error"])
    end: Mapping[str, Any] = said["end"]
    return end


CONTENDER = Iperf3()
