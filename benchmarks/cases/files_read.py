"""Recordings of ours read: whole steps, and small boxes of them, by us and by those who read the same files.

What is read lies in the kernel's cache of file pages. The limit is a copy of a step's values in memory.
"""

import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..contenders.base import Array, Contender, untyped
from ..contenders.staithe import StaitheFile
from ..harness.results import OURS, Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, median_seconds
from .files_steps import DIRECTORY
from .in_flight_links import ERROR, field_named

FIELD = "turbulence"  # twice along each dimension
AS_IT_IS, STOCK, DQ = "as it is", "error 1e-3", "error 1e-3, dq"
# By way: the options of the writer.
WAYS: Mapping[str, Mapping[str, str]] = {
    AS_IT_IS: {},
    STOCK: {"error": f"{ERROR} rel"},
    DQ: {"error": f"{ERROR} rel", "codec": "dq"},
}
ENDINGS = {"HDF5": ".h5", "Zarr": ".zarr"}
PEERS = {"HDF5": ("h5py",), "Zarr": ("tensorstore", "zarrs")}
LIMIT = "a copy"
WHOLE, BOX = "whole steps", "a box of 32³"
BOX_SECONDS = 3e-3
REPEATS = 9

Read = Callable[[tuple[slice, ...]], Any]


def _open(by: str, path: Path) -> Read:
    """What reads a part of the second step, by whom."""
    if by == OURS:
        _, step = untyped("staithe").reader(str(path))
        return lambda part: step["x"][part]
    if by == "tensorstore":
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{path}/x"}}
        stored = untyped("tensorstore").open(spec).result()
        return lambda part: stored[(1, *part)].read().result()
    if by == "zarrs":
        untyped("zarrs")
        zarr = untyped("zarr")
        zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline"})
        array = zarr.open_group(path, mode="r")["x"]
        return lambda part: array[(1, *part)]
    untyped("hdf5plugin")
    untyped("staithe.codecs.hdf5")
    dataset = untyped("h5py").File(path)["x"]
    return lambda part: dataset[(1, *part)]


def _peers(kind: str, way: str) -> tuple[str, ...]:
    """Those who can read it: of Zarr's others none knows codecs of ours."""
    return () if kind == "Zarr" and way == DQ else PEERS[kind]


class FilesRead(Case):
    name = "files_read"
    title = "Recordings read from the cache of file pages, by one program that has all cores"
    note = "Bytes of values a second, and milliseconds. tensorstore and zarrs know no codecs of ours."

    def trials(self, quick: bool) -> list[Trial]:
        rows = [(kind, way, by) for kind in PEERS for way in WAYS for by in (OURS, *_peers(kind, way))]
        return [
            Trial(
                case=self.name,
                contender=OURS,
                point=f"{kind}, {way}, {by}",
                settings={"format": kind, "way": way, "by": by, "items": 1, "steps": 1},
                readers=0,
                timeout=180,
            )
            for kind, way, by in (rows[:2] if quick else rows)
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
        by, way = seat.settings["by"], seat.settings["way"]
        field = field_named(FIELD)
        values: Array = np.tile(field.load(), (2, 2, 2))
        whole = tuple(slice(0, length) for length in values.shape)
        box = tuple(slice(length // 3, length // 3 + 32) for length in values.shape)
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="files-", dir=DIRECTORY) as directory:
            path = Path(directory, f"x{ENDINGS[seat.settings['format']]}")
            file = StaitheFile(path, field.fill, **WAYS[way])
            for step in (values, -values):
                file.put({"x": step})
            file.close()
            read = _open(by, path)
            bound = ERROR * field.span(values) * (1 + 1e-6) if way != AS_IT_IS else 0.0
            for part in (whole, box):
                if not (np.abs(read(part) + values[part]) <= bound).all():
                    raise ValueError(f"{by} reads something else")
            copied = np.empty_like(values)
            return {
                "bytes": values.nbytes,
                WHOLE: median_seconds(lambda: read(whole), REPEATS),
                BOX: median_seconds(lambda: read(box), REPEATS),
                LIMIT: median_seconds(lambda: np.copyto(copied, values), REPEATS),
            }

    def rows(self, trial: Trial) -> tuple[str, ...]:
        own = tuple(f"{trial.point}: {what}" for what in (WHOLE, BOX))
        return (*own, LIMIT) if trial.point == f"HDF5, {AS_IT_IS}, {OURS}" else own

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        [took] = outcome.writers
        values = {
            f"{trial.point}: {WHOLE}": took["bytes"] / took[WHOLE] / 1e9,
            f"{trial.point}: {BOX}": 1e3 * took[BOX],
        }
        return {row: values.get(row, took["bytes"] / took[LIMIT] / 1e9) for row in self.rows(trial)}

    def unit(self, row: str) -> str:
        return "ms" if row.endswith(BOX) else "GB/s"

    def better_of(self, row: str) -> Better:
        return "lower" if row.endswith(BOX) else "higher"

    def targets(self, row: str) -> tuple[Target, ...]:
        if f", {OURS}: " not in row:
            return ()
        kind, way = row.split(f", {OURS}: ")[0].split(", ", 1)
        if row.endswith(BOX):
            return (Target(1e3 * BOX_SECONDS, sense="at most"),)
        return tuple(Target(1.0, row.replace(f", {OURS}: ", f", {peer}: ")) for peer in _peers(kind, way))


CASE = FilesRead()
