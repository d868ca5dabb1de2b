"""Four writers hold rows of a two-dimensional array, two readers want columns of it, step by step.

The limit is one process that does the same strided copy in its own memory, with NumPy, from four row blocks into two
column blocks: no other process, no hand-over. It uses one core; the contenders' six processes share two.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Array, Contender, columns_of, rows_of
from ..harness.results import LIMIT, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, Stopwatch, check

# Rows and columns; a step is 8 bytes a value.
SHAPES = {64: (2048, 4096), 256: (4096, 8192)}
STEPS = {64: 24, 256: 10}
WRITERS, READERS = 4, 2


class Redistribution(Case):
    name = "redistribution"
    title = "Redistribution: 4 writers with rows × 2 readers with columns"
    readers = READERS
    note = "Limit: one process doing the same strided copy with NumPy, on one core."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=f"{size} MiB",
                settings={
                    "size": size,
                    "queue": 2,
                    "warmup": 1 if contender == "sst" else 3,
                    # SST takes seconds for the larger ones.
                    "steps": STEPS[size] // 3 if contender == "sst" else STEPS[size],
                    "cooldown": 1 if contender == "sst" else 2,
                },
                writers=0 if contender == LIMIT else WRITERS,
                readers=1 if contender == LIMIT else READERS,
            )
            for size in ((64,) if quick else SHAPES)
            for contender in (LIMIT, "staithe", "mpi", "sst")
        ]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        shape = SHAPES[seat.settings["size"]]
        rows = rows_of(seat, shape, seat.rank)
        writer = contender.block_writer(seat, shape)
        block = np.ones((rows.stop - rows.start, shape[1]))
        for _ in range(seat.steps):
            block[0] += 1.0
            writer.put(block)
        writer.close()
        return {}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        shape = SHAPES[seat.settings["size"]]
        if contender.name == LIMIT:
            return _copy_alone(seat, shape, self.readers)
        columns = columns_of(seat, shape, seat.rank)
        reader = contender.part_reader(seat, shape)
        part = np.zeros((shape[0], columns.stop - columns.start))
        watch = Stopwatch(seat)
        for step in range(seat.steps):
            reader.read_into(part)
            for writer in range(seat.trial.writers):
                _check_block(step, part[rows_of(seat, shape, writer)])
            watch.done()
        return {"seconds": watch.seconds}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        total = trial.settings["size"] * MIB * trial.settings["steps"]
        return {trial.point: total / max(reader["seconds"] for reader in outcome.readers) / 1e9}

    def unit(self, row: str) -> str:
        return "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        return Target(0.8, LIMIT), Target(1.0, "peers")


def _copy_alone(seat: Seat, shape: tuple[int, int], readers: int) -> Mapping[str, Any]:
    blocks = np.split(np.ones(shape), WRITERS)
    blocks = [block.copy() for block in blocks]
    parts = [np.zeros((shape[0], shape[1] // readers)) for _ in range(readers)]
    for _ in range(seat.warmup):
        _copy(blocks, parts)
    started = time.perf_counter()
    for _ in range(seat.counted):
        _copy(blocks, parts)
    return {"seconds": time.perf_counter() - started}


def _copy(blocks: list[Array], parts: list[Array]) -> None:
    height, width = blocks[0].shape[0], parts[0].shape[1]
    for row, block in enumerate(blocks):
        for column, part in enumerate(parts):
            part[row * height : (row + 1) * height] = block[:, column * width : (column + 1) * width]


def _check_block(step: int, block: Array) -> None:
    """Its corners: its first row grows by one a step, the others stay at one."""
    check(step, float(block[0, 0] + block[0, -1]), 2.0 * (step + 2))
    check(step, float(block[-1, 0] + block[-1, -1]), 2.0)


CASE = Redistribution()
