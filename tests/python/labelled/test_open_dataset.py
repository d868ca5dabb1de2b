"""Spaces as xarray opens them: what was put, by ds.staithe.put or in blocks, with xarray in memory as the oracle."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import xarray as xr
import xarray.testing.strategies as xrst
from hypothesis import given, settings
from hypothesis import strategies as st
from made_datasets import datasets
from space_servers import KEEPERS, OpenSpace, kept_by, own_run_directory

import staithe
import staithe.xarray
from staithe import Box
from staithe.xarray.chunks import chunks_of
from thoroughness import examples


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


def opened(space: Any, **options: Any) -> xr.Dataset:
    return xr.open_dataset(space, engine="staithe", **options)


@settings(max_examples=examples(200))
@given(dataset=datasets(), group=st.sampled_from(["", "run7", "a/b"]), chunked=st.booleans())
def test_what_is_put_is_opened(open_space: OpenSpace, dataset: xr.Dataset, group: str, chunked: bool) -> None:
    with open_space() as space:
        put = dataset.chunk(dict.fromkeys(dataset.sizes, 2)) if chunked else dataset
        assert put.staithe.put(space, group=group) == 0
        if not dataset.variables:
            with pytest.raises(staithe.NotFound):
                opened(space, group=group)
            return
        back = opened(space, group=group, decode_timedelta=False, mask_and_scale=False)
        xr.testing.assert_identical(back, dataset)
        xr.testing.assert_identical(opened(space, group=group, chunks={}), dataset)
        xr.testing.assert_identical(pickle.loads(pickle.dumps(back)), dataset)


def put_in_blocks(space: staithe.Space, array: Any, data: st.DataObject) -> None:
    """Blocks lie in a grid, or over each other, or each is alone."""
    cuts = [sorted({0, length, *data.draw(st.sets(st.integers(0, length), max_size=2))}) for length in array.shape]
    offsets = np.stack(np.meshgrid(*(cut[:-1] for cut in cuts), indexing="ij"), -1).reshape(-1, array.ndim)
    ends = np.stack(np.meshgrid(*(cut[1:] for cut in cuts), indexing="ij"), -1).reshape(-1, array.ndim)
    attrs = {"dims": [f"d{axis}" for axis in range(array.ndim)]}
    if len(offsets) > 1 and data.draw(st.booleans()):  # wrong, but others come to lie over it
        wrong = -array[: array.shape[0] - 1]
        space.put("x", wrong, offset=(0,) * array.ndim, shape=array.shape, version=0, **attrs)
    for offset, end in zip(offsets, ends, strict=True):
        block = array[tuple(map(slice, offset, end))]
        space.put("x", block, offset=offset, shape=array.shape, version=0, **attrs)


@settings(max_examples=examples(300))
@given(shape=st.lists(st.integers(1, 6), min_size=1, max_size=3), data=st.data(), dask=st.booleans())
def test_any_indexing_of_any_blocks(open_space: OpenSpace, shape: list[int], data: st.DataObject, dask: bool) -> None:
    array = np.random.default_rng(0).integers(1, 99, shape)
    with open_space() as space:
        put_in_blocks(space, array, data)
        expected = xr.Dataset({"x": ([f"d{axis}" for axis in range(len(shape))], array)})
        lazy = opened(space, **({"chunks": {}} if dask else {}))
        for _ in range(data.draw(st.integers(1, 2))):
            sizes = {str(dim): length for dim, length in expected.x.sizes.items() if length}  # where [0] is inside
            if not sizes:
                break
            kinds = [xrst.basic_indexers(sizes=sizes), xrst.outer_array_indexers(sizes=sizes)]
            if len(sizes) > 1:
                kinds.append(xrst.vectorized_indexers(sizes=sizes))
            indexers = data.draw(st.one_of(kinds))
            lazy, expected = lazy.isel(indexers), expected.isel(indexers)
            if not sizes.keys() >= set(expected.x.dims):  # the next indexers would name theirs like these
                break
        xr.testing.assert_identical(lazy, expected)


def test_what_numpy_does_not_have_in_one_key(open_space: OpenSpace) -> None:
    array = np.arange(24.0).reshape(4, 6)
    with open_space() as space:
        space.put("x", array, dims="a b")
        for lazy in (opened(space).x, opened(space, chunks={}).x):
            for got, expected in [
                (lazy[[]], array[[]]),
                (lazy[:, []], array[:, []]),
                (lazy[::-2, ::-1], array[::-2, ::-1]),
                (lazy[3:1:-1, 5], array[3:1:-1, 5]),
                (lazy[-1, -1], array[-1, -1]),
                (lazy[2:2], array[2:2]),
                (lazy[0:0:-1, ::-1], array[0:0:-1, ::-1]),
                (lazy[1:3:-1, [0, 2]], array[1:3:-1, [0, 2]]),
                (lazy[::-1, 2:2][:, ::-1], array[::-1, 2:2][:, ::-1]),
                (lazy[[3, 0, 3], ::3], array[[3, 0, 3], ::3]),
                (lazy.T[1][[0, -1]], array.T[1][[0, -1]]),
            ]:
                np.testing.assert_array_equal(got, expected)
        with pytest.raises(IndexError):
            opened(space).x[4].load()


def test_one_block_is_not_copied(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", np.arange(10_000.0))
        assert np.shares_memory(opened(space).x[2:5000].values, space.get("x"))
        dataset = opened(space)
        dataset.x[0] = 5  # a copy of the user's own from then on
        assert dataset.x[0] == 5
        assert space.get("x")[0] == 0


@pytest.mark.parametrize(
    ("boxes", "chunks"),
    [
        ([((0, 0), (4, 3)), ((4, 0), (2, 3)), ((0, 3), (4, 1)), ((4, 3), (2, 1))], ((4, 2), (3, 1))),
        ([((0, 0), (6, 2)), ((0, 2), (6, 2))], ((6,), (2, 2))),
        ([((0, 0), (6, 1)), ((0, 1), (3, 3)), ((3, 1), (3, 3))], ((3, 3), (1, 3))),
        ([((0, 0), (6, 4))], ((6,), (4,))),
    ],
)
def test_a_chunk_lies_in_one_block(open_space: OpenSpace, boxes: Any, chunks: Any) -> None:
    with open_space() as space:
        for offset, count in boxes:
            space.put("x", np.zeros(count), offset=offset, shape=(6, 4), version=0)
        assert opened(space, chunks={}).x.chunks == chunks
        assert opened(space, chunks={"x_dim_0": 6, "x_dim_1": 4}).x.chunks == ((6,), (4,))


def test_blocks_that_lie_criss_cross_tell_no_chunks() -> None:
    boxes = [Box((row, row), (1, 1)) for row in range(20)]
    assert chunks_of(boxes, (20, 20)) is None


def test_of_each_variable_the_newest_or_all_of_one_version(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", [0.0, 1.0], dims="x")
        for version in range(3):
            space.put("T", [version, 10.0], dims="x", version=version)
        space.put("rho", [7.0, 7.0], dims="x", version=1)
        space.put("rho", [8.0], offset=0, shape=2, dims="x", version=2)
        newest = opened(space)
        assert (newest.T[0], newest.rho[0]) == (2, 7)
        assert (newest.T.encoding["versions"], newest.rho.encoding["versions"]) == ((2,), (1,))
        first = opened(space, version=1)
        assert (first.T[0], first.rho[0], first.x[1]) == (1, 7, 1)
        assert list(opened(space, version=0).data_vars) == ["T"]
        with pytest.raises(staithe.Timeout, match="version 2 of 'rho' is not complete"):
            opened(space, version=2, timeout=0)
        assert list(opened(space, version=2, timeout=0, drop_variables="rho").data_vars) == ["T"]


def test_versions_along_a_dimension(open_space: OpenSpace) -> None:
    with open_space() as space:
        expected = []
        for version in (1, 5, 6):
            dataset = xr.Dataset(
                {"T": ("x", np.full(3, version))},
                {"x": [1, 2, 3], "time": np.datetime64("2030-01-01", "s") + version, "who": ("x", ["a", "b", "c"])},
            )
            dataset.staithe.put(space, version=version)
            expected.append(dataset)
        whole = xr.concat(
            expected, dim=xr.Variable("version", [1, 5, 6]), data_vars="all", coords="different", compat="equals"
        )
        for options in ({}, {"chunks": {}}):
            found = opened(space, version="all", **options)
            xr.testing.assert_equal(found.drop_vars("who"), whole.drop_vars("who"))
            assert found.sizes == {"version": 3, "x": 3}
            assert found.who.dims == ("version", "x")
            picked = opened(space, version=[6, 1], **options)
            xr.testing.assert_equal(picked.T.drop_vars("who"), whole.T.drop_vars("who").isel(version=[2, 0]))
            xr.testing.assert_equal(
                picked.T[::-1, 1].drop_vars("who"), whole.T.drop_vars("who").isel(version=[0, 2], x=1)
            )
        assert opened(space, version="all", chunks={}).T.chunks == ((1, 1, 1), (3,))
        space.put("T", np.zeros(4), version=7)
        with pytest.raises(
            staithe.InvalidArgument, match=r"versions of 'T' differ: 6 is .*\(3,\), 7 .*\(4,\): open one"
        ):
            opened(space, version=[6, 7], drop_variables=["x", "time", "who"])
        xr.Dataset(coords={"x": [1, 2, 4]}).staithe.put(space, version=7)
        with pytest.raises(staithe.InvalidArgument, match="coordinate 'x' of version 7 is not that of 1"):
            opened(space, version=[1, 7], drop_variables="T")


def test_what_was_opened_twice_is_two_things_for_dask(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", np.zeros(4))
        before = opened(space, chunks={})
        space.put("x", np.ones(4))
        after = opened(space, chunks={})
        np.testing.assert_array_equal((after - before).x, np.ones(4))


def test_groups(open_space: OpenSpace) -> None:
    with open_space() as space:
        for name in ("T", "run7/T", "run7/deep/T", "run7/rho", "run8/T", "run*/T"):
            space.put(name, [1.0])
        assert set(opened(space).data_vars) == {"T"}
        assert (
            set(opened(space, group="run7").data_vars) == set(opened(space, group="/run7/").data_vars) == {"T", "rho"}
        )
        assert set(opened(space, group="run*").data_vars) == {"T"}
        tree = xr.open_datatree(space, engine="staithe")
        assert {node.path for node in tree.subtree} == {"/", "/run7", "/run7/deep", "/run8", "/run*"}
        with pytest.raises(staithe.NotFound) as raised:
            opened(space, group="run9")
        assert "no variable is complete in group 'run9' of space" in str(raised.value)
        assert "there are the groups run*, run7, run7/deep, run8" in str(raised.value)


def test_attributes_of_any_program_are_understood(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("t", [0.0, 6.0], unit="hours since 2030-01-01", dims="t", axis="T")
        space.put("p", np.array([1, -99, 3], "i2"), dims=["x"], _FillValue=-99, scale_factor=0.5, coordinates="lat")
        space.put("lat", [50.0, 51.0, 52.0], unit="degrees_north", dims="x")
        dataset = opened(space)
        assert dataset.t.values[1] == np.datetime64("2030-01-01T06")
        np.testing.assert_array_equal(dataset.p, [0.5, np.nan, 1.5])
        assert (set(dataset.coords), dataset.lat.units, dataset.t.axis) == ({"t", "lat"}, "degrees_north", "T")
        raw = opened(space, decode_times=False, mask_and_scale=False, decode_coords=False)
        assert (raw.t.values[1], raw.t.units, raw.p.values[1]) == (6.0, "hours since 2030-01-01", -99)


def test_parts_of_a_dataset_make_the_whole(open_space: OpenSpace) -> None:
    whole = xr.Dataset({"T": (("y", "x"), np.arange(12.0).reshape(3, 4)), "n": 3}, {"x": [0, 1, 2, 3], "y": [7, 8, 9]})
    with open_space() as space:
        for first in (2, 0):
            part = whole.isel(x=slice(first, first + 2))
            part.staithe.put(space, version=4, offset={"x": first}, shape={"x": 4})
        xr.testing.assert_identical(opened(space), whole)
        whole.assign_attrs(title="once more", model=None).staithe.put(space)
        assert opened(space, version=4).attrs == {"title": "once more"}


def test_versions_that_vanish(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", [1.0, 2.0])
        dataset, chunked = opened(space), opened(space, chunks={})
        space.remove("x")
        with pytest.raises(staithe.NotFound, match=r"version 0 of 'x' is not there \(any more\)"):
            dataset.load()
        space.put("x", [3.0, 4.0])
        with pytest.raises(staithe.NotFound, match="version 0 of 'x' was removed, and another one put in its place"):
            dataset.load()
        assert opened(space, chunks={}).x.data.name != chunked.x.data.name  # what Dask has of one is not the other's
        dataset = opened(space)
        space.close()
        with pytest.raises(staithe.Closed):
            dataset.load()


def test_what_there_is_not(open_space: OpenSpace) -> None:
    with open_space() as space:
        with pytest.raises(staithe.NotFound, match=r"no variable is complete in space '.*', which is kept by"):
            opened(space)
        space.put("x", [1, 2])
        with pytest.raises(staithe.NotFound, match="no variable of version 3 is complete in space"):
            opened(space, version=3)
        with pytest.raises(staithe.InvalidArgument, match="version='newest' cannot be"):
            opened(space, version="newest")
        space.put("y", [1, 2, 3], dims="x_dim_0")
        with pytest.raises(staithe.InvalidArgument, match="make no Dataset: conflicting sizes for dimension 'x_dim_0'"):
            opened(space)
        with pytest.raises(staithe.AlreadyExists):
            xr.Dataset({"x": ("x_dim_0", [3, 4])}).staithe.put(space, version=0)


def test_spaces_versions_and_hits_are_pickled(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", np.arange(4.0), n=[1], unit="K")
        again = pickle.loads(pickle.dumps(space))
        assert (again.name, again.names()) == (space.name, ["x"])
        [version] = space.versions("x")
        copy = pickle.loads(pickle.dumps(version))
        assert copy == version
        with pytest.raises(TypeError):
            copy.attrs["n"] = 0
        hits = pickle.loads(pickle.dumps(space.query("x > 1")))
        assert [hit.values.tolist() for hit in hits] == [[2.0, 3.0]]
        assert (hits.values.tolist(), hits.version, hits.size) == ([2.0, 3.0], 0, 2)
        space.remove("x", 0)
        space.put("x", np.arange(4.0), version=0)
        with pytest.raises(staithe.NotFound, match="another one put in its place"):
            _ = hits.values


def test_steps_of_streams(pair: Any) -> None:
    dataset = xr.Dataset(
        {"T": (("y", "x"), np.arange(12.0).reshape(3, 4)), "name": ("y", ["a", "ü", ""])},
        {"x": [0, 1, 2, 3], "t": np.datetime64("2030-01-01", "s")},
        {"title": "test"},
    )
    with pair.out.step() as step:
        step.put_dataset(dataset)
    step = next(pair.reader)
    lazy = xr.open_dataset(step, engine="staithe")
    xr.testing.assert_identical(lazy, dataset)
    xr.testing.assert_identical(
        lazy.isel(x=[3, 0], y=slice(None, None, -1)), dataset.isel(x=[3, 0], y=slice(None, None, -1))
    )
    xr.testing.assert_identical(xr.open_dataset(step, engine="staithe", chunks={}), dataset)


def test_the_next_step_of_a_stream(stream: str) -> None:
    with staithe.writer(stream, timeout=10) as out:
        for number in range(2):
            with out.step() as step:
                step.put("T", [float(number)])
        with xr.open_dataset(stream, engine="staithe", stream=True, timeout=10) as dataset:
            assert dataset.T[0] == 0
    with pytest.raises(staithe.InvalidArgument, match=r"<staithe.Space 's'> is no stream"):
        xr.open_dataset(staithe.space("s", server=""), engine="staithe", stream=True)


def test_what_nobody_would_keep_is_not_put() -> None:
    with own_run_directory():
        dataset = xr.Dataset({"u": ("x", [1.0, 2.0])})
        with pytest.raises(staithe.NotFound, match="no server keeps space 'campaign'"):
            dataset.staithe.put("campaign")
        with staithe.space("campaign") as space:
            dataset.staithe.put(space)
            assert dataset.staithe.put("campaign") == 1


@pytest.mark.parametrize("version", [99, [0, 99]])
def test_a_version_that_nobody_has_put_is_not_its_labels_alone(version: int | list[int]) -> None:
    with own_run_directory(), staithe.space("campaign") as space:
        xr.Dataset({"u": ("x", [1.0, 2.0])}, {"x": [0, 1]}).staithe.put(space)
        with pytest.raises(staithe.NotFound, match="no variable of version"):
            xr.open_dataset("campaign", engine="staithe", version=version)
