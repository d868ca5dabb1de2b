"""zarr-python: one array, not compressed, that grows by a step at a time, a chunk each."""

from collections.abc import Mapping
from pathlib import Path

from .base import Array, Contender, StepWriter, untyped


class ZarrStore(StepWriter):
    def __init__(self, path: Path, items: int) -> None:
        self._x = (
            untyped("zarr")
            .create_group(path)
            .create_array("x", shape=(0, items), chunks=(1, items), dtype="f8", compressors=None)
        )

    def put(self, arrays: Mapping[str, Array]) -> None:
        step, items = self._x.shape
        self._x.resize((step + 1, items))
        self._x[step] = arrays["x"]


class Zarr(Contender):
    name = "zarr"
    package = "zarr"

    def filing(self, path: Path, items: int) -> StepWriter:
        return ZarrStore(path, items)


CONTENDER = Zarr()
