"""From the end of a small step to the reader's hand: the step carries the time (CLOCK_MONOTONIC) of its handing over.

Spinning: the next step comes after 20 µs, so the reader has not gone to sleep. Blocked: a step every 5 ms. The limit is
a hand-written ring (cpp/limit_steps.cpp), whose reader spins for 50 µs and then sleeps on a futex. Beside the blocked
rows stands a bare futex (cpp/futex_pingpong.cpp): half a round trip of two processes that wake each other at once, and
the wake-up of one that has slept for 5 ms, whose core has gone idle.
"""

import time
from collections.abc import Mapping
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case

SPINNING, BLOCKED = "spinning", "blocked"
INTERVAL_US = {SPINNING: 20, BLOCKED: 5000}
# Python's own overhead is of the order of the interval: a longer one keeps the queue empty.
PYTHON_INTERVAL_US = {SPINNING: 40, BLOCKED: 5000}
STEPS = {SPINNING: 20_000, BLOCKED: 200}
MODE = {SPINNING: "latency", BLOCKED: "paced"}
FUTEX = {"futex, half a round trip": ("latency", "5000", "0"), "futex, after 5 ms": ("paced", "200", "5000")}


class Latency(Case):
    name = "latency"
    title = "Latency of one small step: handed over → in the reader's hand"
    note = "Median. Spinning: a step every 20 µs (Python: 40). Blocked: a step every 5 ms. Limit: a ring by hand, C++."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        futex = [
            Trial(case=self.name, contender="limit", point=point, program=("futex_pingpong", *arguments))
            for point, arguments in FUTEX.items()
        ]
        cpp = [
            Trial(
                case=self.name,
                contender=contender,
                point=f"C++, {kind}",
                program=(f"{contender}_steps", MODE[kind], str(STEPS[kind]), str(INTERVAL_US[kind])),
            )
            for kind in (SPINNING, BLOCKED)
            for contender in ("limit", "staithe")
        ]
        python = [
            Trial(
                case=self.name,
                contender=contender,
                point=f"Python, {kind}",
                settings={
                    "items": 128,
                    "queue": 8,
                    "interval_us": PYTHON_INTERVAL_US[kind],
                    "warmup": 20,
                    "steps": STEPS[kind] if contender != "sst" else STEPS[BLOCKED] // 4,
                    "blocking": kind == BLOCKED,
                },
            )
            for kind in (SPINNING, BLOCKED)
            for contender in ("limit", "staithe", "iceoryx2", "mpi", "sst")
            if kind == BLOCKED or contender != "sst"  # SST takes milliseconds anyhow
        ]
        return cpp + futex + python

    def repeats(self, quick: bool) -> int:
        return 2 if quick else 5

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        writer = contender.writer(seat)
        interval_ns = 1000 * seat.settings["interval_us"]
        moment = time.monotonic_ns()
        for _ in range(seat.steps):
            # After the last step's end, not at fixed times: who falls behind would have a queue.
            moment = max(moment + interval_ns, time.monotonic_ns())
            _wait_until(moment, seat.settings["blocking"])
            with writer.lend("x", seat.items) as values:
                values.view(np.int64)[0] = time.monotonic_ns()
            del values
        writer.close()
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        reader = contender.reader(seat)
        latencies = []
        for step in range(seat.steps):
            arrays = reader.next()
            arrived = time.monotonic_ns()
            stamp = int(arrays["x"].view(np.int64)[0])
            del arrays
            if step >= seat.warmup:
                latencies.append(arrived - stamp)
        return {"median_us": median(latencies) / 1000}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        result = outcome.program if trial.program else outcome.readers[0]
        return {trial.point: result["median_us"]}

    def unit(self, row: str) -> str:  # noqa: ARG002
        return "µs"

    def targets(self, row: str) -> tuple[Target, ...]:
        if row == f"C++, {SPINNING}":
            return (Target(2.0, sense="at most"),)
        return (Target(2.0, "limit", "at most"),) if row == f"C++, {BLOCKED}" else ()


def _wait_until(moment_ns: int, asleep: bool) -> None:
    if asleep:
        time.sleep(max(0.0, (moment_ns - time.monotonic_ns()) * 1e-9))
    while time.monotonic_ns() < moment_ns:
        pass


CASE = Latency()
