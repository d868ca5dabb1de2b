"""Variables that are computed from two of 16 MiB each, in the process that wrote them, into an array that is there.

The limits are numexpr, whose threads are as many as the cores, on the same arrays, NumPy, and a copy of one of them.
"""

import os
import time
from collections.abc import Callable, Mapping
from functools import partial
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender, untyped
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check

REPEATS = 21
EXPRESSIONS = (
    "u + v",
    "2*u + 3*v",
    "u*u*u + v",
    "sqrt(u**2 + v**2)",
    "where(u > v, u, v)",
    "exp(-u**2)",
    "sin(u) * cos(v)",
)
COPY = "a copy of one"


def by_numexpr(expression: str) -> str:
    return f"{expression}, numexpr"


def by_numpy(expression: str) -> str:
    return f"{expression}, NumPy"


class InFlightDerived(Case):
    name = "in_flight_derived"
    title = "Variables derived from two of 16 MiB"
    note = "Of f8, where they lie, into an array whose memory was touched before; medians of 21."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        return [Trial(case=self.name, contender="staithe", point=EXPRESSIONS[0], readers=0, timeout=120)]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 5

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        staithe, numexpr = untyped("staithe"), untyped("numexpr")
        u, v = np.random.default_rng(1).standard_normal((2, 16 * MIB // 8))
        into = np.zeros_like(u)
        numexpr.set_num_threads(len(os.sched_getaffinity(0)))
        seconds: dict[str, float] = {}
        with staithe.writer("derived") as out, staithe.reader("derived") as steps:
            with out.step() as step:
                step.put("u", u)
                step.put("v", v)
            step = next(steps)
            names = {name: getattr(np, name) for name in ("sqrt", "exp", "sin", "cos", "where")}
            names |= {"u": step["u"][...], "v": step["v"][...]}
            for expression in EXPRESSIONS:
                code = compile(expression, expression, "eval")
                derived = step.derive(expression)
                check(0, bool(np.allclose(derived[...], eval(code, names), rtol=1e-12)), True)
                seconds |= _medians(
                    {
                        expression: partial(derived.read, ..., out=into),
                        by_numexpr(expression): partial(numexpr.evaluate, expression, names, out=into),
                        by_numpy(expression): partial(eval, code, names),
                    }
                )
            seconds |= _medians({COPY: partial(np.copyto, into, u)})
        return seconds

    def rows(self, trial: Trial) -> tuple[str, ...]:
        of_each = ((name, by_numexpr(name), by_numpy(name)) for name in EXPRESSIONS)
        return (*(row for rows in of_each for row in rows), COPY)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {row: 1e3 * seconds for row, seconds in outcome.writers[0].items()}

    def unit(self, row: str) -> str:
        return "ms"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(1.0, by_numexpr(row), "at most"),) if row in EXPRESSIONS else ()


def _medians(calls: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Of the seconds of each, in turns: whatever else goes on meets all of them."""
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(REPEATS):
        for name, call in calls.items():
            began = time.perf_counter()
            call()
            seconds[name].append(time.perf_counter() - began)
    return {name: median(values) for name, values in seconds.items()}


CASE = InFlightDerived()
