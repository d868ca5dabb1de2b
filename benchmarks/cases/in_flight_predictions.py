"""How near predictions come that pieces are chosen by: what encoding takes of a core, and what it leaves, before it
is done.

Each step is the field, shifted, so that pieces differ; half of a last field is noise. The writer knows nothing of
them when it begins, and the first steps count for nothing. It has one core: where it goes on while its steps are
encoded, and where it waits until each of them has been read.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding.fields import Field
from ..contenders.base import Contender, untyped
from ..harness.results import OURS, Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case
from .hosts_throughput import NETWORK
from .in_flight_links import field_named, writer_at

RATE = 1e9
SHIFTS = 20
HALF_NOISE = "half gray-scott, half noise"
GOES_ON, WAITS = "", ", program waits"
QUEUES = {GOES_ON: 3, WAITS: 1}
STEP, STEP_BYTES = "seconds of a step", "bytes of a step"
PIECE, BYTES, WITHIN = "seconds of a piece", "bytes of a piece", "in the interval of 95 %"
ALL = (STEP, STEP_BYTES, PIECE, BYTES, WITHIN)
TARGETS = {
    STEP: (Target(0.04, sense="at most"),),
    STEP_BYTES: (Target(0.05, sense="at most"),),
    WITHIN: (Target(0.93), Target(0.97, sense="at most")),
}


class InFlightPredictions(Case):
    name = "in_flight_predictions"
    title = "Predicted beside measured, error 1e-3 of the range, over 1 Gbit/s: by what share predictions are off"
    note = "Means over pieces of 1 to 4 MiB, or over steps of all of them; of all codecs together. Seconds of a core."
    better: Better = "lower"
    measured: tuple[str, ...] = ALL
    wanted: Mapping[str, tuple[Target, ...]] = TARGETS

    def trials(self, quick: bool) -> list[Trial]:
        names = ("gray-scott",) if quick else ("miranda", "gray-scott", "turbulence", "rain")
        return [
            self.trial(name, RATE, beside, steps=60, shifts=SHIFTS)
            for name in (*names, HALF_NOISE)
            for beside in QUEUES
        ]

    def trial(self, field: str, rate: float, beside: str = GOES_ON, **settings: int) -> Trial:
        """Of a field, over a link of so many bit/s."""
        fixed = {"field": field, "warmup": 10, "cooldown": 2, "items": 1, "queue": QUEUES[beside]}
        return Trial(
            case=self.name,
            contender=OURS,
            point=f"{field}{beside}",
            settings={**fixed, **settings},
            network={**NETWORK, "rate": rate},
        )

    def fields(self, trial: Trial) -> tuple[Field, ...]:
        return (field_of(trial.settings["field"]),)

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        name = seat.settings["field"]
        values = values_of(name)
        shifted = [np.roll(values, 7 * number, axis=0) for number in range(seat.settings["shifts"])]
        with writer_at(seat) as out:
            for number in range(seat.steps):
                with out.step() as step:
                    step.put("x", shifted[number % len(shifted)], fill=field_of(name).fill)
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        staithe = untyped("staithe")
        known: list[list[dict[str, Any]]] = []
        with staithe.reader(seat.stream, timeout=seat.trial.timeout) as steps:
            for number, step in enumerate(steps):
                step["x"][...]
                # When the writer has made its last step, nobody finds the stream any more.
                if seat.warmup <= number < seat.steps - seat.queue - 2:
                    known.append(_codings(staithe.describe(seat.stream)))
        first, last = _sums(known[0]), _sums(known[-1])
        pieces = last["count"] - first["count"]
        result = {name: (last[name] - first[name]) / pieces for name in (PIECE, BYTES, WITHIN)}
        for name, got, expected in ((STEP, "seconds", "expected_seconds"), (STEP_BYTES, "coded", "expected_coded")):
            totals = np.array([[sum(way[key] for way in ways) for key in (got, expected)] for ways in known])
            measured, predicted = np.diff(totals, axis=0).T
            result[name] = float(np.mean(np.abs(predicted[measured > 0] / measured[measured > 0] - 1)))
        return result

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return tuple(f"{trial.point}: {what}" for what in self.measured)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        found = {name: value for side in (*outcome.readers, *outcome.writers) for name, value in side.items()}
        return {f"{trial.point}: {what}": found[what] for what in self.measured}

    def better_of(self, row: str) -> Better:
        return "higher" if row.endswith(WITHIN) else "lower"

    def unit(self, row: str) -> str:
        return "share"

    def targets(self, row: str) -> tuple[Target, ...]:
        return self.wanted.get(row.split(": ")[1], ())


def values_of(name: str) -> NDArray[Any]:
    """Of the field of that name; half of the last one is noise."""
    values = field_of(name).load()
    if name == HALF_NOISE:
        values = values.copy()
        half = values[len(values) // 2 :]
        half[:] = np.random.default_rng(1).uniform(values.min(), values.max(), half.shape)
    return values


def field_of(name: str) -> Field:
    return field_named("gray-scott" if name == HALF_NOISE else name)


def ways_of(description: dict[str, Any]) -> list[dict[str, Any]]:
    """Of the one variable on its way to the one reader."""
    [[network]] = [member["network"] for group in description["readers"] for member in group["members"]]
    return [way for variable in network["coded"] for way in variable["ways"]]


def _codings(description: dict[str, Any]) -> list[dict[str, Any]]:
    return [way for way in ways_of(description) if way["codec"] is not None]


def _sums(ways: list[dict[str, Any]]) -> dict[str, float]:
    sums = dict.fromkeys(("count", PIECE, BYTES, WITHIN), 0.0)
    for way in ways:
        if judged := way["predictions"]:
            sums["count"] += judged["count"]
            for name, key in ((PIECE, "seconds_off"), (BYTES, "coded_off"), (WITHIN, "within_95")):
                sums[name] += judged["count"] * judged[key]
    return sums


CASE = InFlightPredictions()
