"""Memory of all processes where four writers, two servers and four readers share a version after the other.

What must be held: the versions of the queue and the one that is being put, the writers' own blocks and the readers' own
parts, which have the size of a version each. Counted is what comes on top of the imports, at its peak.
"""

from collections.abc import Mapping
from dataclasses import replace

from ..harness.results import Better, Target
from ..harness.trial import Outcome, Trial
from .base import MIB
from .servers_redistribution import ServersRedistribution


class ServersMemory(ServersRedistribution):
    name = "servers_memory"
    title = "Memory of all processes and segments: 4 writers × 2 servers × 4 readers, queue of two versions"
    note = "Peak over what must be held: three versions, one of which is being put, and the programs' own arrays."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        return [
            replace(trial, case=self.name, watch_memory=True)
            for trial in super().trials(quick)
            if trial.contender == "staithe"
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 2

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (trial.point,)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        held = (trial.settings["queue"] + 3) * trial.settings["size"] * MIB
        return {trial.point: outcome.peak_bytes / held}

    def unit(self, row: str) -> str:
        return "× what must be"

    def better_of(self, row: str) -> Better:
        return "lower"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(1.05, sense="at most"),)


CASE = ServersMemory()
