"""What is put to spaces of arrays that know their dimensions and units: those of xarray and pint."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pint
import pytest
import xarray as xr

import staithe

Put = Callable[..., int]


@pytest.fixture
def space() -> Iterator[staithe.Space]:
    """One that this process keeps."""
    with staithe.space("labelled", server="") as opened:
        yield opened


def put_in_a_batch(space: staithe.Space, name: str, array: Any, **options: Any) -> int:
    with space.batch() as batch:
        batch.put(name, array, **options)
    return space.versions(name)[-1].number


PUTS: list[Put] = [
    lambda space, *what, **options: space.put(*what, **options),
    lambda space, *what, **options: space.put_async(*what, **options).result(60),
    put_in_a_batch,
]
WAYS = pytest.mark.parametrize("put", PUTS, ids=["put", "put_async", "batch"])


@WAYS
def test_a_data_array_keeps_dimensions_unit_and_attributes(space: staithe.Space, put: Put) -> None:
    temperature = xr.DataArray(np.arange(6.0).reshape(2, 3), dims=("y", "x"), attrs={"units": "K", "made": "by hand"})
    put(space, "T", temperature, version=3, run="a12")
    [version] = space.versions("T")
    assert version.unit == "K"
    assert dict(version.attrs) == {"dims": ["y", "x"], "made": "by hand", "run": "a12"}
    np.testing.assert_array_equal(space.get("T"), temperature)
    xr.testing.assert_identical(
        xr.open_dataset(space, engine="staithe")["T"].load().drop_attrs(), temperature.rename("T").drop_attrs()
    )


@WAYS
def test_a_quantity_keeps_its_unit(space: staithe.Space, put: Put) -> None:
    put(space, "v", pint.Quantity(np.arange(3.0), "m/s"))
    assert pint.Unit(space.versions("v")[-1].unit) == pint.Unit("m/s")
    put(space, "v", pint.Quantity(np.arange(3.0), "m/s"), unit="m/s")
    assert space.versions("v")[-1].unit == "m/s"
    with pytest.raises(staithe.InvalidArgument, match=r"variable 'v': its values are in .* not in 'K'"):
        put(space, "v", pint.Quantity(np.arange(3.0), "m/s"), unit="K")


def test_a_unit_that_is_given_must_be_that_of_the_array(space: staithe.Space) -> None:
    temperature = xr.Variable("x", np.zeros(3), {"units": "K"})
    space.put("T", temperature, unit="K")
    with pytest.raises(staithe.InvalidArgument, match="its unit is said to be 'J' and 'K'"):
        space.put("T", temperature, unit="J")
    assert len(space.versions("T")) == 1


def test_blocks_of_a_data_array_make_the_whole(space: staithe.Space) -> None:
    whole = xr.DataArray(np.arange(12.0).reshape(4, 3), dims=("y", "x"))
    for start in (0, 2):
        space.put("T", whole[start : start + 2], offset=(start, 0), shape=(4, 3), version=0)
    xr.testing.assert_equal(xr.open_dataset(space, engine="staithe")["T"], whole)


def test_times_come_back(space: staithe.Space) -> None:
    when = xr.DataArray(np.array(["2026-11-22", "NaT"], "datetime64[ns]"), dims="t")
    space.put("when", when)
    xr.testing.assert_equal(xr.open_dataset(space, engine="staithe")["when"], when)


def test_what_would_lose_something_is_refused(space: staithe.Space) -> None:
    with pytest.raises(staithe.InvalidArgument, match=r"'T' cannot be an xarray.Dataset: dataset.staithe.put"):
        space.put("T", xr.Dataset({"T": ("x", [1.0])}))  # type: ignore[arg-type]
    with pytest.raises(staithe.InvalidArgument, match="by the attribute 'dims' Staithe keeps what xarray knows"):
        space.put("T", xr.DataArray([1.0], dims="x", attrs={"dims": 3}))
    assert space.names() == []
