"""h5py: one dataset that grows by a step at a time, a chunk each; flushed, so that it may be opened then."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .base import Array, Contender, StepWriter, untyped


class H5pyFile(StepWriter):
    def __init__(
        self, path: Path, shape: tuple[int, ...], dtype: Any = "f8", rows: int | None = None, **filters: Any
    ) -> None:
        """Of steps of that shape; a chunk has so many of its rows, or all."""
        chunk = (1, shape[0] if rows is None else rows, *shape[1:])
        self._file = untyped("h5py").File(path, "w", libver="latest")
        self._x = self._file.create_dataset("x", (0, *shape), dtype, maxshape=(None, *shape), chunks=chunk, **filters)

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
        return H5pyFile(path, (items,))


CONTENDER = H5py()
