"""h5py: one dataset that grows by a step at a time, a chunk each; flushed, so that it may be opened then."""

from collections.abc import Mapping
from pathlib import Path

from .base import Array, Contender, StepWriter, untyped


class H5pyFile(StepWriter):
    def __init__(self, path: Path, items: int) -> None:
        self._file = untyped("h5py").File(path, "w", libver="latest")
        self._x = self._file.create_dataset("x", (0, items), "f8", maxshape=(None, items), chunks=(1, items))

    def put(self, arrays: Mapping[str, Array]) -> None:
        step = self._x.shape[0]
        self._x.resize(step + 1, 0)
        self._x[step] = arrays["x"]
        self._file.flush()

    def close(self) -> None:
        self._file.close()


class H5py(Contender):
    name = "h5py"
    package = "h5py"

    def filing(self, path: Path, items: int) -> StepWriter:
        return H5pyFile(path, items)


CONTENDER = H5py()
