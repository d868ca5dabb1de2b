"""What a case is: trials to run, the code of their writers and readers, and what their outcomes mean."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from itertools import pairwise
from statistics import median
from typing import Any

from ..coding.fields import Field
from ..contenders.base import Contender, ObjectStore
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial

MIB = 1 << 20


def median_seconds(work: Callable[[], object], repeats: int, discarded: int = 1) -> float:
    """Of so many calls, after others that do not count."""
    seconds = []
    for _ in range(discarded + repeats):
        began = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - began)
    return median(seconds[discarded:])


class Case(ABC):
    """One family of rows. `write` and `read` run in the worker processes, everything else in the launcher."""

    name: str
    title: str
    note: str
    better: Better = "higher"
    network: Mapping[str, Any] = {}  # of its trials

    @abstractmethod
    def trials(self, quick: bool) -> list[Trial]:
        """What one repeat runs, in the order of the rows and columns."""

    def fields(self, trial: Trial) -> tuple[Field, ...]:
        """What it sends, and cannot fetch where it runs."""
        return ()

    def repeats(self, quick: bool) -> int:
        return 2 if quick else 5

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        raise NotImplementedError

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        raise NotImplementedError

    def keep(self, objects: ObjectStore, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """What cases with objects do with those of everyone."""
        raise NotImplementedError

    def keep_durably(self, contender: Contender, trial: Trial) -> Mapping[str, Any]:
        """What cases with objects on disk do with those of everyone."""
        raise NotImplementedError

    @abstractmethod
    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        """What the outcome says: a value for each row that it belongs to."""

    def rows(self, trial: Trial) -> tuple[str, ...]:
        """The rows that the trial's outcome fills."""
        return (trial.point,)

    def better_of(self, row: str) -> Better:
        """Where the rows of a case differ in that."""
        return self.better

    @abstractmethod
    def unit(self, row: str) -> str: ...

    def targets(self, row: str) -> tuple[Target, ...]:
        return ()


class Stopwatch:
    """Times the steps that count: from the end of the warm-up to the end of the last of them."""

    def __init__(self, seat: Seat) -> None:
        self._first, self._last = seat.warmup, seat.warmup + seat.counted
        self._moments = [time.perf_counter()]
        self._busy = [time.process_time()]

    def done(self) -> None:
        """A step."""
        self._moments.append(time.perf_counter())
        self._busy.append(time.process_time())

    @property
    def seconds(self) -> float:
        return self._moments[self._last] - self._moments[self._first]

    @property
    def processor_seconds(self) -> float:
        """Of all threads of this process, its own and the kernel's for it."""
        return self._busy[self._last] - self._busy[self._first]

    def slow_steps(self) -> int:
        """How many there were before the first that came at 0.9 of the rate of those that count."""
        enough = median(self._took(self._first, self._last)) / 0.9
        return next(number for number, seconds in enumerate(self._took(0, self._last)) if seconds <= enough)

    def _took(self, first: int, last: int) -> list[float]:
        return [after - before for before, after in pairwise(self._moments[first : last + 1])]


class Wrong(Exception):
    """A reader got other values than were written."""


def check(step: int, found: float, expected: float) -> None:
    if found != expected:
        raise Wrong(f"step {step}: {found} in place of {expected}")
