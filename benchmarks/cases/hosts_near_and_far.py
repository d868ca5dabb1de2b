"""A reader on the writer's host, and later one elsewhere too: is the near one as fast as it was alone?

The writer takes a step every so often, since two readers of one stream go on together. What counts is the time that the
near one takes for a step that is there: to get it and to sum its values.
"""

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check

SIZE = 64
EVERY = 0.15  # s; the far one has its step by then
NEAR = 0


class HostsNearAndFar(Case):
    name = "hosts_near_and_far"
    title = "Between hosts, one reader on the writer's, one elsewhere"
    note = f"Rate of the near one, {SIZE} MiB a step, every value summed: with the far one over alone."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender="staithe",
                point=f"{SIZE} MiB",
                settings={"items": SIZE * MIB // 8, "queue": 2, "steps": 30 if quick else 80},
                readers=2,
                network={"writers": ("alpha",), "readers": ("alpha", "beta")},
            )
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        writer = contender.writer(seat)
        field = np.ones(seat.items)
        for step in range(seat.steps):
            field[0] = step + 1.0
            writer.put({"x": field})
            time.sleep(EVERY)
        writer.close()
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        # Each for itself, and not as two ranks that share a step.
        alone = replace(seat, rank=0, trial=replace(seat.trial, readers=1))
        was_alone, far_is_there = Path(seat.directory) / "was-alone", Path(seat.directory) / "far-is-there"
        if seat.rank == NEAR:
            return self._read_near(contender, alone, was_alone, far_is_there)
        while not was_alone.exists():
            time.sleep(0.01)
        reader = contender.reader(alone)
        while float(reader.next()["x"][0]) < seat.steps:
            far_is_there.touch()
        return {}

    def _read_near(self, contender: Contender, seat: Seat, was_alone: Path, far_is_there: Path) -> Mapping[str, Any]:
        reader = contender.reader(seat)
        seconds: dict[bool, list[float]] = {False: [], True: []}
        for step in range(seat.steps):
            together = far_is_there.exists()
            x = reader.next()["x"]
            began = time.perf_counter()
            check(step, float(x.sum()), seat.items + float(step))
            seconds[together].append(time.perf_counter() - began)
            del x
            if step == seat.steps // 2:
                was_alone.touch()
        return {"ratio": median(seconds[False]) / median(seconds[True])}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {trial.point: outcome.readers[NEAR]["ratio"]}

    def unit(self, row: str) -> str:
        return "×"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(0.95),)


CASE = HostsNearAndFar()
