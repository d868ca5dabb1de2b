"""Laplace's equation on a square plate by Jacobi iteration; every few sweeps the field goes to a stream.

    mpiexec -n 2 python -m mpi4py laplace.py          # or, without MPI: python laplace.py

The plate is held at 1 along its first row and at 0 along the other edges. Each rank owns a band of the rows
inside, and a copy of the row next to it on either side, the halo. For the first and last rank one of these is
the plate's edge, which nobody updates.
"""

from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray

import staithe

try:
    from mpi4py import MPI

    comm: MPI.Comm | None = MPI.COMM_WORLD
except ImportError:
    comm = None


def exchange_halos(field: NDArray[Any]) -> None:
    if comm is not None:
        above = comm.rank - 1 if comm.rank > 0 else MPI.PROC_NULL
        below = comm.rank + 1 if comm.rank + 1 < comm.size else MPI.PROC_NULL
        comm.Sendrecv(field[1], above, recvbuf=field[-1], source=below)
        comm.Sendrecv(field[-2], below, recvbuf=field[0], source=above)


def main(points: int = 254, sweeps: int = 40000, every: int = 200) -> None:
    """Relax POINTS x POINTS points inside the edges, and hand them over EVERY so many sweeps."""
    rank, size = (comm.rank, comm.size) if comm is not None else (0, 1)
    first, last = points * rank // size, points * (rank + 1) // size
    field = np.zeros((last - first + 2, points + 2))
    if rank == 0:
        field[0] = 1
    relaxed = field.copy()

    with staithe.writer("laplace", group=comm, attrs={"title": "Laplace's equation on a plate"}) as out:
        for sweep in range(sweeps + 1):
            if sweep % every == 0:
                with out.step() as step:
                    step.attrs["sweep"] = sweep
                    step.put("u", field[1:-1, 1:-1], offset=(first, 0), shape=(points, points))
            exchange_halos(field)
            inside = np.add(field[:-2, 1:-1], field[2:, 1:-1], out=relaxed[1:-1, 1:-1])
            inside += field[1:-1, :-2]
            inside += field[1:-1, 2:]
            inside *= 0.25
            field, relaxed = relaxed, field


if __name__ == "__main__":
    typer.run(main)
