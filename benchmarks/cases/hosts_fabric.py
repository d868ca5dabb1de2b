"""Blocks read by libfabric's tcp provider, from another process of this host.

The limit is a loop of fi_read by hand out of the same memory (simulation/fabric_reads.cpp), in turns with ours.
"""

from collections.abc import Mapping

from ..harness.results import Target
from ..harness.trial import Outcome, Trial
from .base import Case

PROVIDER = "tcp"


class HostsFabric(Case):
    name = "hosts_fabric"
    title = "Blocks by RDMA: libfabric's tcp provider"
    note = "Medians of 21 rounds. The ratio is to a loop of fi_read by hand, in turns."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender="staithe",
                point=f"{size} MiB",
                program=("fabric_reads", PROVIDER, str(size), "21"),
            )
            for size in ((64,) if quick else (8, 64, 256))
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return trial.point, f"{trial.point}, over by hand"

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        rate, by_hand = outcome.program["gigabytes_per_second"], outcome.program["by_hand"]
        return dict(zip(self.rows(trial), (rate, rate / by_hand), strict=True))

    def unit(self, row: str) -> str:
        return "×" if row.endswith("by hand") else "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(0.9),) if row.endswith("by hand") else ()


CASE = HostsFabric()
