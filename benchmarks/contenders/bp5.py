"""ADIOS2's BP5 engine, as it is: a folder of files in a format of its own."""

from collections.abc import Mapping
from pathlib import Path

from .base import Array, Contender, StepWriter, untyped


class Bp5Folder(StepWriter):
    def __init__(self, path: Path) -> None:
        self._stream = untyped("adios2").Stream(str(path), "w")

    def put(self, arrays: Mapping[str, Array]) -> None:
        self._stream.begin_step()
        for name, array in arrays.items():
            self._stream.write(name, array, [array.size], [0], [array.size])
        self._stream.end_step()

    def close(self) -> None:
        self._stream.close()


class Bp5(Contender):
    name = "bp5"
    package = "adios2"

    def filing(self, path: Path, items: int) -> StepWriter:
        return Bp5Folder(path)


CONTENDER = Bp5()
