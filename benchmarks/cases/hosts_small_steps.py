"""Steps of 1 KiB from one host to another, as many a second as will go, with a queue of 64."""

from ..harness.results import Target
from ..harness.trial import Trial
from .hosts_throughput import NETWORK
from .small_steps import SmallSteps


class HostsSmallSteps(SmallSteps):
    name = "hosts_small_steps"
    title = "Between hosts, small steps: 1 KiB, queue of 64"
    note = "socket_pair: a call of the kernel for each step."
    network = NETWORK
    python_steps = dict.fromkeys(("socket_pair", "staithe", "mpi", "zeromq"), 60_000) | {"sst": 5000}

    def trials(self, quick: bool) -> list[Trial]:
        return self.python_trials()

    def targets(self, row: str) -> tuple[Target, ...]:
        return Target(50_000), Target(3.0, "mpi")


CASE = HostsSmallSteps()
