"""What is derived from variables of another host: computed there, beside the variables that come, with NumPy on them.

The limit is NumPy on the host that has the variables.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..contenders.base import Contender, untyped
from ..harness.results import OURS, Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check, median_seconds
from .hosts_throughput import NETWORK

LINKS = {"1 Gbit/s": 1e9, "10 Gbit/s": 1e10}
REPEATS = 7
SPEED, MASK = "sqrt(u**2 + v**2)", "u > v"
LARGEST = f"max of {SPEED}"
KINDS = (LARGEST, SPEED, MASK)
SHARE = {SPEED: 0.6, MASK: 0.25}  # of the time that the variables and NumPy take, at most


def of_what_comes(kind: str) -> str:
    return f"{kind}, by NumPy of what comes"


def where_they_lie(kind: str) -> str:
    return f"{kind}, by NumPy where they lie"


def by_numpy(u: Any, v: Any) -> Mapping[str, Callable[[], Any]]:
    """Of arrays, which are looked at when they are called."""
    return {
        LARGEST: lambda: np.sqrt(u() ** 2 + v() ** 2).max(),
        SPEED: lambda: np.sqrt(u() ** 2 + v() ** 2),
        MASK: lambda: u() > v(),
    }


class InFlightDerivedFar(Case):
    name = "in_flight_derived_far"
    title = "Derived from two variables of 32 MiB of f4 on another host"
    note = "Medians of seven, of the same step."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=OURS,
                point=f"{link}, {LARGEST}",
                settings={"items": (4 if quick else 32) * MIB // 4, "steps": 1, "link": link},
                network={**NETWORK, "rate": rate},
                timeout=120,
            )
            for link, rate in LINKS.items()
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        u, v = np.random.default_rng(1).standard_normal((2, seat.items), dtype="f4")
        options = {"queue_bytes": 1 << 40, "timeout": seat.trial.timeout}
        with untyped("staithe").writer(seat.stream, **options) as out, out.step() as step:
            step.put("u", u)
            step.put("v", v)
        calls = by_numpy(lambda: u, lambda: v)
        return {where_they_lie(kind): median_seconds(call, REPEATS) for kind, call in calls.items()}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        with untyped("staithe").reader(seat.stream, timeout=seat.trial.timeout) as steps:
            step = next(steps)
            derived = {
                LARGEST: lambda: step.derive(SPEED).reduce("max"),
                SPEED: lambda: step.derive(SPEED)[...],
                MASK: lambda: step.derive(MASK)[...],
            }
            seconds = {}
            for kind, call in by_numpy(lambda: step["u"][...], lambda: step["v"][...]).items():
                check(0, bool(np.allclose(derived[kind](), call())), True)
                seconds[kind] = median_seconds(derived[kind], REPEATS)
                seconds[of_what_comes(kind)] = median_seconds(call, REPEATS)
        return seconds

    def rows(self, trial: Trial) -> tuple[str, ...]:
        of_each = ((kind, of_what_comes(kind), where_they_lie(kind)) for kind in KINDS)
        return tuple(f"{trial.settings['link']}, {row}" for rows in of_each for row in rows)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        [reader], [writer] = outcome.readers, outcome.writers
        return {f"{trial.settings['link']}, {row}": 1e3 * seconds for row, seconds in {**reader, **writer}.items()}

    def unit(self, row: str) -> str:
        return "ms"

    def targets(self, row: str) -> tuple[Target, ...]:
        link, _, kind = row.partition(", ")
        if kind == LARGEST:
            return (Target(1.5, f"{link}, {where_they_lie(kind)}", sense="at most"),)
        return (Target(SHARE[kind], f"{link}, {of_what_comes(kind)}", sense="at most"),) if kind in SHARE else ()


CASE = InFlightDerivedFar()
