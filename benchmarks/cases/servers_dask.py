"""Dask's mean of 4 GB in a space of a server, by two workers, each on a core of its own.

Beside it Dask does the same over a file in memory that each task maps: what it costs to come by the blocks is the
difference. The limit is the same in NumPy, in two threads, over the memory that the blocks lie in. xarray's mean leaves
out NaN, for which it makes copies; the plain one does not. What it takes to start Dask's workers is not counted, what
it takes to send them their tasks is.
"""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Array, Contender, untyped
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check

BLOCK = 64 * MIB // 8  # elements
REPEATS = 3
IN_MEMORY = "/dev/shm"
MEANS: Mapping[str, tuple[bool, Callable[[Array], Any]]] = {
    "mean": (True, np.nanmean),
    "plain mean": (False, np.mean),
}
DASK, FILE, THREADS = "by Dask, two workers", "by Dask, over a mapped file", "by NumPy, two threads"


class ServersDask(Case):
    name = "servers_dask"
    title = "Dask on a space of a server on the same machine"
    note = "4 GB (0.5 GB in a quick run) in blocks of 64 MiB. The plain mean does not look for NaN."

    def trials(self, quick: bool) -> list[Trial]:
        settings = {"blocks": 8 if quick else 64, "server": True}
        return [Trial(case=self.name, contender="staithe", point=DASK, settings=settings, readers=0, timeout=300)]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        blocks = seat.settings["blocks"]
        os.sched_setaffinity(0, range(os.cpu_count() or 1))  # what it starts has all cores
        values = np.random.default_rng(1).random(BLOCK)
        expected = float(values.mean()) + (blocks - 1) / 2
        space = untyped("staithe").space("dask", server="staithe", timeout=seat.trial.timeout)
        for block in range(blocks):
            space.put("T", values + block, offset=block * BLOCK, shape=blocks * BLOCK, dims="x", version=0)
        seconds = _by_numpy(space, blocks, expected)
        with _two_workers():
            dataset = untyped("xarray").open_dataset("dask", engine="staithe", server="staithe", chunks={})
            seconds |= _means(dataset.T, DASK, expected)
            space.remove("T")  # there may be no room for both
            with _mapped_file(values, blocks) as mapped:
                seconds |= _means(mapped, FILE, expected)
        return seconds

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return tuple(f"{mean} {by}" for mean in MEANS for by in (DASK, FILE, THREADS))

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        size = 8e-9 * BLOCK * trial.settings["blocks"]
        return {row: size / seconds for row, seconds in outcome.writers[0].items()}

    def unit(self, row: str) -> str:
        return "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        mean = row.removesuffix(f" {DASK}")
        return (Target(0.8, f"{mean} {THREADS}"), Target(0.95, f"{mean} {FILE}")) if mean != row else ()


@contextmanager
def _two_workers() -> Iterator[None]:
    distributed = untyped("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster),
    ):
        yield


@contextmanager
def _mapped_file(values: Array, blocks: int) -> Iterator[Any]:
    """The same array as xarray's, a chunk a block, in a file in memory."""
    dask = untyped("dask.array")
    with tempfile.NamedTemporaryFile(dir=IN_MEMORY) as file:
        for block in range(blocks):
            (values + block).tofile(file)
        file.flush()
        path = Path(file.name)

        def chunk(block_id: tuple[int] = (0,)) -> Array:
            return np.memmap(path, np.float64, "r", 8 * BLOCK * block_id[0], (BLOCK,))

        array = dask.map_blocks(chunk, chunks=((BLOCK,) * blocks,), dtype=np.float64, meta=np.empty(0))
        yield untyped("xarray").DataArray(array, dims="x")


def _by_numpy(space: Any, blocks: int, expected: float) -> dict[str, float]:
    box = untyped("staithe").Box
    views = [space.get("T", box=box((block * BLOCK,), (BLOCK,))) for block in range(blocks)]
    with ThreadPoolExecutor(2) as threads:

        def seconds_of(reduce: Callable[[Array], Any]) -> float:
            return _median_of(lambda: sum(threads.map(reduce, views)) / blocks, expected)

        return {f"{mean} {THREADS}": seconds_of(reduce) for mean, (_, reduce) in MEANS.items()}


def _means(array: Any, by: str, expected: float) -> dict[str, float]:
    def seconds_of(skips_nan: bool) -> float:
        return _median_of(lambda: float(array.mean(skipna=skips_nan)), expected)

    return {f"{mean} {by}": seconds_of(skips_nan) for mean, (skips_nan, _) in MEANS.items()}


def _median_of(mean: Callable[[], Any], expected: float) -> float:
    """The seconds that it takes, once it has run: pages are mapped, modules imported."""
    seconds = []
    for _ in range(1 + REPEATS):
        began = time.perf_counter()
        found = mean()
        seconds.append(time.perf_counter() - began)
        check(0, round(float(found), 6), round(expected, 6))
    return median(seconds[1:])


CASE = ServersDask()
