"""Steps of 1 KiB, as many a second as will go, with a queue of 64.

The limit is a ring of 64 slots in shared memory by hand: one copy in, one value read. In Python it is the same idea,
and what it costs is the interpreter; in C++ it is cpp/limit_steps.cpp.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, check

CPP_STEPS = 2_000_000
PYTHON, CPP = "Python, 1 KiB", "C++, 1 KiB"


class SmallSteps(Case):
    name = "small_steps"
    title = "Small steps: 1 KiB, queue of 64"
    note = "Limit: a ring of 64 slots by hand, in the same language."
    queue = 64
    # So many that each takes a second or so.
    python_steps: Mapping[str, int] = {
        "limit": 60_000,
        "staithe": 60_000,
        "iceoryx2": 40_000,
        "mpi": 60_000,
        "sst": 3000,
        "ray": 300,
    }

    def python_trials(self) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=PYTHON,
                settings={"items": 128, "queue": self.queue, "warmup": steps // 10, "steps": steps},
                network=self.network,
            )
            for contender, steps in self.python_steps.items()
        ]

    def trials(self, quick: bool) -> list[Trial]:
        cpp = [
            Trial(
                case=self.name,
                contender=contender,
                point=CPP,
                program=(f"{contender}_steps", "steps", str(CPP_STEPS), "0"),
            )
            for contender in ("limit", "staithe")
        ]
        return cpp + self.python_trials()

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        writer = contender.writer(seat)
        values = np.zeros(seat.items)
        for step in range(seat.steps):
            values[0] = step
            writer.put({"x": values})
        writer.close()
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        reader = contender.reader(seat)
        started = 0.0
        for step in range(seat.steps):
            arrays = reader.next()
            value = arrays["x"][0]
            del arrays
            if value != step:
                check(step, value, step)
            if step == seat.warmup:
                started = time.perf_counter()
        return {"seconds": time.perf_counter() - started}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        if trial.program:
            return {trial.point: outcome.program["steps_per_second"]}
        return {trial.point: (trial.settings["steps"] - 1) / outcome.readers[0]["seconds"]}

    def unit(self, row: str) -> str:
        return "steps/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(1_000_000 if row == CPP else 100_000),)


CASE = SmallSteps()
