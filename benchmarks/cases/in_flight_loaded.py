"""Other programs come to the writer's core in the middle of a run, and leave it a quarter.

Is what is chosen near to the best single way then, and how soon is it chosen?
"""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..coding.fields import Field
from ..contenders.base import Contender, untyped
from ..harness.results import OURS, Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case
from .hosts_throughput import NETWORK
from .in_flight_links import AS_IT_IS, CHOSEN, CODECS, LEARNING, OWN, field_named, writer_at
from .in_flight_predictions import ways_of

RATE = 1e10
OTHERS = 3  # that share the core with the writer
STEPS = 200  # before they come, and after
LATER = 10  # the first ones with them do not count
ALONE, LOADED = "alone", "core shared by four"
MOVED = "steps until the choice has moved"
WATCHED = f"{CHOSEN}, watched"
LITTLE = 0.1  # of the bytes go another way than before
IN_THE_END, AT_ONCE = 60, 3  # steps whose mean counts, before or in the end, and in between


class InFlightLoaded(Case):
    name = "in_flight_loaded"
    title = "Between hosts, over 10 Gbit/s, error 1e-3 of the range, before and after others share the writer's core"
    note = (
        "GB/s of values; of steps from the tenth after they have come on. What is chosen is watched in another trial."
    )

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=OURS,
                point=f"{field}: {way}",
                settings={
                    "field": field,
                    "codec": (CODECS | {WATCHED: None}).get(way, way),
                    "watched": way == WATCHED,
                    "steps": 2 * STEPS,
                    "warmup": LEARNING,
                    "cooldown": 2,
                    "items": 1,
                    "queue": 3,
                },
                network={**NETWORK, "rate": RATE},
            )
            for field in (("gray-scott",) if quick else ("gray-scott", "positions"))
            for way in (CHOSEN, AS_IT_IS, OWN, WATCHED)
        ]

    def fields(self, trial: Trial) -> tuple[Field, ...]:
        return (field_named(trial.settings["field"]),)

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 5

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        field = field_named(seat.settings["field"])
        values = field.load()
        with others_on_this_core() as let_come, writer_at(seat) as out:
            for number in range(seat.steps):
                if number == seat.warmup + STEPS:
                    let_come()
                with out.step() as step:
                    step.put("x", values, fill=field.fill)
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        staithe = untyped("staithe")
        done, went = [], []
        codec = seat.settings["codec"]
        with staithe.reader(seat.stream, codec=codec, timeout=seat.trial.timeout) as steps:
            for step in steps:
                got = step["x"][...]
                done.append(time.perf_counter())
                # When the writer has made its last step, nobody finds the stream any more.
                if seat.settings["watched"] and len(done) < seat.steps - seat.queue - 2:
                    went.append(
                        {
                            f"{way['codec']} {way['mode']}": way["bytes"]
                            for way in ways_of(staithe.describe(seat.stream))
                        }
                    )
        came = seat.warmup + STEPS
        begin, end = came + LATER, seat.warmup + seat.counted
        alone, loaded = done[came - 1] - done[seat.warmup - 1], done[end - 1] - done[begin - 1]
        result = {ALONE: got.nbytes * STEPS / alone / 1e9, LOADED: got.nbytes * (end - begin) / loaded / 1e9}
        return result | ({MOVED: steps_until_moved(went, came)} if went else {})

    def rows(self, trial: Trial) -> tuple[str, ...]:
        field, way = trial.point.split(": ")
        if way == WATCHED:
            return (f"{field}: {MOVED}",)
        return tuple(f"{field}, {when}: {way}" for when in (ALONE, LOADED))

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        [reader] = outcome.readers
        field, way = trial.point.split(": ")
        if way == WATCHED:
            return {f"{field}: {MOVED}": reader[MOVED]}
        return {f"{field}, {when}: {way}": reader[when] for when in (ALONE, LOADED)}

    def better_of(self, row: str) -> Better:
        return "lower" if row.endswith(MOVED) else "higher"

    def unit(self, row: str) -> str:
        return "steps" if row.endswith(MOVED) else "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        of, way = row.split(": ")
        if way == MOVED:
            return (Target(3, sense="at most"),)
        is_loaded = of.endswith(LOADED) and way == CHOSEN
        return tuple(Target(0.9, f"{of}: {fixed}") for fixed in (AS_IT_IS, OWN)) if is_loaded else ()


@contextmanager
def others_on_this_core() -> Iterator[Any]:
    """What has them begin, at once; they end with the context."""
    wait_and_spin = "import sys\nsys.stdin.readline()\nwhile True:\n    pass\n"
    others = [
        subprocess.Popen([sys.executable, "-c", wait_and_spin], stdin=subprocess.PIPE, text=True) for _ in range(OTHERS)
    ]

    def let_come() -> None:
        for other in others:
            assert other.stdin is not None
            other.stdin.write("\n")
            other.stdin.flush()

    try:
        yield let_come
    finally:
        for other in others:
            other.kill()
            other.communicate()


def steps_until_moved(went: list[dict[str, float]], came: int) -> float:
    """Of the bytes that had gone each way after each step: steps after that number until half of what changes has."""
    ways = sorted({way for each in went for way in each})
    bytes_of = np.diff([[each.get(way, 0.0) for way in ways] for each in went], axis=0)
    before = _shares(bytes_of[came - IN_THE_END : came])
    change = _shares(bytes_of[-IN_THE_END:]) - before
    if np.abs(change).sum() / 2 <= LITTLE:
        return 0.0
    for step in range(came, len(bytes_of) - AT_ONCE):
        if (_shares(bytes_of[step : step + AT_ONCE]) - before) @ change >= change @ change / 2:
            return float(step - came)
    return float(len(bytes_of) - came)


def _shares(bytes_of: NDArray[Any]) -> NDArray[Any]:
    total = bytes_of.sum(axis=0)
    shares: NDArray[Any] = total / total.sum()
    return shares


CASE = InFlightLoaded()
