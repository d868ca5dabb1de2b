"""Writes steps of any number of variables of any size at any rate. All values can be checked (pattern.py).

    python producer.py --size "64 MiB" --steps 100
    mpiexec -n 4 python -m mpi4py producer.py --size 512x512 --size "1 KiB" --variables 10 --rate 20

A size is a number of bytes, for a one-dimensional array, or a shape. The variables take the sizes in turn.
Ranks share the first dimension.
"""

import math
import re
import time
from pathlib import Path

import numpy as np
import typer
from pattern import patterns, phase
from report import report, world

import staithe

UNITS = {"B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}


def shape_of(size: str, dtype: str) -> tuple[int, ...]:
    if amount := re.fullmatch(r"([\d.]+) ?(\w*B)", size):
        return (int(float(amount[1]) * UNITS[amount[2]]) // np.dtype(dtype).itemsize,)
    return tuple(int(count) for count in size.split("x"))


def main(
    size: list[str] | None = None,
    variables: int = 0,
    dtype: str = "f8",
    steps: int = 100,
    rate: float = 0,
    loan: bool = False,
    stream: str = "synthetic",
    out: Path | None = None,
) -> None:
    """Write STEPS at a RATE (steps per second; 0 is as fast as it goes).

    VARIABLES is by default the number of sizes. LOAN fills the stream's own memory instead of handing over an
    array. OUT takes what was reached, as JSON.
    """
    comm = world()
    rank, ranks = (comm.rank, comm.size) if comm else (0, 1)
    sizes = size or ["8 MiB"]
    shapes = [shape_of(sizes[i % len(sizes)], dtype) for i in range(variables or len(sizes))]
    offsets, blocks = [], []
    for shape in shapes:
        first, last = shape[0] * rank // ranks, shape[0] * (rank + 1) // ranks
        offsets.append((first, *[0] * (len(shape) - 1)))
        blocks.append(patterns(shape, (slice(first, last), *map(slice, shape[1:])), dtype))

    with staithe.writer(stream, group=comm) as writer:
        start = time.perf_counter()
        for count in range(steps):
            if rate > 0:
                time.sleep(max(0.0, start + count / rate - time.perf_counter()))
            with writer.step() as step:
                for i, (shape, offset, block) in enumerate(zip(shapes, offsets, blocks, strict=True)):
                    values = block[phase(i, step.index)]
                    if loan:
                        with step.loan(f"v{i}", count=values.shape, dtype=dtype, offset=offset, shape=shape) as lent:
                            lent[...] = values
                    else:
                        step.put(f"v{i}", values, offset=offset, shape=shape)
        seconds, waited = time.perf_counter() - start, writer.stats()["stall_seconds"]

    if rank == 0:
        step_bytes = sum(map(math.prod, shapes)) * np.dtype(dtype).itemsize
        report("producer", steps=steps, size=steps * step_bytes, seconds=seconds, waited=waited, out=out)


if __name__ == "__main__":
    typer.run(main)
