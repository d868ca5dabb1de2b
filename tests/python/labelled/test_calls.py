"""What plain programs see of labelled arrays and the other way round, what is copied, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import cftime
import numpy as np
import pandas as pd
import pytest
import xarray as xr

import staithe

ARRAY = xr.DataArray(
    np.arange(6.0).reshape(2, 3),
    dims=("y", "x"),
    coords={"x": [1, 2, 3], "t": np.datetime64(1, "s"), "kind": ("y", ["é", "b"])},
    attrs={"units": "K"},
)


def put_and_get(pair: Any, array: Any, **keywords: Any) -> staithe.Step:
    with pair.out.step() as step:
        step.put("u", array, **keywords)
    received: staithe.Step = next(pair.reader)
    return received


def test_what_plain_readers_see(pair: Any) -> None:
    step = pair.send(u=ARRAY)
    assert sorted(step) == ["kind", "t", "u", "x"]
    u, x, t, kind = (step[name] for name in ("u", "x", "t", "kind"))
    assert (u.dtype, u.shape, u.unit, u.attrs) == ("f8", (2, 3), "K", {"dims": ["y", "x"]})
    np.testing.assert_array_equal(u[...], ARRAY.values)
    assert (x[...].tolist(), x.attrs) == ([1, 2, 3], {"dims": ["x"]})
    assert (t.dtype, t[...].item(), t.unit) == (np.int64, 1, "seconds since 1970-01-01")
    assert t.attrs == {
        "coordinate": True,
        "dtype": "datetime64[s]",
        "calendar": "proleptic_gregorian",
        "_FillValue": np.iinfo("i8").min,
    }
    assert (kind.dtype, kind[...].tobytes()) == (np.uint8, "é".encode() + b"b\0")
    assert kind.attrs == {"coordinate": True, "_Encoding": "utf-8", "dims": ["y", "string2"]}


def test_xarray_understands_it_as_it_is_in_files(pair: Any) -> None:
    t = pair.send(u=ARRAY)["t"]
    attrs = {"units": t.unit, "calendar": t.attrs["calendar"]}
    assert xr.conventions.decode_cf_variable("t", xr.Variable((), t[...], attrs)).values == ARRAY.t.values


def test_what_is_not_copied(pair: Any) -> None:
    coords = {"x": np.arange(4.0), "lon": ("x", np.arange(4.0))}
    with pair.out.step() as step:
        step.put("u", xr.DataArray(np.arange(4.0), dims="x", coords=coords))
    step = next(pair.reader)
    dataset = step.to_xarray()
    for name in ("u", "lon"):
        assert np.shares_memory(dataset[name].values, step[name][...]), name
        assert not dataset[name].values.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        dataset["u"] += 1
    assert np.shares_memory(step.to_xarray("u", isel={"x": slice(1, None, 2)}).values, step["u"][...])


def test_it_stays_when_the_step_is_released_and_pins_it(pair: Any) -> None:
    u = pair.send(u=ARRAY).to_xarray("u")
    pair.send(u=ARRAY + 1)
    assert pair.reader.stats()["pinned"] == 2
    xr.testing.assert_identical(u, ARRAY.rename("u"))
    del u
    assert pair.reader.stats()["pinned"] == 1


def test_what_plain_programs_put(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("u", np.zeros((2, 3)), unit="K", attrs={"a": 1})
        step.put("by_list", [1, 2], attrs={"dims": ["y"]})
        step.put("by_text", [[1, 2]], attrs={"dims": "one y"})
        step.put("lon", 7.0, attrs={"coordinate": True})
        step.put("other", [1, 2], attrs={"dims": [4, 5], "coordinate": "no"})
        step.put("wrong", np.zeros((1, 1)), attrs={"dims": "x x"})
        step.put("hours", [0.0, 36.0], unit="hours since 2000-01-01", attrs={"dims": "y"})
        step.put("days", [58], unit="days since 2001-01-01", attrs={"calendar": "360_day"})
        step.put("counts", [3], unit="counts since start")
        step.attrs["title"] = "plain"
    step = next(pair.reader)
    dataset = step.to_xarray()
    assert {name: array.dims for name, array in dataset.data_vars.items()} == {
        "u": ("u_dim_0", "u_dim_1"),
        "by_list": ("y",),
        "by_text": ("one", "y"),
        "other": ("other_dim_0",),
        "wrong": ("wrong_dim_0", "wrong_dim_1"),
        "hours": ("y",),
        "days": ("days_dim_0",),
        "counts": ("counts_dim_0",),
    }
    assert set(dataset.coords) == {"lon"}
    assert dataset.attrs == {"title": "plain"}
    assert dataset["u"].attrs == {"a": 1, "units": "K"}
    assert dataset["other"].attrs == {"dims": [4, 5], "coordinate": "no"}
    assert dataset["hours"].values.tolist() == np.array(["2000-01-01T00", "2000-01-02T12"], "M8[ns]").tolist()
    assert dataset["days"].item() == cftime.Datetime360Day(2001, 2, 29)
    assert dataset["counts"].attrs == {"units": "counts since start"}
    raw = step.to_xarray("hours", decode_times=False)
    assert (raw.values.tolist(), raw.attrs) == ([0.0, 36.0], {"units": "hours since 2000-01-01"})


def test_arrays_of_a_step_share_their_coordinates(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("u", ARRAY)
        step.put("v", ARRAY.isel(y=0, drop=True) * 2)
        step.put("x", ARRAY.x)
        with pytest.raises(staithe.InvalidArgument, match=r"'w': its coordinate 'x' is not that of 'u'.* rename one"):
            step.put("w", ARRAY.assign_coords(x=[1, 2, 4]))
        with pytest.raises(staithe.InvalidArgument, match="'w2': its coordinate 'x' is not that of 'u'"):
            step.put("w2", ARRAY[:, 1:])
    dataset = next(pair.reader).to_xarray(["u", "v"])
    expected = xr.Dataset({"u": ARRAY, "v": ARRAY.isel(y=0, drop=True) * 2})
    xr.testing.assert_identical(dataset, expected)


def test_a_coordinate_that_changes_after_the_put_is_found(pair: Any) -> None:
    array = xr.DataArray([1, 2], dims="x", coords={"lon": ("x", np.array([1.0, 2.0]))})
    with pair.out.step() as step:
        step.put("u", array)
        array.lon[0] = 7
        with pytest.raises(staithe.InvalidArgument, match="coordinate 'lon'"):
            step.put("v", array)
    step = pair.out.step()
    step.put("v", array)  # another step
    step.end()


def test_names_that_are_taken(pair: Any) -> None:
    with pair.out.step() as step:
        step["x"] = [4, 5, 6]
        with pytest.raises(staithe.AlreadyExists, match=r"u has a coordinate 'x'.* rename one"):
            step.put("u", ARRAY)
        with pytest.raises(staithe.InvalidArgument, match="'t' has a coordinate of that name"):
            step.put("t", ARRAY)
        with pytest.raises(staithe.InvalidArgument, match=r"put_dataset takes an xarray.Dataset, not DataArray: put"):
            step.put_dataset(ARRAY)
        with pytest.raises(staithe.InvalidArgument, match=r"'ds' cannot be an xarray.Dataset: step.put_dataset"):
            step.put("ds", ARRAY.to_dataset(name="u"))


def levels() -> xr.DataArray:
    index = pd.MultiIndex.from_product([["a", "b"], [1, 2]], names=("l", "m"))
    return xr.DataArray(np.arange(4), dims="z", coords=xr.Coordinates.from_pandas_multiindex(index, "z"))


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (xr.DataArray([1], attrs={"history": b"x"}), "variable 'u': attribute 'history' cannot be of type bytes"),
        (
            xr.DataArray([1], attrs={"when": np.datetime64(1, "s")}),
            "variable 'u': attribute 'when' cannot be of type datetime",
        ),
        (
            ARRAY.assign_coords(lon=("x", [1, 2, 3], {"z": 1j})),
            "variable 'lon': attribute 'z' cannot be of type complex",
        ),
        (xr.DataArray([1], attrs={"dims": 3}), "variable 'u': by the attribute 'dims' .* another name"),
        (ARRAY.assign_coords(t=((), np.datetime64(1, "s"), {"dtype": "x"})), "variable 't': by the attribute 'dtype'"),
        (xr.DataArray([object()], dims="x"), "'u' cannot have dtype object"),
        (xr.DataArray([b"abc"], dims="x"), "'u' cannot have dtype"),
        (xr.DataArray(pd.date_range("2030", periods=2, tz="UTC"), dims="x"), "'u' cannot have dtype object"),
        (xr.DataArray([[1]], dims=("x", 3)), "'u': its dimensions must be named by strings"),
        (xr.DataArray([1], dims="x", coords={3: 1}), "variables must be named by strings, not 3"),
        (levels(), r"coordinate '(z|l|m)' is of a MultiIndex.*reset_index\('z'\)"),
    ],
    ids=range(11),
)
def test_what_streams_do_not_hold(pair: Any, array: Any, message: str) -> None:
    with pair.out.step() as step, pytest.raises(staithe.InvalidArgument, match=message):
        step.put("u", array)
    with pair.out.step() as step, pytest.raises(staithe.InvalidArgument, match=message):
        step.put_dataset(array.to_dataset(name="u"))


def test_units(pair: Any) -> None:
    for keywords in ({}, {"unit": "K"}):
        u = put_and_get(pair, ARRAY, **keywords)["u"]
        assert u.unit == "K" and "units" not in u.attrs
    u = put_and_get(pair, ARRAY.drop_attrs(), unit="m", attrs={"a": 1})
    assert u.to_xarray("u").attrs == {"units": "m", "a": 1}
    for units in ("", 1):
        assert put_and_get(pair, ARRAY.assign_attrs(units=units)).to_xarray("u").attrs == {"units": units}
    with pair.out.step() as step:
        with pytest.raises(staithe.InvalidArgument, match="'u': its unit is said to be 'm' and 'K'"):
            step.put("u", ARRAY, unit="m")
        with pytest.raises(staithe.InvalidArgument, match="'t': its unit is said to be 'days' and 'seconds since"):
            step.put("t", ARRAY.t, unit="days")


def test_the_array_is_left_as_it_was(pair: Any) -> None:
    before = ARRAY.copy(deep=True)
    put_and_get(pair, ARRAY, attrs={"more": 1})
    xr.testing.assert_identical(ARRAY, before)


def test_fill_values_are_left_to_decode_cf(pair: Any) -> None:
    array = xr.DataArray([1.0, -9.0, 3.0], dims="x", attrs={"units": "mm"})
    dataset = put_and_get(pair, array, fill=-9).to_xarray()
    assert dataset["u"].attrs == {"units": "mm", "_FillValue": -9.0}
    np.testing.assert_array_equal(xr.decode_cf(dataset)["u"], [1.0, np.nan, 3.0])


def test_dates_of_other_calendars(pair: Any) -> None:
    dates = xr.date_range("2000-02-27", periods=4, calendar="noleap", use_cftime=True)
    array = xr.DataArray([1, 2, 3, 4], dims="time", coords={"time": dates, "one": dates[0]})
    step = pair.send(u=array)
    assert step["time"].unit == "microseconds since 1970-01-01"
    xr.testing.assert_identical(step.to_xarray("u"), array.rename("u"))


def test_categories_are_texts(pair: Any) -> None:
    dataset = pd.DataFrame({"c": pd.Categorical(["p", "q", "p"])}).to_xarray()
    assert pair.send(c=dataset["c"]).to_xarray("c").values.tolist() == ["p", "q", "p"]


def test_a_date_that_is_none(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("t", [1e300], unit="days since 2000-01-01")
    step = next(pair.reader)
    with pytest.raises(staithe.InvalidArgument, match=r"variable 't': .*decode_times=False"):
        step.to_xarray()
    assert step.to_xarray("t", decode_times=False).values == [1e300]


def test_selections_that_are_none(pair: Any) -> None:
    step = pair.send(u=ARRAY, w=xr.DataArray([1, 2], dims="x"))
    with pytest.raises(staithe.InvalidArgument, match=r"makes no xarray.Dataset: .*; name the variables"):
        step.to_xarray()
    with pytest.raises(staithe.InvalidArgument, match="no dimension 'q' to select along: there are y, x"):
        step.to_xarray("u", isel={"q": 1})
    with pytest.raises(staithe.NotFound, match="no variable 'kindd'"):
        step.to_xarray(["u", "kindd"])
    for some in ([0, 1], np.array([1])):
        with pytest.raises(staithe.InvalidArgument, match="isel takes slices and integers, not a list along 'x'"):
            step.to_xarray("u", isel={"x": some})
    with pytest.raises(IndexError):
        step.to_xarray("u", isel={"x": 3})
    step.release()
    with pytest.raises(staithe.Closed):
        step.to_xarray()


def test_nothing_is_imported_unasked() -> None:
    program = """
import sys, numpy, staithe
with staithe.writer("s") as out, staithe.reader("s") as reader:
    with out.step() as step:
        step["n"] = 1
        step["o"] = numpy.ma.array([1])
        step.put("p", memoryview(b"abc"))
    print(sorted(next(reader)), {"xarray", "pandas", "pint"} & set(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("['n', 'o', 'p'] set()\n", "")
