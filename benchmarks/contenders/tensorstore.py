"""TensorStore: a Zarr 3 array with room for more steps than come, a chunk each; writes end later."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .base import Array, Contender, StepWriter, untyped

MOST_STEPS = 1 << 20
UNDER_WAY = 4


class TensorStoreArray(StepWriter):
    def __init__(self, path: Path, items: int) -> None:
        spec = {"driver": "zarr3", "kvstore": {"driver": "file", "path": f"{path}/x"}}
        grid = {"name": "regular", "configuration": {"chunk_shape": [1, items]}}
        spec["metadata"] = {"shape": [MOST_STEPS, items], "data_type": "float64", "chunk_grid": grid}
        self._x = untyped("tensorstore").open(spec, create=True).result()
        self._writes: list[Any] = []
        self._step = 0

    def put(self, arrays: Mapping[str, Array]) -> None:
        if len(self._writes) == UNDER_WAY:
            self._writes.pop(0).result()
        write = self._x[self._step].write(arrays["x"])
        write.copy.result()  # the array may change now
        self._writes.append(write)
        self._step += 1

    def close(self) -> None:
        for write in self._writes:
            write.result()


class TensorStore(Contender):
    name = "tensorstore"
    package = "tensorstore"

    def filing(self, path: Path, items: int) -> StepWriter:
        return TensorStoreArray(path, items)


CONTENDER = TensorStore()
