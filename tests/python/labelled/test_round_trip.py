"""What is put as a DataArray or a Dataset comes back as it was: xarray is the oracle."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st
from made_datasets import datasets

import staithe
from thoroughness import examples

RNG = np.random.default_rng(0)
TIMES = np.array(["2020-01-01T00:00:01", "1969-12-31", "NaT"], "M8[ns]")
_numbers = itertools.count()


def temperature() -> xr.DataArray:
    return xr.DataArray(
        RNG.standard_normal((3, 4)),
        dims=("y", "x"),
        name="T",
        coords={
            "x": ("x", [0.0, 0.5, 1.0, 1.5], {"units": "m", "axis": "X"}),
            "y": [10, 20, 30],
            "lat": (("y", "x"), RNG.standard_normal((3, 4)), {"units": "degrees_north"}),
            "time": TIMES[0],
            "name": ("y", ["a", "größer", ""]),
        },
        attrs={"units": "K", "long_name": "temperature", "valid_range": [0.0, 400.0], "nested": {"a": [1, None]}},
    )


def test_a_data_array(pair: Any) -> None:
    array = temperature()
    xr.testing.assert_identical(pair.send(T=array).to_xarray("T"), array)


def test_a_dataset(pair: Any) -> None:
    dataset = xr.Dataset({"T": temperature(), "n": 3, "w": ("x", [1, 2, 3, 4])}, attrs={"title": "test", "n": 1})
    with pair.out.step() as step:
        step.put_dataset(dataset)
    step = next(pair.reader)
    assert step.attrs == {"title": "test", "n": 1}
    xr.testing.assert_identical(step.to_xarray(), dataset)


@pytest.mark.parametrize(
    "values",
    [
        *(
            RNG.integers(0, 2, (2, 3)).astype(dtype)
            for dtype in ("?", "i1", "i8", "u2", "f2", "f4", "f16", "c8", "c32")
        ),
        *(TIMES.astype(f"M8[{unit}]") for unit in ("s", "ms", "us", "ns")),
        *(np.array([1, -(2**40), "NaT"], f"m8[{unit}]") for unit in ("s", "ms", "us", "ns")),
        TIMES.astype(">M8[ns]")[::-1],
        *(np.array(shape_of) for shape_of in (1.5, True, "text", TIMES[1], np.timedelta64(3, "s"))),
        *(np.zeros(shape, dtype) for shape in ((0,), (0, 2)) for dtype in ("f4", "M8[s]", "U3")),
        np.array(["a", "ünïcödé ∂", "", " x "]),
        np.array([["ab", "c"], ["", "日本語"]]).T,
        np.array(["object", "strings"], object),
        np.array([1.0, np.nan, np.inf]),
        np.arange(24.0).reshape(2, 3, 4).T[::2, ::-1],
    ],
    ids=lambda values: f"{values.dtype}-{values.shape}",
)
def test_values(pair: Any, values: Any) -> None:
    array = xr.DataArray(values, dims=[f"d{axis}" for axis in range(values.ndim)], attrs={"a": 1})
    back = pair.send(x=array).to_xarray("x")
    xr.testing.assert_identical(back, array.rename("x"))
    assert back.dtype == array.dtype or array.dtype.kind in "OU"
    assert back.dtype.isnative


@pytest.mark.parametrize("values", [TIMES, ["a", "bc", ""], [1, 2, 3], [0.5, np.nan, 1], np.array([1, 2, 3], "m8[s]")])
def test_coordinates(pair: Any, values: Any) -> None:
    array = xr.DataArray([1, 2, 3], dims="x", coords={"x": values, "other": ("x", values), "one": values[0]})
    xr.testing.assert_identical(pair.send(u=array).to_xarray("u"), array.rename("u"))


def test_a_coordinate_alone(pair: Any) -> None:
    array = temperature()
    for name in ("x", "lat", "time", "name"):
        xr.testing.assert_identical(pair.send(**{name: array[name]}).to_xarray(name), array[name])


def test_a_variable_without_coordinates(pair: Any) -> None:
    variable = xr.Variable(("y", "x"), np.ones((2, 3)), {"units": "m"})
    xr.testing.assert_identical(pair.send(u=variable).to_xarray("u").variable, variable)


@settings(max_examples=examples(200))
@given(data=st.data(), dataset=datasets())
def test_any_dataset(data: st.DataObject, dataset: xr.Dataset) -> None:
    name = f"dataset-{next(_numbers)}"
    with staithe.writer(name) as out, staithe.reader(name) as reader:
        with out.step() as step:
            step.put_dataset(dataset)
        step = next(reader)
        xr.testing.assert_identical(step.to_xarray(), dataset)
        names = data.draw(st.lists(st.sampled_from(sorted(map(str, dataset.variables))), unique=True)) if step else []
        chosen = dataset[names]
        xr.testing.assert_identical(step.to_xarray(names), chosen)
        isel: dict[str, Any] = {
            str(dim): data.draw(st.slices(length) | (st.integers(-length, length - 1) if length else st.nothing()))
            for dim, length in chosen.sizes.items()
            if data.draw(st.booleans())
        }
        xr.testing.assert_identical(step.to_xarray(names, isel=isel), chosen.isel(isel))
        for one in names:
            xr.testing.assert_identical(step.to_xarray(one), dataset[one])
