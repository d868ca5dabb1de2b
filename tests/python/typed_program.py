"""A program of a user who checks types strictly: test_typing.py has mypy look at it. It is not run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, assert_type

import numpy as np
import xarray as xr
from mpi4py import MPI
from numpy.typing import NDArray

import staithe


class Moments(staithe.Analysis):
    def start(self, group: staithe.Group, attrs: Mapping[str, Any]) -> None:
        self.rank = group.rank

    def step(self, step: staithe.Step) -> None:
        for name, variable in step.items():
            assert_type(name, str)
            print(name, variable[...].mean())


@staithe.analysis(inputs=["x"], outputs=["spread"], share="count")
def spread(x: NDArray[np.float64]) -> float:
    return float(np.ptp(x))


largest = staithe.analysis("largest", np.max, inputs="x", outputs="largest", stream="largest.zarr", readers=0)


def produce(x: NDArray[np.float64]) -> None:
    with staithe.writer(
        "melt",
        group=MPI.COMM_WORLD,
        queue_bytes="1 GiB",
        attrs={"dt": 0.005, "box": [1, 2.5], "n": np.int64(3), "nested": {"a": None}},
        placement="inline",
        overflow="keep-every-10",
        analyses=[Moments(), spread, largest],
    ) as out:
        assert_type(out, staithe.Writer)
        with out.step(timeout=1.5) as step:
            assert_type(step, staithe.WriteStep)
            step.attrs["time"] = np.float32(0.5)
            step.attrs.update({"kind": "melt"})
            step.put("x", x, offset=(0, 0), shape=x.shape, unit="sigma", attrs={"a": [1]})
            step.put("list", [1, 2, 3], offset=0, shape=3)
            step.put("masked", np.ma.masked_less(x, 0), fill=np.float32(-1))
            step["short"] = x
            step.put("labelled", xr.DataArray(x))
            step.put_dataset(xr.Dataset({"x": ("x", x)}), offset={"x": 0}, shape={"x": np.size(x)})
            with step.loan("v", count=(3, np.int64(4)), dtype=np.float32) as v:
                assert_type(v, NDArray[Any])
                v[...] = 0
        assert_type(out.stats()["stall_seconds"], float)


def consume(group: tuple[int, int] | None) -> None:
    reader = staithe.reader("melt", group=group, program="plot", overflow="latest")
    for step in reader:
        assert_type(step, staithe.Step)
        x = step["x"]
        assert_type(x, staithe.Variable)
        assert_type(x[...], NDArray[Any])
        assert_type(x[staithe.Box((0, 0), (2, 2))], NDArray[Any])
        assert_type(x[1:], NDArray[Any])
        x[0, ..., ::2]
        assert_type(x[[1, 2]], NDArray[Any])
        assert_type(x[np.ones(3, bool)], NDArray[Any])
        assert_type(x[None], NDArray[Any])
        assert_type(x.astype("f8", casting="same_kind"), NDArray[Any])
        assert_type(x.T, NDArray[Any])
        assert_type(x.nbytes, int)
        x.mean(axis=0)
        assert_type(x.read(share="block"), NDArray[Any])
        assert_type(x.read(share="process"), list[staithe.Block])
        assert_type(x.part("count"), staithe.Box)
        x.read((0, slice(2)), out=np.zeros(2))
        assert_type(x.blocks[0].data, NDArray[Any])
        assert_type(x.shape, tuple[int, ...])
        np.asarray(x)
        assert_type(step.to_xarray(), xr.Dataset)
        assert_type(step.to_xarray(["x"], isel={"x": slice(2), "y": 0}), xr.Dataset)
        assert_type(step.to_xarray("x", decode_times=False), xr.DataArray)
    assert_type(reader.next(timeout=0), staithe.Step | None)
    staithe.analyse(Moments(), "melt", group=(0, 1))
    staithe.analyse(spread, "melt")
    assert_type(spread(np.zeros(3)), float)
    try:
        assert_type(staithe.describe("melt"), dict[str, Any])
    except staithe.Error as error:
        assert_type(error.code, str)
    assert_type([description["name"] for description in staithe.streams()], list[Any])
