"""A step of 1,000 variables of 1 KiB, written and read from Python.

The limit is 1,000 copies into a slot of pre-faulted shared memory by hand, each a call of np.copyto.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, Stopwatch, check

VARIABLES = 1000
STEPS = {"limit": 400, "staithe": 400, "iceoryx2": 100, "mpi": 200, "sst": 30}


class ManyVariables(Case):
    name = "many_variables"
    title = "Many variables: 1,000 of 1 KiB a step, Python"
    note = "Limit: 1,000 copies into shared memory by hand. MPI and iceoryx2: a message a variable."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point="1,000 × 1 KiB",
                settings={"variables": VARIABLES, "items": 128, "queue": 2, "warmup": 5, "steps": steps},
            )
            for contender, steps in STEPS.items()
        ]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        writer = contender.writer(seat)
        arrays = {name: np.full(seat.items, float(index)) for index, name in enumerate(seat.names)}
        for step in range(seat.steps):
            for array in arrays.values():
                array[0] = step
            writer.put(arrays)
        writer.close()
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        reader = contender.reader(seat)
        watch = Stopwatch(seat)
        for step in range(seat.steps):
            arrays = reader.next()
            total = sum(float(array[0]) for array in arrays.values())
            del arrays
            check(step, total, step * len(seat.names))
            watch.done()
        return {"seconds": watch.seconds}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {trial.point: trial.settings["steps"] / outcome.readers[0]["seconds"]}

    def unit(self, row: str) -> str:
        return "steps/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(200),)


CASE = ManyVariables()
