"""MPI (MPICH through mpi4py): Send and Recv of whole arrays; Isend and Irecv of subarray types to redistribute."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..harness.trial import Seat
from .base import (
    Array,
    BlockWriter,
    Contender,
    PartReader,
    StepReader,
    StepWriter,
    columns_of,
    rows_of,
    untyped,
)


def mpi() -> Any:
    return untyped("mpi4py.MPI")


class MpiWriter(StepWriter):
    def __init__(self) -> None:
        self._world = mpi().COMM_WORLD

    def put(self, arrays: Mapping[str, Array]) -> None:
        for array in arrays.values():
            self._world.Send(array, dest=1)


class MpiReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        self._world = mpi().COMM_WORLD
        self._arrays = {name: np.empty(seat.items) for name in seat.names}

    def next(self) -> Mapping[str, Array]:
        for array in self._arrays.values():
            self._world.Recv(array, source=0)
        return self._arrays


class MpiBlockWriter(BlockWriter):
    """World ranks: the writers, then the readers."""

    def __init__(self, seat: Seat, shape: tuple[int, int]) -> None:
        self._world, self._writers = mpi().COMM_WORLD, seat.trial.writers
        rows = rows_of(seat, shape, seat.rank)
        wanted = [columns_of(seat, shape, reader) for reader in range(seat.trial.readers)]
        self._types = [
            _committed((rows.stop - rows.start, shape[1]), slice(0, rows.stop - rows.start), columns)
            for columns in wanted
        ]

    def put(self, block: Array) -> None:
        mpi().Request.Waitall(
            [
                self._world.Isend([block, 1, part], dest=self._writers + reader)
                for reader, part in enumerate(self._types)
            ]
        )


class MpiPartReader(PartReader):
    def __init__(self, seat: Seat, shape: tuple[int, int]) -> None:
        self._world = mpi().COMM_WORLD
        columns = columns_of(seat, shape, seat.rank)
        width = columns.stop - columns.start
        self._types = [
            _committed((shape[0], width), rows_of(seat, shape, writer), slice(0, width))
            for writer in range(seat.trial.writers)
        ]

    def read_into(self, part: Array) -> None:
        mpi().Request.Waitall(
            [self._world.Irecv([part, 1, rows], source=writer) for writer, rows in enumerate(self._types)]
        )


def _committed(shape: tuple[int, int], rows: slice, columns: slice) -> Any:
    """The type of a box of a float64 array."""
    sizes = [rows.stop - rows.start, columns.stop - columns.start]
    return mpi().DOUBLE.Create_subarray(list(shape), sizes, [rows.start, columns.start]).Commit()


class Mpi(Contender):
    """What coupled codes use where nothing else is at hand; both programs start, and die, together."""

    name = "mpi"
    package = "mpich"
    uses_mpiexec = True

    def missing(self) -> str | None:
        return super().missing() or ("mpi4py not installed" if not _has_mpi4py() else None)

    def load(self, seat: Seat) -> None:
        mpi()  # importing initialises

    def writer(self, seat: Seat) -> StepWriter:
        return MpiWriter()

    def reader(self, seat: Seat) -> StepReader:
        return MpiReader(seat)

    def block_writer(self, seat: Seat, shape: tuple[int, int]) -> BlockWriter:
        return MpiBlockWriter(seat, shape)

    def part_reader(self, seat: Seat, shape: tuple[int, int]) -> PartReader:
        return MpiPartReader(seat, shape)

    def unload(self) -> None:
        mpi().Finalize()


def _has_mpi4py() -> bool:
    from importlib.util import find_spec

    return find_spec("mpi4py") is not None


CONTENDER = Mpi()
