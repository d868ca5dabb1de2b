"""ADIOS2's SST engine, with a queue of two steps that blocks, over the transport that its wheel has (TCP).

The wheel is built without MPI, so several writers are several streams, and every reader opens all of them.
"""

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


class Engine:
    """One open SST stream; files that lead to it lie in the trial's directory, where all processes run."""

    def __init__(self, seat: Seat, stream: str, mode: str) -> None:
        adios2 = untyped("adios2")
        self._adios = adios2.Adios()
        self.io = self._adios.declare_io(stream)
        self.io.set_engine("SST")
        self.io.set_parameters(
            {
                "QueueLimit": str(seat.queue),
                "QueueFullPolicy": "Block",
                "RendezvousReaderCount": str(seat.trial.readers),
                "OpenTimeoutSecs": "30",
            }
        )
        modes = adios2.bindings.Mode
        self.engine = self.io.open(stream, modes.Write if mode == "w" else modes.Read)
        self.deferred = modes.Deferred

    def define(self, name: str, example: Array) -> Any:
        return self.io.define_variable(name, example, list(example.shape), [0] * example.ndim, list(example.shape))


class SstWriter(StepWriter):
    def __init__(self, seat: Seat) -> None:
        self._sst = Engine(seat, seat.stream, "w")
        self._variables = {name: self._sst.define(name, np.empty(seat.items)) for name in seat.names}

    def put(self, arrays: Mapping[str, Array]) -> None:
        self._sst.engine.begin_step()
        for name, array in arrays.items():
            self._sst.engine.put(self._variables[name], array)
        self._sst.engine.end_step()

    def close(self) -> None:
        self._sst.engine.close()


class SstReader(StepReader):
    def __init__(self, seat: Seat) -> None:
        self._sst = Engine(seat, seat.stream, "r")
        self._arrays = {name: np.empty(seat.items) for name in seat.names}

    def next(self) -> Mapping[str, Array]:
        engine = self._sst.engine
        engine.begin_step()
        for name, array in self._arrays.items():
            engine.get(self._sst.io.inquire_variable(name), array, self._sst.deferred)
        engine.end_step()
        return self._arrays


class SstBlockWriter(BlockWriter):
    def __init__(self, seat: Seat, shape: tuple[int, int]) -> None:
        self._sst = Engine(seat, f"{seat.stream}-{seat.rank}", "w")
        rows = rows_of(seat, shape, seat.rank)
        self._variable = self._sst.define("x", np.empty((rows.stop - rows.start, shape[1])))

    def put(self, block: Array) -> None:
        self._sst.engine.begin_step()
        self._sst.engine.put(self._variable, block)
        self._sst.engine.end_step()

    def close(self) -> None:
        self._sst.engine.close()


class SstPartReader(PartReader):
    def __init__(self, seat: Seat, shape: tuple[int, int]) -> None:
        self._streams = [
            (Engine(seat, f"{seat.stream}-{writer}", "r"), rows_of(seat, shape, writer))
            for writer in range(seat.trial.writers)
        ]
        self._columns = columns_of(seat, shape, seat.rank)

    def read_into(self, part: Array) -> None:
        first, width = self._columns.start, self._columns.stop - self._columns.start
        for sst, _ in self._streams:
            sst.engine.begin_step()
        for sst, rows in self._streams:
            variable = sst.io.inquire_variable("x")
            variable.set_selection([[0, first], [rows.stop - rows.start, width]])
            sst.engine.get(variable, part[rows], sst.deferred)
        for sst, _ in self._streams:
            sst.engine.end_step()


class Sst(Contender):
    """The streaming engine of ADIOS2."""

    name = "sst"
    package = "adios2"
    most_repeats = 3

    def load(self, seat: Seat) -> None:
        untyped("adios2")

    def writer(self, seat: Seat) -> StepWriter:
        return SstWriter(seat)

    def reader(self, seat: Seat) -> StepReader:
        return SstReader(seat)

    def block_writer(self, seat: Seat, shape: tuple[int, int]) -> BlockWriter:
        return SstBlockWriter(seat, shape)

    def part_reader(self, seat: Seat, shape: tuple[int, int]) -> PartReader:
        return SstPartReader(seat, shape)


CONTENDER = Sst()
