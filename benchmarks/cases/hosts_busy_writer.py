"""A writer that computes without calling its library, and keeps Python's lock meanwhile: do its steps get out?

Half of the steps are read while it sleeps, half while it computes; the first few, for which both sides connect, before.
"""

import ctypes
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, check
from .hosts_throughput import field_trial

WARMUP, HALF = 3, 10
FABRIC = "by libfabric's tcp"


class HostsBusyWriter(Case):
    name = "hosts_busy_writer"
    title = "Between hosts, a writer that computes and keeps the interpreter's lock"
    note = f"Rate at which {HALF} steps of 32 MiB are read meanwhile, over that while it sleeps."

    def trials(self, quick: bool) -> list[Trial]:
        seconds = 3 if quick else 30
        settings = {"queue": WARMUP + HALF, "steps": 2 * HALF, "warmup": WARMUP, "cooldown": 0, "seconds": seconds}
        return [
            replace(
                field_trial(self.name, contender, point, 32, **settings), environment=way, timeout=60.0 + 2 * seconds
            )
            for contender, point, way in (
                ("staithe", "by TCP", {}),
                ("zeromq", "by TCP", {}),
                ("staithe", FABRIC, {"STAITHE_FABRIC": "tcp"}),
            )
        ]

    def repeats(self, quick: bool) -> int:
        return 1

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        writer = contender.writer(seat)
        field = np.ones(seat.items)
        for step in range(seat.warmup):
            field[0] = step + 1.0
            writer.put({"x": field})
        for busy in (False, True):
            for step in range(HALF):
                field[0] = seat.warmup + HALF * busy + step + 1.0
                writer.put({"x": field})
            if busy:
                # As a calculation does that does not let go of the lock.
                ctypes.PyDLL(None).sleep(seat.settings["seconds"])
            else:
                time.sleep(seat.settings["seconds"])
        writer.close()
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        reader = contender.reader(seat)
        whole, seconds = seat.settings["seconds"], []
        for step in range(seat.warmup):
            check(step, float(reader.next()["x"][0]), step + 1.0)
        for half in range(2):
            time.sleep(whole / 3)  # until all of it was written
            started = time.perf_counter()
            for step in range(seat.warmup + half * HALF, seat.warmup + (half + 1) * HALF):
                check(step, float(reader.next()["x"][0]), step + 1.0)
            seconds.append(time.perf_counter() - started)
            time.sleep(max(0.0, 2 * whole / 3 - seconds[-1]))
        return {"ratio": seconds[0] / seconds[1]}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {trial.point: outcome.readers[0]["ratio"]}

    def unit(self, row: str) -> str:
        return "×"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(0.9),)


CASE = HostsBusyWriter()
