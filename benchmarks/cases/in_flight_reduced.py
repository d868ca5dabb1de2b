"""What becomes of an array that lies on another host: made there, beside the array that comes and NumPy's of it.

The limit is NumPy on the host that has the array.
"""

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np

from ..contenders.base import Contender, untyped
from ..harness.results import OURS, Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check, median_seconds
from .hosts_redistribution import carried
from .hosts_throughput import NETWORK

RATE = 1e10
REPEATS = 7
KINDS = ("max", "mean", "std", "histogram")
BINS, RANGE = 100, (-4.0, 4.0)
FETCHED, BY_NUMPY = "max, of the array that comes", "max, by NumPy where it lies"
RECEIVED = "max, bytes that come"


class InFlightReduced(Case):
    name = "in_flight_reduced"
    title = "What becomes of 1 GiB of f8 on another host, over 10 Gbit/s"
    note = "Medians of seven. Of a histogram of 100 bins, whose range is given."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        items = (64 if quick else 1024) * MIB // 8
        return [
            Trial(
                case=self.name,
                contender=OURS,
                point=KINDS[0],
                settings={"items": items, "steps": 1},
                network={**NETWORK, "rate": RATE},
                timeout=180,
            )
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        x = np.random.default_rng(1).standard_normal(seat.items)
        options = {"queue_bytes": 1 << 40, "timeout": seat.trial.timeout}
        with untyped("staithe").writer(seat.stream, **options) as out, out.step() as step:
            step.put("x", x)
        return {BY_NUMPY: median_seconds(x.max, REPEATS)}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        with untyped("staithe").reader(seat.stream, timeout=seat.trial.timeout) as steps:
            x = next(steps)["x"]
            before, _ = carried()
            largest = x.reduce("max")
            after, _ = carried()
            result = {RECEIVED: float(after - before)}
            check(0, float(x[...].max()), float(largest))
            for kind in KINDS[:-1]:
                result[kind] = median_seconds(partial(x.reduce, kind), REPEATS)
            result[KINDS[-1]] = median_seconds(lambda: x.histogram(BINS, RANGE), REPEATS)
            result[FETCHED] = median_seconds(lambda: x[...].max(), REPEATS)
        return result

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (*KINDS, FETCHED, BY_NUMPY, RECEIVED)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        [reader], [writer] = outcome.readers, outcome.writers
        values = {**reader, BY_NUMPY: writer[BY_NUMPY]}
        return {row: values[row] * (1 if row == RECEIVED else 1e3) for row in self.rows(trial)}

    def unit(self, row: str) -> str:
        return "bytes" if row == RECEIVED else "ms"

    def targets(self, row: str) -> tuple[Target, ...]:
        return {
            "max": (Target(1.5, BY_NUMPY, sense="at most"), Target(0.25, FETCHED, sense="at most")),
            RECEIVED: (Target(100_000, sense="at most"),),
        }.get(row, ())


CASE = InFlightReduced()
