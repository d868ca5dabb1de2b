"""What a contender offers to the cases: steps of named one-dimensional arrays, blocks of a two-dimensional one, and
arrays that are kept by name."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from ..harness.trial import Seat, Trial

Array = NDArray[np.float64]


class StepWriter(ABC):
    """Hands over steps."""

    _own: Array | None = None

    @abstractmethod
    def put(self, arrays: Mapping[str, Array]) -> None:
        """One step; the arrays may change once it returns."""

    @contextmanager
    def lend(self, name: str, items: int) -> Iterator[Array]:
        """Memory to compute a step of one variable into; handed over at the end of the block.

        Here for those who lend nothing: an array of one's own, and a put.
        """
        if self._own is None:
            self._own = np.empty(items)
        yield self._own
        self.put({name: self._own})

    def close(self) -> None:  # noqa: B027 (most have nothing to do)
        """Says that no further step comes."""


class SparePool:
    """Arrays for libraries that send without a copy: whoever knows them takes those again that are sent.

    New ones each time would cost more than the copy does, for pages that are touched for the first time.
    """

    def __init__(self) -> None:
        self._arrays: list[tuple[Array, ref[Array]]] = []  # and how each is lent

    def take(self, items: int) -> Array:
        """An array that nobody looks at."""
        spare = next((number for number, (_, lent) in enumerate(self._arrays) if lent() is None), None)
        array = np.ones(items) if spare is None else self._arrays.pop(spare)[0]
        view = array[:]
        self._arrays.append((array, ref(view)))
        return view

    def copy_of(self, array: Array) -> Array:
        copy = self.take(array.size)
        copy[:] = array
        return copy


class StepReader(ABC):
    """Receives steps. Asking for the next step gives the last one back."""

    @abstractmethod
    def next(self) -> Mapping[str, Array]:
        """The next step's arrays, without a copy where the contender can; drop them before asking again."""


class BlockWriter(ABC):
    """Hands over this rank's rows of a two-dimensional array, step by step."""

    @abstractmethod
    def put(self, block: Array) -> None: ...

    def close(self) -> None:  # noqa: B027
        """Says that no further step comes."""


class PartReader(ABC):
    """Receives this rank's columns of it."""

    @abstractmethod
    def read_into(self, part: Array) -> None: ...


class ObjectStore(ABC):
    """Keeps arrays by name."""

    @abstractmethod
    def put(self, name: str, array: Array) -> None:
        """In place of the one that it had by that name; the array may change once it returns."""

    @abstractmethod
    def get(self, name: str) -> Array:
        """Without a copy where the contender can."""

    def put_all(self, names: Sequence[str], array: Array) -> None:
        """The same for each name, many in one go."""
        raise NotImplementedError

    def get_all(self, names: Sequence[str]) -> Sequence[Array]:
        """Those of these names, many in one go."""
        raise NotImplementedError


class DurableStore(ABC):
    """Keeps arrays by name on a disk: what was put is there when whoever keeps it is killed."""

    @abstractmethod
    def put(self, name: str, array: Array) -> None:
        """It is on the disk when this returns."""

    @abstractmethod
    def put_all(self, arrays: Mapping[str, Array]) -> None:
        """All of them are."""

    @abstractmethod
    def restart(self) -> float:
        """Kills whoever keeps them; the seconds until another process has them all."""

    @abstractmethod
    def get(self, name: str) -> Array: ...


class Contender(ABC):
    """A way to move steps from program to program."""

    name: str
    package: str = ""
    uses_mpiexec = False
    runs_itself = False  # by `run`: there are no writers and readers
    most_repeats = 5  # fewer for those that take their time; half of them in a quick run

    def missing(self) -> str | None:
        """Why it cannot run here, if so."""
        return None if not self.package or self.version() else "not installed"

    def version(self) -> str:
        try:
            return version(self.package) if self.package else ""
        except PackageNotFoundError:
            return ""

    def load(self, seat: Seat) -> None:  # noqa: B027
        """Imports its libraries and starts what they need, before anything is measured."""

    def unload(self) -> None:  # noqa: B027
        """Stops what `load` started."""

    def run(self, trial: Trial, hosts: Mapping[str, Any], cores: Sequence[int]) -> Mapping[str, Any]:
        """Measures a trial on these hosts (tests/support/hosts.py) by programs of its own."""
        raise self._lacks("programs of its own")

    def writer(self, seat: Seat) -> StepWriter:
        raise self._lacks("steps")

    def reader(self, seat: Seat) -> StepReader:
        raise self._lacks("steps")

    def block_writer(self, seat: Seat, shape: tuple[int, int]) -> BlockWriter:
        raise self._lacks("redistribution")

    def part_reader(self, seat: Seat, shape: tuple[int, int]) -> PartReader:
        raise self._lacks("redistribution")

    def objects(self, seat: Seat) -> ObjectStore:
        raise self._lacks("objects")

    def durable(self, directory: Path, timeout: float) -> AbstractContextManager[DurableStore]:
        """In a directory of its own."""
        raise self._lacks("objects on disk")

    def filing(self, path: Path, items: int) -> StepWriter:
        """Steps of one array `x` of so many values, to a file, or folder, of that name."""
        raise self._lacks("files")

    def _lacks(self, what: str) -> NotImplementedError:
        return NotImplementedError(f"{self.name} has no {what}")


def rows_of(seat: Seat, shape: tuple[int, int], rank: int) -> slice:
    """The rows that a writer rank holds."""
    return _share(shape[0], seat.trial.writers, rank)


def columns_of(seat: Seat, shape: tuple[int, int], rank: int) -> slice:
    """The columns that a reader rank wants."""
    return _share(shape[1], seat.trial.readers, rank)


def _share(length: int, size: int, rank: int) -> slice:
    return slice(length * rank // size, length * (rank + 1) // size)


def untyped(module: str) -> Any:
    """A library without type hints."""
    from importlib import import_module

    return import_module(module)
