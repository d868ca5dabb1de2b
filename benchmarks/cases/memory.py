"""Memory of both processes and of everything shared, at its peak, over the bytes of a step.

The limit by hand holds what must be held: for `put` the writer's array and two slots (3 steps), for `loan`, where the
writer computes in place from nothing, the two slots (2 steps). Counted is what comes on top of the imports.
"""

from collections.abc import Mapping
from typing import Any

from ..contenders.base import Contender
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case
from .field import read_field, write_field

# Sampling shares the cores, so these runs last a little; their times are not used.
STEPS, SLOW_STEPS = 30, 8


class Memory(Case):
    name = "memory"
    title = "Memory of all processes and segments, queue of two steps"
    note = "Peak over the bytes of a step. Limit: 3 for put (array and two slots), 2 for loan (two slots)."
    better: Better = "lower"
    kinds: tuple[str, ...] = ("put", "loan")
    contenders: tuple[str, ...] = ("limit", "staithe", "iceoryx2", "mpi", "sst", "ray")

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=f"{kind}, {size} MiB",
                settings={
                    "kind": "put" if kind == "put" else "fill",
                    "items": size * MIB // 8,
                    "queue": 2,
                    "steps": SLOW_STEPS if contender in ("sst", "ray") else STEPS,
                },
                watch_memory=True,
                network=self.network,
            )
            for kind in self.kinds
            for size in ((64,) if quick else (64, 256))
            for contender in self.contenders
            if contender != "ray" or (kind == "put" and size == 64)
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 2

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return write_field(contender, seat)

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return read_field(contender, seat)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {trial.point: outcome.peak_bytes / (8 * trial.settings["items"])}

    def unit(self, row: str) -> str:
        return "steps"

    def targets(self, row: str) -> tuple[Target, ...]:
        steps = 3 if row.startswith("put") else 2
        return Target(1.05 * steps, sense="at most"), Target(0.5, "sst", "at most")


CASE = Memory()
