"""CPU time of a process that waits: a reader for the next step, a writer for room in its queue.

The limit is none at all: who sleeps in the kernel uses nothing. Counted is the whole process, background threads
included, over the waiting's wall-clock time.
"""

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case

READER, WRITER = "a reader without steps", "a writer with a full queue"
QUEUE = 2


class Idle(Case):
    name = "idle"
    title = "A process that waits"
    note = "CPU time over wall-clock time. Limit: a sleep on a futex by hand."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=point,
                settings={
                    "items": 128,
                    "queue": QUEUE,
                    "steps": QUEUE + 2,
                    "seconds": 2 if quick else 5,
                    "blocking": True,
                },
            )
            for point in (READER, WRITER)
            for contender in ("limit", "staithe", "iceoryx2", "mpi", "sst")
        ]

    def repeats(self, quick: bool) -> int:
        return 1

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        writer = contender.writer(seat)
        values = np.zeros(seat.items)
        used = math.nan  # if it never has to wait
        for step in range(seat.steps):
            if seat.trial.point == READER and step == 1:
                time.sleep(seat.settings["seconds"])
            usage = _Usage()
            writer.put({"x": values})
            used = usage.share() if usage.lasted(seat) else used
        writer.close()
        return {"share": used}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        reader = contender.reader(seat)
        used = math.nan  # if it never has to wait
        for step in range(seat.steps):
            if seat.trial.point == WRITER and step == 1:
                time.sleep(seat.settings["seconds"])  # with step 0 in hand: the queue fills up
            usage = _Usage()
            reader.next()
            used = usage.share() if usage.lasted(seat) else used
        return {"share": used}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        side = outcome.readers if trial.point == READER else outcome.writers
        return {trial.point: 100 * side[0]["share"]}

    def unit(self, row: str) -> str:
        return "% of a core"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(0.5, sense="at most"),)


class _Usage:
    """CPU and wall-clock time since its making."""

    def __init__(self) -> None:
        self._cpu, self._wall = time.process_time(), time.perf_counter()

    def share(self) -> float:
        return (time.process_time() - self._cpu) / (time.perf_counter() - self._wall)

    def lasted(self, seat: Seat) -> bool:
        """Whether this was the long wait, and not a step that was there already."""
        return time.perf_counter() - self._wall > 0.5 * float(seat.settings["seconds"])


CASE = Idle()
