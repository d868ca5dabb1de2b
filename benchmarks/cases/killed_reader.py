"""What it costs the writer that a reader is killed with a step in its hands: the longest put in the moments after it.

One reader stays all the time; others come, one after the other, and are killed by SIGKILL. The limit by hand loses no
reader: its longest put at the same moments is what the machine's noise makes of an undisturbed put.
"""

import os
import signal
import time
from collections.abc import Mapping
from itertools import pairwise
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check

KILLS = 8
STEPS_APART = 12
COMPUTE_SECONDS = 0.02
AFTERMATH_SECONDS = 0.1
ROWS = ("a put otherwise", "the longest put after a kill", "cost of a kill, median", "cost of a kill, worst")


class KilledReader(Case):
    name = "killed_reader"
    title = f"A reader that is killed, 64 MiB, a step every {1000 * COMPUTE_SECONDS:.0f} ms, {KILLS} kills"
    note = "Cost: the longest put within 0.1 s, less a median one, over the time of a step. Limit: nobody is killed."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point="64 MiB",
                settings={"kind": "put", "items": 64 * MIB // 8, "queue": 4, "steps": (KILLS + 1) * STEPS_APART},
            )
            for contender in ("limit", "staithe")
        ]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        field = np.ones(seat.items)
        writer = contender.writer(seat)
        puts = []
        for step in range(seat.steps):
            time.sleep(COMPUTE_SECONDS)
            field[0] = step
            began = time.monotonic()
            writer.put({"x": field})
            puts.append((began, time.monotonic()))
        writer.close()
        return {"puts": puts}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        victims = [Victim(contender, seat) for _ in range(KILLS if contender.name == "staithe" else 0)]
        reader = contender.reader(seat)
        kills = []
        for step in range(seat.steps):
            arrays = reader.next()
            check(step, arrays["x"][0], step)
            del arrays
            turn, moment = divmod(step, STEPS_APART)
            if moment == 0 and turn < len(victims):
                victims[turn].begin()
            if moment == STEPS_APART - 4 and turn < KILLS:
                kills.append(time.monotonic())
                if victims:
                    victims[turn].kill()
        return {"kills": kills}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return ROWS

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        puts, kills = outcome.writers[0]["puts"], outcome.readers[0]["kills"]
        usual = median(end - began for began, end in puts)
        step_time = median(later - began for (began, _), (later, _) in pairwise(puts))
        longest = [
            max(end - began for began, end in puts if end >= kill and began <= kill + AFTERMATH_SECONDS)
            for kill in kills
        ]
        costs = [(stall - usual) / step_time for stall in longest]
        return dict(zip(ROWS, (1000 * usual, 1000 * median(longest), median(costs), max(costs)), strict=True))

    def unit(self, row: str) -> str:
        return "steps" if row.startswith("cost") else "ms"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(1.0, sense="at most"),) if row.startswith("cost") else ()


class Victim:
    """A reader in a process of its own, that reads from `begin` on until it is killed."""

    def __init__(self, contender: Contender, seat: Seat) -> None:
        waiting, self._start = os.pipe()
        self._pid = os.fork()
        if self._pid == 0:
            self._read_on(contender, seat, waiting)
        os.close(waiting)

    @staticmethod
    def _read_on(contender: Contender, seat: Seat, waiting: int) -> None:
        os.read(waiting, 1)
        reader = contender.reader(seat)
        while True:
            arrays = reader.next()  # held until the next one comes
            arrays["x"].sum()

    def begin(self) -> None:
        os.write(self._start, b"!")

    def kill(self) -> None:
        os.kill(self._pid, signal.SIGKILL)
        os.waitpid(self._pid, 0)
        os.close(self._start)


CASE = KilledReader()
