"""Reads what producer.py writes, and checks every value.

    python consumer.py
    mpiexec -n 2 python -m mpi4py consumer.py --share count

Each rank takes its share of every variable: "block", "count", "round" or "process" (whole blocks).
"""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from pattern import patterns, phase
from report import report, world

import staithe
from staithe.typing import Share


def parts(variable: staithe.Variable, share: Share) -> Iterator[tuple[tuple[slice, ...], NDArray[Any]]]:
    """What this rank's share of a variable holds, and where that is in the whole."""
    if share == "process":
        for block in variable.read(share="process"):
            yield block.box.slices, block.data
    else:
        part = variable.part(share)
        yield part.slices if isinstance(part, staithe.Box) else part, variable.read(share=share)


def read(step: staithe.Step, share: Share, check: bool) -> int:
    """Reads this rank's share of every variable; the number of bytes."""
    size = 0
    for name, variable in step.items():
        for part, values in parts(variable, share):
            size += values.nbytes
            if check:
                expected = patterns(variable.shape, part, variable.dtype)[phase(int(name[1:]), step.index)]
                wrong = np.count_nonzero(values != expected)
                if wrong:
                    raise SystemExit(f"step {step.index}, {name}{part}: {wrong} of {values.size} values are wrong")
            else:
                values.sum()
    return size


def main(
    share: Share = "block",
    check: bool = True,
    delay: float = 0,
    steps: int = 0,
    stream: str = "synthetic",
    out: Path | None = None,
) -> None:
    """Read all steps, or the first STEPS, and check every value, or sum them; DELAY adds seconds to each step.

    OUT takes what was reached, as JSON.
    """
    comm = world()
    rank = comm.rank if comm else 0
    count, size, start = 0, 0, time.perf_counter()
    with staithe.reader(stream, group=comm) as reader:
        for step in reader:
            if count == 0:
                start = time.perf_counter()
            size += read(step, share, check)
            count += 1
            time.sleep(delay)
            if count == steps:
                break
        seconds, waited = time.perf_counter() - start, reader.stats()["wait_seconds"]

    size = comm.allreduce(size) if comm else size
    if rank == 0:
        report("consumer", steps=count, size=size, seconds=seconds, waited=waited, out=out)


if __name__ == "__main__":
    typer.run(main)
