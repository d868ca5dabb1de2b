"""A step of 1 KiB to another host and one back, in turn: half of it is what a step takes from program to program.

The limit is the same over a socket pair by hand, which is half a TCP round trip.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import check
from .hosts_small_steps import HostsSmallSteps


class HostsLatency(HostsSmallSteps):
    name = "hosts_latency"
    title = "Between hosts, latency of one small step"
    note = "Half of there and back, 1 KiB, median. socket_pair: half a TCP round trip."
    better: Better = "lower"
    queue = 2
    python_steps = dict.fromkeys(("socket_pair", "staithe", "zeromq"), 5000)

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        there = contender.writer(seat)
        back = contender.reader(replace(seat, stream=seat.stream + "-back"))
        values = np.zeros(seat.items)
        halves = []
        for step in range(seat.steps):
            values[0] = step
            began = time.perf_counter()
            there.put({"x": values})
            check(step, float(back.next()["x"][0]), step)
            halves.append((time.perf_counter() - began) / 2)
        del back  # before: who writes to another host waits for its readers when it closes
        there.close()
        return {"median_us": 1e6 * median(halves[seat.warmup :])}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        there = contender.reader(seat)
        back = contender.writer(replace(seat, stream=seat.stream + "-back"))
        values = np.zeros(seat.items)
        for step in range(seat.steps):
            values[0] = there.next()["x"][0]
            check(step, values[0], step)
            back.put({"x": values})
        del there
        back.close()
        return {}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {trial.point: outcome.writers[0]["median_us"]}

    def unit(self, row: str) -> str:
        return "µs"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(1.5, "socket_pair", "at most"),)


CASE = HostsLatency()
