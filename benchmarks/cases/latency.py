"""From the end of a small step to the reader's hand: the step carries the time (CLOCK_MONOTONIC) of its handing over.

Spinning: the next step comes after 20 µs, so the reader has not gone to sleep; the limit is a ring by hand
(cpp/limit_steps.cpp). Blocked: a step every 5 ms; the limit is a bare futex (cpp/futex_pingpong.cpp), half a round trip
of two processes that wake each other every 5 ms. Back to back such a round trip is shorter, as no core goes idle in
between; that number stands beside it. In Python the limit is the pair of contenders/limit.py.
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
# Python takes longer for a step than C++: 40 µs keep the queue empty.
PYTHON_INTERVAL_US = {SPINNING: 40, BLOCKED: 5000}
PYTHON_STEPS = {SPINNING: 20_000, BLOCKED: 200}
FUTEX = "futex, back to back"


class Latency(Case):
    name = "latency"
    title = "Latency of one small step: handed over → in the reader's hand"
    note = "Median. Spinning: a step every 20 µs (Python: 40); limit: by hand. Blocked: every 5 ms; C++ limit: a futex."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        programs = {
            (f"C++, {SPINNING}", "limit"): ("limit_steps", "latency", "20000", "20"),
            (f"C++, {SPINNING}", "staithe"): ("staithe_steps", "latency", "20000", "20"),
            (f"C++, {BLOCKED}", "limit"): ("futex_pingpong", "paced", "200", "5000"),
            (f"C++, {BLOCKED}", "staithe"): ("staithe_steps", "paced", "200", "5000"),
            (FUTEX, "limit"): ("futex_pingpong", "latency", "10000", "0"),
        }
        cpp = [
            Trial(case=self.name, contender=contender, point=point, program=program)
            for (point, contender), program in programs.items()
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
                    "steps": PYTHON_STEPS[kind] if contender != "sst" else 50,
                    "blocking": kind == BLOCKED,
                },
            )
            for kind in (SPINNING, BLOCKED)
            for contender in ("limit", "staithe", "iceoryx2", "mpi", "sst")
            if kind == BLOCKED or contender != "sst"  # SST takes milliseconds anyhow
        ]
        return cpp + python

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

    def unit(self, row: str) -> str:
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
