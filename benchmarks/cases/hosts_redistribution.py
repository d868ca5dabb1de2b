"""Four writers hold rows of a two-dimensional array, four readers on two other hosts want columns of it.

MPI's ranks exchange parts of every pair, as alltoallw does. All share two cores here.
"""

from ..harness.results import Target
from ..harness.trial import Trial
from .redistribution import Redistribution

# The writer ranks of a stream run on one host so far.
NETWORK = {"writers": ("alpha",), "readers": ("beta", "gamma")}
STEPS = {64: 16, 256: 6}
RANKS = 4


class HostsRedistribution(Redistribution):
    name = "hosts_redistribution"
    title = "Between hosts, redistribution: 4 writers with rows × 4 readers with columns, on two hosts"
    note = "GB/s of all readers together."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=f"{size} MiB",
                settings={"size": size, "queue": 2, "warmup": 3, "steps": STEPS[size], "cooldown": 2},
                writers=RANKS,
                readers=RANKS,
                network=NETWORK,
            )
            for size in ((64,) if quick else STEPS)
            for contender in ("staithe", "mpi")
        ]

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(2.0, "mpi"),)


CASE = HostsRedistribution()
