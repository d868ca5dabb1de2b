"""Large steps from one writer to one reader, on a core each.

The limit is a hand-written pair of processes on pre-faulted shared memory with two slots: for `put` it copies the
writer's array into a slot, for `loan` the writer computes straight into the slot. Everyone has a queue of two steps.
Of the peers only iceoryx2 lends too; the others compute into an array of their own and send that.
"""

from ..harness.results import Target
from ..harness.trial import Trial
from .base import MIB
from .field import FieldRate

# MiB a step: steps that count. Enough of them to last a quarter of a second at the least.
STEPS = {8: 150, 64: 24, 256: 10}
# These take a tenth of the limit's speed or less.
SLOW = {"sst", "ray"}
WARMUP, COOLDOWN = 4, 2


class Throughput(FieldRate):
    name = "throughput"
    title = "Large steps: 1 writer, 1 reader, float64, the reader sums every value"
    note = "Limit: two slots of pre-faulted shared memory by hand; put: one copy in; loan: computed in place."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=f"{kind}, {size} MiB",
                settings={
                    "kind": kind,
                    "size": size,
                    "items": size * MIB // 8,
                    "queue": 2,
                    "warmup": WARMUP,
                    "steps": max(6, STEPS[size] // 4) if contender in SLOW else STEPS[size],
                    "cooldown": COOLDOWN,
                },
            )
            for kind in ("put", "loan")
            for size in ((8, 64) if quick else STEPS)
            for contender in ("limit", "staithe", "iceoryx2", "mpi", "sst", "ray")
            # Starting Ray takes longer than everything else here: one size says it all.
            if contender != "ray" or (kind == "put" and size == 64)
        ]

    def targets(self, row: str) -> tuple[Target, ...]:
        if row.startswith("put"):
            return Target(0.9, "limit"), Target(1.0, "peers"), Target(5.0, "sst")
        return Target(0.95, "limit"), Target(1.3, "peers")


CASE = Throughput()
