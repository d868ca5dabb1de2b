"""Steps of fields into files whose values may be off by a thousandth of their range; then all of them are read.

The limits are the same values as they are, uncompressed, in a file of ours, and what h5py writes with the lossy filters
of hdf5plugin, in chunks of the same size. All of it is on the disk at the end.
"""

import os
import tempfile
import time
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from ..contenders.base import Array, Contender, StepWriter, untyped
from ..contenders.h5py import H5pyFile
from ..contenders.staithe import StaitheFile
from ..harness.results import OURS, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case
from .files_steps import DIRECTORY
from .in_flight_links import ERROR, FIELDS_SENT, field_named

AS_IT_IS, BY_H5PY = "HDF5, as it is", ("h5py, sz3", "h5py, zfp")
# By row: the ending of the path, and the options of the writer.
WAYS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    AS_IT_IS: (".h5", {}),
    "HDF5": (".h5", {"error": f"{ERROR} rel"}),
    "HDF5, dq": (".h5", {"error": f"{ERROR} rel", "codec": "dq"}),
    "Zarr": (".zarr", {"error": f"{ERROR} rel"}),
    "Zarr, dq": (".zarr", {"error": f"{ERROR} rel", "codec": "dq"}),
}
SECONDS = 2.0  # that writing is to take, about: opening a file, and first steps in new memory, take a tenth of one
MOST_STEPS, FIRST_STEPS = 400, 8


def _by_h5py(path: Path, values: Array, bound: float, codec: str) -> StepWriter:
    """As a program does that has read the page of hdf5plugin."""
    plugin = untyped("hdf5plugin")
    filters = plugin.SZ3(absolute=bound) if codec == "sz3" else plugin.Zfp(accuracy=bound)
    rows = min(max(1, values.shape[0] * 4 * MIB // values.nbytes), values.shape[0])
    return H5pyFile(path, values.shape, values.dtype, rows, **filters)


class FilesCoded(Case):
    name = "files_coded"
    title = "Fields into files, error 1e-3 of the range, by one program that has all cores; and out of them"
    note = "Bytes of values a second, until the disk has all; `times smaller` is the file. h5py: filters of hdf5plugin."
    ways: tuple[str, ...] = (*WAYS, *BY_H5PY)

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=OURS,
                point=f"{field}, {way}",
                settings={"field": field, "way": way, "items": 1, "steps": 1},
                readers=0,
                timeout=180,
            )
            for field in (FIELDS_SENT[1:2] if quick else FIELDS_SENT)
            for way in self.ways
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        os.sched_setaffinity(0, range(os.cpu_count() or 1))  # files are written beside what computes
        field, way = field_named(seat.settings["field"]), seat.settings["way"]
        values = field.load()
        bound = ERROR * field.span(values)

        def open_file(path: Path) -> StepWriter:
            if way in WAYS:
                return StaitheFile(path, field.fill, **WAYS[way][1])
            return _by_h5py(path, values, bound, way.split(", ")[1])

        ending = WAYS[way][0] if way in WAYS else ".h5"
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="files-", dir=DIRECTORY) as directory:
            of_first = _write(open_file, Path(directory, f"first{ending}"), values, FIRST_STEPS)
            steps = int(min(MOST_STEPS, max(FIRST_STEPS, FIRST_STEPS * SECONDS / of_first)))
            path = Path(directory, f"all{ending}")
            written = _write(open_file, path, values, steps)
            size = sum(file.stat().st_size for file in [path, *path.rglob("*")] if file.is_file())
            began = time.perf_counter()
            for got in _read(way, path, steps):
                last = got
            read = time.perf_counter() - began
        off = float(np.abs(last.astype("f8") - values)[field.counts(values)].max())
        if way in WAYS and off > bound * (1 + 1e-9):
            raise ValueError(f"off by {off:g}")
        return {"bytes": values.nbytes * steps, "written": written, "read": read, "size": size}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return tuple(f"{trial.point}: {what}" for what in ("written", "read", "times smaller"))

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        [writer] = outcome.writers
        per = (1e9 * writer["written"], 1e9 * writer["read"], writer["size"])
        return {row: writer["bytes"] / each for row, each in zip(self.rows(trial), per, strict=True)}

    def unit(self, row: str) -> str:
        return "" if row.endswith("smaller") else "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        of, what = row.split(": ")
        field, way = of.split(", ", 1)
        if what != "written" or way not in WAYS or way == AS_IT_IS:
            return ()
        return tuple(Target(5.0, f"{field}, {peer}: written") for peer in BY_H5PY)


def _write(open_file: Any, path: Path, values: Array, steps: int) -> float:
    began = time.perf_counter()
    with closing(open_file(path)) as file:
        for _ in range(steps):
            file.put({"x": values})
    os.sync()  # what whoever has written has not
    return time.perf_counter() - began


def _read(way: str, path: Path, steps: int) -> Any:
    """Each step, by who wrote it."""
    if way in WAYS:
        for step in untyped("staithe").reader(str(path)):
            yield step["x"][...]
        return
    untyped("hdf5plugin")
    array = untyped("h5py").File(path)["x"]
    for step in range(steps):
        yield array[step]


CASE = FilesCoded()
