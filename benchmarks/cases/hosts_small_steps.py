"""Steps of 1 KiB from one host to another, as many a second as will go, with a queue of 64."""

from ..harness.results import Target
from ..harness.trial import Trial
from .hosts_throughput import NETWORK
from .small_steps import SmallSteps

STEPS = {"socket_pair": 60_000, "staithe": 60_000, "mpi": 60_000, "zeromq": 60_000, "sst": 5000}
POINT = "Python, 1 KiB"


class HostsSmallSteps(SmallSteps):
    name = "hosts_small_steps"
    title = "Between hosts, small steps: 1 KiB, queue of 64"
    note = "socket_pair: a call of the kernel for each step."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=POINT,
                settings={"items": 128, "queue": 64, "warmup": steps // 10, "steps": steps},
                network=NETWORK,
            )
            for contender, steps in STEPS.items()
        ]

    def targets(self, row: str) -> tuple[Target, ...]:
        return Target(50_000), Target(3.0, "mpi")


CASE = HostsSmallSteps()
