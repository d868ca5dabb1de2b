"""64 writers and 64 readers, a process each, with 1 KiB a rank and step, on whatever cores there are.

There is nothing to copy, and no limit to compare with: what is measured is how often all these processes have to be
woken for a step.
"""

from collections.abc import Mapping

from ..harness.trial import Outcome, Trial
from .base import Case

WRITERS, READERS, STEPS = 64, 64, 2000
ROW = f"C++, {WRITERS} × {READERS} processes, 1 KiB a rank"


class ManyRanks(Case):
    name = "many_ranks"
    title = "Many ranks: a process each, queue of 64"
    note = "More processes than cores: the figure is of use beside another one from the same machine."

    def trials(self, quick: bool) -> list[Trial]:
        steps = STEPS // 4 if quick else STEPS
        program = ("staithe_ranks", str(WRITERS), str(READERS), str(steps))
        return [Trial(case=self.name, contender="staithe", point=ROW, program=program)]

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {trial.point: outcome.program["steps_per_second"]}

    def unit(self, row: str) -> str:
        return "steps/s"


CASE = ManyRanks()
