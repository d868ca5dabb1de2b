"""Recordings in HDF5, as xarray opens them by netCDF's rules: dimensions have names and lengths, which all agree."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import h5py
import netCDF4
import numpy as np
import pytest
import xarray
from hypothesis import given, settings
from numpy.typing import NDArray
from recorded import STREAM, contents, record

import staithe
from thoroughness import examples

ENGINES = ["h5netcdf", "netcdf4"]
Dims = list[str] | str
Variables = dict[str, tuple[NDArray[Any], Dims | None]]


def record_labelled(path: Path, steps: list[Variables], *, resume: bool = False) -> None:
    """Each variable with its attribute `dims`; None: it has none."""
    with (
        staithe.writer(STREAM, timeout=20) as out,
        staithe.reader(STREAM, timeout=20) as live,
        staithe.Recorder(path, resume=resume) as recorder,
    ):
        for variables in steps:
            with out.step() as step:
                for name, (array, dims) in variables.items():
                    step.put(name, array, attrs={} if dims is None else {"dims": dims})
            if (got := next(live)).index > (-1 if recorder.newest is None else recorder.newest):
                recorder.append(got)


def dims_of(path: Path, group: str | None = None) -> dict[str, tuple[tuple[str, ...], tuple[int, ...]]]:
    """Of each variable, what both readers say, which is the same."""
    found = []
    for engine in ENGINES:
        with xarray.open_dataset(path, engine=engine, group=group) as data:
            found.append({str(name): (tuple(map(str, data[name].dims)), data[name].shape) for name in data.data_vars})
    assert found[0] == found[1]
    found[0].pop("step_attributes", None)
    return found[0]


@settings(max_examples=examples(60))
@given(contents())
def test_what_was_recorded_is_what_xarray_has(content: tuple[list[dict[str, NDArray[Any]]], list[int]]) -> None:
    steps, cuts = content
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.h5"
        record(path, steps, cuts, model="melt")
        with xarray.open_dataset(path, engine="h5netcdf") as data:
            assert data.attrs == {"model": "melt"}
            assert list(data["step"].values) == list(range(len(steps)))
            assert data["u"].dims == ("step", *(f"u_dim_{axis}" for axis in range(steps[0]["u"].ndim)))
            np.testing.assert_array_equal(data["u"].values, np.stack([written["u"] for written in steps]))
        with xarray.open_dataset(path, engine="h5netcdf", group="in") as data:
            np.testing.assert_array_equal(data["v"].values, np.stack([written["in/v"] for written in steps]))


def test_dimensions_have_the_names_that_variables_give_them(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    field = np.arange(6.0, dtype="f4").reshape(2, 3)
    variables: Variables = {"T": (field, ["y", "x"]), "p": (np.arange(3), "x"), "n": (np.array(7), None)}
    record_labelled(path, [variables] * 3)
    assert dims_of(path) == {
        "T": (("step", "y", "x"), (3, 2, 3)),
        "p": (("step", "x"), (3, 3)),
        "n": (("step",), (3,)),
    }
    with xarray.open_dataset(path) as data:
        np.testing.assert_array_equal(data["T"].sel(step=2).values, field)
        assert data["step"].dims == ("step",)
    with netCDF4.Dataset(path) as data:
        assert {name: len(dimension) for name, dimension in data.dimensions.items()} == {"step": 3, "y": 2, "x": 3}
        assert data.dimensions["step"].isunlimited()
    with h5py.File(path) as file:
        assert [dim.label for dim in file["T"].dims] == ["step", "y", "x"]
        assert [dim[0].name for dim in file["T"].dims] == ["/step", "/y", "/x"]
        assert file["step"].is_scale
        assert file["x"].is_scale
    assert [dict(step["T"].attrs) for step in staithe.reader(str(path))] == [{"dims": ["y", "x"]}] * 3
    assert [sorted(step) for step in staithe.reader(str(path))] == [["T", "n", "p"]] * 3


def test_a_name_that_is_taken_gets_its_length(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    variables: Variables = {
        "T": (np.zeros((2, 3)), ["y", "x"]),
        "longer": (np.zeros(4), ["y"]),
        "x": (np.arange(3.0), ["x"]),
        "in/T": (np.zeros((4, 3)), ["y", "x"]),
        "y_4": (np.zeros(2), ["y"]),
    }
    record_labelled(path, [variables] * 2)
    assert dims_of(path) == {
        "T": (("step", "y", "x_3"), (2, 2, 3)),
        "longer": (("step", "y_4_"), (2, 4)),
        "x": (("step", "x_3"), (2, 3)),
        "y_4": (("step", "y"), (2, 2)),
    }
    assert dims_of(path, "in") == {"T": (("step", "y_4_", "x_3"), (2, 4, 3))}
    back = next(iter(staithe.reader(str(path))))
    assert [back[name].attrs["dims"] for name in ("T", "longer", "x", "in/T")] == [["y", "x"], ["y"], ["x"], ["y", "x"]]


@pytest.mark.parametrize("name", ["a/b", "..", "step_3", "step_attributes", "b" * 300, "é", "T", "in", " "])
def test_dimensions_may_be_called_as_no_object_can_be(tmp_path: Path, name: str) -> None:
    path = tmp_path / "x.h5"
    record_labelled(path, [{"T": (np.zeros(3), [name]), "in/v": (np.ones(3), [name])}] * 2)
    ((dims, shape),) = dims_of(path).values()
    assert shape == (2, 3)
    assert dims_of(path, "in")["v"] == (dims, shape)
    back = next(iter(staithe.reader(str(path))))
    assert back["T"].attrs["dims"] == [name]


def test_steps_that_are_unlike_others_have_dimensions_of_their_own(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    alike: Variables = {"T": (np.zeros((2, 3)), ["y", "x"])}
    record_labelled(path, [alike, {"T": (np.ones((5, 4)), ["y", "x"]), "x": (np.zeros(4), ["x"])}, alike])
    assert dims_of(path) == {"T": (("step", "y", "x"), (2, 2, 3))}
    assert dims_of(path, "step_1") == {"T": (("y", "x_4"), (5, 4)), "x": (("x_4",), (4,))}


def test_names_may_change_and_recorders_go_on(tmp_path: Path) -> None:
    """Names are those of the newest step, as all attributes."""
    path = tmp_path / "x.h5"
    steps: list[Variables] = [{"T": (np.full(3, i), ["x" if i < 3 else "z"])} for i in range(6)]
    for end in (2, 4, 6):
        record_labelled(path, steps[:end], resume=path.exists())
        assert dims_of(path) == {"T": (("step", "x" if end < 3 else "z"), (end, 3))}
        with xarray.open_dataset(path) as data:
            np.testing.assert_array_equal(data["T"].values[:, 0], np.arange(end))
    with h5py.File(path) as file:
        assert sorted(file) == ["T", "step", "step_attributes", "z"]


def test_a_recording_without_steps_opens(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    staithe.Recorder(path).close()
    assert dims_of(path) == {}
    with xarray.open_dataset(path) as data:
        assert data.sizes == {"step": 0}


def test_xarray_opens_it_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    with staithe.writer(STREAM) as out, staithe.reader(STREAM) as live, staithe.Recorder(path) as recorder:
        for i in range(examples(40)):
            with out.step() as step:
                step.put("T", np.full((2, 3), i), attrs={"dims": "y x"})
            recorder.append(next(live))
            with xarray.open_dataset(path, engine=ENGINES[i % 2]) as data:
                assert data.sizes == {"step": i + 1, "y": 2, "x": 3}
                assert int(data["T"][-1, 0, 0]) == i
