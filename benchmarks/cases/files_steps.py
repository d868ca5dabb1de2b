"""Steps into files, of values that no codec makes smaller; all of them are on the disk at the end, for everyone.

The limit writes one file past the cache of the kernel (O_DIRECT), as fio does, step by step, and synchronises it at
the end. h5py flushes each step, so that others can open the file, as they can ours. Of a simulation that computes the
same time again and again it is measured how much longer its steps take while they are written.
"""

import os
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..contenders.base import Contender, untyped
from ..harness.results import OURS, Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check

DIRECTORY = Path(__file__).resolve().parents[2] / "build" / "bench"
STEPS = {"16 MiB": 60, "1 MiB": 400}
ITEMS = {"16 MiB": 16 * MIB // 8, "1 MiB": MIB // 8}
PEERS = {"HDF5": ("h5py",), "Zarr": ("zarr", "tensorstore", "bp5")}
ENDINGS = {"HDF5": ".h5", "Zarr": ".zarr"}
BESIDE = "beside a simulation, 16 MiB"
STEP_SECONDS = 0.1  # that the simulation computes


class FilesSteps(Case):
    name = "files_steps"
    title = "Steps into a file, by one program that has all cores"
    note = (
        "Bytes of values a second, until the disk has all. Beside a simulation: the time of a step of about 0.1 s over "
        "that of one which is not written. BP5 has a format of its own."
    )

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=f"{kind}, {size}",
                settings={"items": ITEMS[size.split(", ")[-1]], "steps": steps, "computing": computing, "format": kind},
                readers=0,
                timeout=120,
            )
            for kind, peers in PEERS.items()
            for size, steps, computing in [
                *((size, steps, 0.0) for size, steps in STEPS.items()),
                (BESIDE, 20, STEP_SECONDS),
            ]
            for contender in (*(("limit",) if not computing else ()), OURS, *peers)
        ]

    def repeats(self, quick: bool) -> int:
        return 2 if quick else 5

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        os.sched_setaffinity(0, range(os.cpu_count() or 1))  # files are written beside what computes
        DIRECTORY.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix="files-", dir=DIRECTORY) as directory:
            return _measure(contender, seat, Path(directory) / f"x{ENDINGS[seat.settings['format']]}")

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        [writer] = outcome.writers
        if trial.settings["computing"]:
            return {trial.point: writer["simulation"] / writer["alone"]}
        return {trial.point: 8e-9 * trial.settings["items"] * trial.settings["steps"] / writer["seconds"]}

    def unit(self, row: str) -> str:
        return "× without" if BESIDE in row else "GB/s"

    def better_of(self, row: str) -> Better:
        return "lower" if BESIDE in row else "higher"

    def targets(self, row: str) -> tuple[Target, ...]:
        if BESIDE in row:
            return (Target(1.05, sense="at most"),)
        if row.startswith("HDF5"):
            return (Target(0.8, "limit"), Target(3.0, "h5py"))
        return (Target(0.8, "limit"), Target(1.2, "tensorstore"), Target(1.2, "bp5"), Target(10.0, "zarr"))


def _measure(contender: Contender, seat: Seat, path: Path) -> Mapping[str, float]:
    values = np.random.default_rng(1).normal(size=seat.items)
    work = np.linspace(0, 1, MIB)

    def sine() -> float:
        began = time.perf_counter()
        np.sin(work, out=work)
        return time.perf_counter() - began

    sines = round(seat.settings["computing"] / min(sine() for _ in range(10)))

    def compute() -> None:
        for _ in range(sines):
            sine()

    def compute_alone() -> float:
        began = time.perf_counter()
        for _ in range(seat.counted):
            compute()
        return time.perf_counter() - began

    before = compute_alone()
    began = time.perf_counter()
    file = contender.filing(path, seat.items)
    for step in range(seat.counted):
        compute()
        values[-1] = step
        file.put({"x": values})
    simulation = time.perf_counter() - began
    file.close()
    os.sync()  # what whoever has written has not; a file at a time would take longer
    seconds = time.perf_counter() - began
    alone = (before + compute_alone()) / 2  # the machine's speed changes
    _check_last(contender, seat, path)
    return {"alone": alone, "simulation": simulation, "seconds": seconds}


def _check_last(contender: Contender, seat: Seat, path: Path) -> None:
    last = seat.counted - 1
    if contender.name in ("staithe", *PEERS[seat.settings["format"]][:2]):
        array = (
            untyped("h5py").File(path)["x"]
            if seat.settings["format"] == "HDF5"
            else untyped("zarr").open_array(path / "x", mode="r")
        )
        check(last, float(array[last, -1]), float(last))


CASE = FilesSteps()
