"""Four writers on two hosts hold rows of a two-dimensional array, four readers on two others want columns of it.

The limit is iperf3 on two connections at once, one from each writers' host to a readers' host: the links together.
MPI's ranks exchange parts of every pair, as alltoallw does. All share two cores here.
"""

from collections.abc import Mapping

from ..harness.results import Target
from ..harness.trial import Outcome, Trial
from .redistribution import Redistribution

NETWORK = {"writers": ("alpha", "beta"), "readers": ("gamma", "delta")}
STEPS = {64: 16, 256: 6}
RANKS = 4


class HostsRedistribution(Redistribution):
    name = "hosts_redistribution"
    title = "Between hosts, redistribution: 4 writers with rows × 4 readers with columns, on 2 + 2 hosts"
    note = "Of all readers together. iperf3: two connections, from each writers' host to a readers' host."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=f"{size} MiB",
                settings={
                    "size": size,
                    "queue": 2,
                    "warmup": 3,
                    "steps": STEPS[size],
                    "cooldown": 2,
                    "connections": 2,
                },
                writers=RANKS,
                readers=RANKS,
                network=NETWORK,
            )
            for size in ((64,) if quick else STEPS)
            for contender in ("iperf3", "staithe", "mpi")
        ]

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        if outcome.program:
            return {trial.point: outcome.program["bytes_per_second"] / 1e9}
        return super().measures(trial, outcome)

    def targets(self, row: str) -> tuple[Target, ...]:
        return Target(0.8, "iperf3"), Target(2.0, "mpi")


CASE = HostsRedistribution()
