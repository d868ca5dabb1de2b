"""A field of float64 that is written whole, step by step, and summed by its reader.

The sum is what an analysis costs at least, and it checks every step: no contender gets by with old or missing values.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, Stopwatch, check


def write_field(contender: Contender, seat: Seat) -> Mapping[str, Any]:
    """`put`: an array that changes a little each step. `loan`: computed in place. `fill`: the same without an input."""
    kind, items = seat.settings["kind"], seat.items
    writer = contender.writer(seat)
    if kind == "put":
        field = np.ones(items)
        for step in range(seat.steps):
            field[step % items] += 1.0
            writer.put({"x": field})
    else:
        source = np.ones(items) if kind == "loan" else np.ones(1)
        for step in range(seat.steps):
            with writer.lend("x", items) as field:
                np.multiply(source, step + 1.0, out=field)
            del field
    writer.close()
    return {}


def read_field(contender: Contender, seat: Seat) -> Mapping[str, Any]:
    kind, items = seat.settings["kind"], seat.items
    reader = contender.reader(seat)
    watch = Stopwatch(seat)
    for step in range(seat.steps):
        arrays = reader.next()
        total = float(arrays["x"].sum())
        del arrays
        check(step, total, items + step + 1 if kind == "put" else items * (step + 1))
        watch.done()
    return {"seconds": watch.seconds}


class FieldRate(Case):
    """How many bytes of such a field pass in a second."""

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return write_field(contender, seat)

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return read_field(contender, seat)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        total = 8 * trial.settings["items"] * trial.settings["steps"]
        return {trial.point: total / outcome.readers[0]["seconds"] / 1e9}

    def unit(self, row: str) -> str:
        return "GB/s"
