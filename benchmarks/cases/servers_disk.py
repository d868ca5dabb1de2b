"""Objects that outlive whoever keeps them: each is on the disk when its put returns.

The limit writes to a file that grows, and waits for the disk (fdatasync) with each object, or once for many; to start
anew it reads that file, most of which lies in the page cache for everyone. Redis has its append-only file, with
`appendfsync always`. All files lie beside each other, below build/.
"""

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender, DurableStore
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check

LARGE, SMALL, TOGETHER = "put, 64 MiB", "put, 1 KiB", "put together, 1 KiB"
START = "start anew"
ITEMS = {LARGE: 64 * MIB // 8, SMALL: 128, TOGETHER: 128}
AT_ONCE = 4000
DIRECTORY = Path(__file__).resolve().parents[2] / "build" / "bench"


class ServersDisk(Case):
    name = "servers_disk"
    title = "Objects on disk, by a space of a server on the same machine"
    note = (
        "Each is on the disk when its put returns. Start anew: with all of these objects, 60,000 (12,000 in a quick "
        "run) and 0.3 GB, after a kill; Staithe's includes the interpreter that runs `staithe serve`."
    )

    def trials(self, quick: bool) -> list[Trial]:
        settings = {"items": 0, "durable": True, LARGE: 4, SMALL: 300, TOGETHER: 3 if quick else 15}
        return [
            Trial(case=self.name, contender=contender, point=LARGE, settings=settings, readers=0, timeout=120)
            for contender in ("limit", "staithe", "redis")
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return self.keep_durably(contender, seat.trial)

    def keep_durably(self, contender: Contender, trial: Trial) -> Mapping[str, Any]:
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        with (
            tempfile.TemporaryDirectory(prefix="disk-", dir=DIRECTORY) as directory,
            contender.durable(Path(directory), trial.timeout) as store,
        ):
            return _measure(store, trial.settings)

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (LARGE, SMALL, TOGETHER, START)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        seconds = outcome.writers[0] if outcome.writers else outcome.program
        return {
            LARGE: 8e-9 * ITEMS[LARGE] / seconds[LARGE],
            SMALL: 1 / seconds[SMALL],
            TOGETHER: AT_ONCE / seconds[TOGETHER],
            START: seconds[START],
        }

    def unit(self, row: str) -> str:
        return {LARGE: "GB/s", START: "s"}.get(row, "1/s")

    def better_of(self, row: str) -> Better:
        return "lower" if row == START else "higher"

    def targets(self, row: str) -> tuple[Target, ...]:
        return {LARGE: (Target(0.8, "limit"),), SMALL: (Target(1.0, "redis"),), TOGETHER: (Target(1.0, "redis"),)}.get(
            row, ()
        )


def _measure(store: DurableStore, settings: Mapping[str, Any]) -> Mapping[str, float]:
    """The median times of a put, or of many together; the time of a start."""
    seconds: dict[str, float] = {}

    def timed(kind: str, put: Callable[[int], None]) -> None:
        times = []
        for number in range(settings[kind]):
            began = time.perf_counter()
            put(number)
            times.append(time.perf_counter() - began)
        seconds[kind] = median(times)

    large, small = (np.random.default_rng(1).normal(size=ITEMS[kind]) for kind in (LARGE, SMALL))
    timed(LARGE, lambda number: store.put(f"large {number}", large))
    timed(SMALL, lambda number: store.put(f"small {number}", small))
    timed(
        TOGETHER,
        lambda number: store.put_all({f"together {number} {each}": small + each for each in range(AT_ONCE)}),
    )
    seconds[START] = store.restart()
    last = settings[TOGETHER] - 1
    check(0, float(store.get(f"together {last} {AT_ONCE - 1}")[7]), float(small[7] + AT_ONCE - 1))
    check(0, float(store.get("large 0")[-1]), float(large[-1]))
    return seconds


CASE = ServersDisk()
