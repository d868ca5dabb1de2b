"""Dask's mean of 4 GB in a space of a server, by two workers, each on a core of its own.

The limit is NumPy over the same memory, where it lies, in two threads. Dask has its default optimisation; what it takes
to start its workers is not counted, what it takes to send them their tasks is.
"""

import os
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender, untyped
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check

BLOCK = 64 * MIB // 8  # elements
REPEATS = 3
DASK, THREADS = "mean by Dask, two workers", "mean by NumPy, two threads"


class ServersDask(Case):
    name = "servers_dask"
    title = "Dask on a space of a server on the same machine"
    note = "4 GB (0.5 GB in a quick run) in blocks of 64 MiB. Limit: NumPy where they lie, in two threads."

    def trials(self, quick: bool) -> list[Trial]:
        settings = {"blocks": 8 if quick else 64, "server": True}
        return [Trial(case=self.name, contender="staithe", point=DASK, settings=settings, readers=0, timeout=300)]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        blocks = seat.settings["blocks"]
        os.sched_setaffinity(0, range(os.cpu_count() or 1))  # what it starts has all cores
        space = untyped("staithe").space("dask", server="staithe", timeout=seat.trial.timeout)
        values = np.random.default_rng(1).random(BLOCK)
        for block in range(blocks):
            space.put("T", values + block, offset=block * BLOCK, shape=blocks * BLOCK, dims="x", version=0)
        expected = float(values.mean()) + (blocks - 1) / 2
        box = untyped("staithe").Box
        views = [space.get("T", box=box((block * BLOCK,), (BLOCK,))) for block in range(blocks)]
        with ThreadPoolExecutor(2) as threads:
            by_hand = _median_of(lambda: sum(threads.map(np.sum, views)) / (blocks * BLOCK), expected)
        distributed, xarray = untyped("distributed"), untyped("xarray")
        with (
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            distributed.Client(cluster),
        ):
            dataset = xarray.open_dataset("dask", engine="staithe", server="staithe", chunks={})
            by_dask = _median_of(lambda: float(dataset.T.mean()), expected)
        return {DASK: by_dask, THREADS: by_hand}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (DASK, THREADS)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        size = 8e-9 * BLOCK * trial.settings["blocks"]
        return {row: size / seconds for row, seconds in outcome.writers[0].items()}

    def unit(self, row: str) -> str:
        return "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(0.8, THREADS),) if row == DASK else ()


def _median_of(mean: Any, expected: float) -> float:
    """The seconds that it takes, once it has run: pages are mapped, modules imported."""
    seconds = []
    for _ in range(1 + REPEATS):
        began = time.perf_counter()
        found = mean()
        seconds.append(time.perf_counter() - began)
        check(0, round(float(found), 6), round(expected, 6))
    return median(seconds[1:])


CASE = ServersDask()
