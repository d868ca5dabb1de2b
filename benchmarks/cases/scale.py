"""A step of 8192 writer and 4096 reader ranks, simulated in one process: what the director and a reader have to do.

The queue, the book, records, stores, layout and plans are the real ones (simulation/scale_simulation.cpp); there are no
other processes, and channels only count. The targets are what a program would notice.
"""

from collections.abc import Mapping

from ..harness.results import Better, Target
from ..harness.trial import Outcome, Trial
from .base import Case

WRITERS, READERS, STEPS = 8192, 4096, 20
ROWS: Mapping[str, tuple[str, str, float | None]] = {
    "director: a step with a new layout": ("director_new_layout_ms", "ms", 50),
    "director: a step with the same layout": ("director_same_layout_ms", "ms", 50),
    "director: all releases of a step": ("director_releases_ms", "ms", 50),
    "reader: takes the layout in": ("reader_layout_ms", "ms", None),
    "reader: plans what it reads": ("reader_plan_ms", "ms", 1),
    "reader: a step with the same layout": ("reader_same_layout_ms", "ms", 1),
    "metadata of a block": ("block_bytes", "B", 100),
}


class Simulated(Case):
    """A program that prints all of its rows: their key in what it prints, unit, and what they are to stay below."""

    better: Better = "lower"
    figures: Mapping[str, tuple[str, str, float | None]]

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return tuple(self.figures)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {row: outcome.program[key] for row, (key, _, _) in self.figures.items()}

    def unit(self, row: str) -> str:
        return self.figures[row][1]

    def targets(self, row: str) -> tuple[Target, ...]:
        most = self.figures[row][2]
        return () if most is None else (Target(most, sense="at most"),)


class Scale(Simulated):
    name = "scale"
    title = f"Scale: {WRITERS} writer ranks × {READERS} reader ranks, simulated"
    note = "What director and readers do for a step, each alone; no data is moved but what a reader checks."
    figures = ROWS

    def trials(self, quick: bool) -> list[Trial]:
        program = ("scale_simulation", str(WRITERS), str(READERS), str(STEPS // 4 if quick else STEPS))
        return [Trial(case=self.name, contender="staithe", point="simulated", program=program)]


CASE = Scale()
