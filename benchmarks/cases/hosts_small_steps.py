"""Steps of 1 KiB from one host to another, as many a second as will go, with a queue of 64."""

from collections.abc import Mapping

from ..harness.results import Target
from ..harness.trial import Trial
from .hosts_throughput import NETWORK
from .small_steps import SmallSteps

POINT = "Python, 1 KiB"


class HostsSmallSteps(SmallSteps):
    name = "hosts_small_steps"
    title = "Between hosts, small steps: 1 KiB, queue of 64"
    note = "socket_pair: a call of the kernel for each step."
    queue = 64
    steps: Mapping[str, int] = dict.fromkeys(("socket_pair", "staithe", "mpi", "zeromq"), 60_000) | {"sst": 5000}

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=POINT,
                settings={"items": 128, "queue": self.queue, "warmup": steps // 10, "steps": steps},
                network=NETWORK,
            )
            for contender, steps in self.steps.items()
        ]

    def targets(self, row: str) -> tuple[Target, ...]:
        return Target(50_000), Target(3.0, "mpi")


CASE = HostsSmallSteps()
