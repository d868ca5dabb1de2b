"""What the first step costs the writer, against the tenth: fresh shared memory is dear (1 to 2.5 µs a page of 4 KiB).

The limit by hand has its slots resident before the first step. The writer computes for 100 ms before each step, as
a simulation would, so its stall is its own put, not a reader that cannot keep up. "By surprise": nobody has told the
stream how large steps are (no `reserve`).
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case
from .field import read_field

STEPS = 11
COMPUTE_SECONDS = 0.1
EXPECTED, SURPRISE = "64 MiB", "64 MiB, by surprise"


class FirstStep(Case):
    name = "first_step"
    title = "Stall of the first step and of the tenth, 64 MiB, a step every 100 ms"
    note = "Time that a put keeps the writer. Limit: slots resident before the first step."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        points = [(EXPECTED, contender) for contender in ("limit", "staithe", "iceoryx2", "mpi", "sst")]
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=point,
                settings={
                    "kind": "put",
                    "items": 64 * MIB // 8,
                    "queue": 4,
                    "reserve": point == EXPECTED,
                    "steps": STEPS,
                },
            )
            for point, contender in [*points, (SURPRISE, "staithe")]
        ]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        field = np.ones(seat.items)
        writer = contender.writer(seat)
        stalls = []
        for step in range(seat.steps):
            _compute()
            field[step] += 1.0
            started = time.perf_counter()
            writer.put({"x": field})
            stalls.append(time.perf_counter() - started)
        writer.close()
        return {"stalls": stalls}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return read_field(contender, seat)

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return tuple(f"{trial.point}: {what}" for what in ("first step", "tenth step", "first over tenth"))

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        stalls = outcome.writers[0]["stalls"]
        first, tenth = 1000 * stalls[0], 1000 * stalls[9]
        return dict(zip(self.rows(trial), (first, tenth, first / tenth), strict=True))

    def unit(self, row: str) -> str:
        return "×" if row.endswith("over tenth") else "ms"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(3.0, sense="at most"),) if row == f"{EXPECTED}: first over tenth" else ()


def _compute() -> None:
    """Keeps the core busy, as a simulation does: whatever works in the background must share it."""
    until = time.perf_counter() + COMPUTE_SECONDS
    values = np.ones(1000)
    while time.perf_counter() < until:
        values *= 1.0


CASE = FirstStep()
