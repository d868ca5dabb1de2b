"""Writer ranks that each put their part of a DataArray or a Dataset: coordinates are parts, too."""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import xarray as xr
from hypothesis import given, settings
from hypothesis import strategies as st

import staithe
from thoroughness import examples

_numbers = itertools.count()
Bounds = dict[str, tuple[int, int]]  # of a part, by dimension


def whole(**lengths: int) -> xr.Dataset:
    def variable(*dims: str) -> tuple[Any, ...]:
        shape = [lengths[dim] for dim in dims]
        return dims, np.random.default_rng(len(dims)).standard_normal(shape), {"units": "m"}

    times = np.datetime64("2020-01-01", "ns") + np.arange(lengths["x"])
    coords = {"x": times, "y": variable("y"), "lat": variable("y", "x"), "mean": variable("z"), "time": 0.5}
    data = {"a": variable("z", "y", "x"), "b": variable("y"), "c": variable("x", "z"), "n": 3}
    return xr.Dataset(data, coords, {"title": "parts"})


def cut(dataset: xr.Dataset, bounds: Bounds) -> tuple[xr.Dataset, dict[str, int]]:
    """That part of it, and where it begins."""
    part = dataset.isel({dim: slice(*ends) for dim, ends in bounds.items()})
    return part, {dim: first for dim, (first, _) in bounds.items()}


@contextlib.contextmanager
def written(ranks: int, program: Callable[[staithe.WriteStep, int], None]) -> Iterator[staithe.Step]:
    """A step that so many ranks write, as a reader gets it."""
    stream = f"parts-{next(_numbers)}"
    failures: list[Exception] = []

    def work(rank: int) -> None:
        try:
            with staithe.writer(stream, group=(rank, ranks), timeout=20) as out, out.step() as step:
                program(step, rank)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(ranks)]
    for thread in threads:
        thread.start()
    try:
        with staithe.reader(stream, timeout=20) as reader:
            yield next(reader)
    finally:
        for thread in threads:
            thread.join()
    assert failures == []


@st.composite
def cuts(draw: st.DrawFn, lengths: dict[str, int]) -> list[Bounds]:
    """Parts that are all of it together, some of them empty: it is cut in two, then one of the pieces, and so on."""
    parts: list[Bounds] = [{dim: (0, length) for dim, length in lengths.items()}]
    for _ in range(draw(st.integers(0, 6))):
        part = parts.pop(draw(st.integers(0, len(parts) - 1)))
        dim = draw(st.sampled_from(sorted(part)))
        first, last = part[dim]
        at = draw(st.integers(first, last))
        parts += [part | {dim: (first, at)}, part | {dim: (at, last)}]
    return [part for number, part in enumerate(parts) if part not in parts[:number]]


@settings(max_examples=examples(150))
@given(data=st.data(), lengths=st.fixed_dictionaries({dim: st.integers(1, 5) for dim in "xyz"}))
def test_however_a_dataset_is_cut(data: st.DataObject, lengths: dict[str, int]) -> None:
    dataset = whole(**lengths)
    parts = data.draw(cuts(lengths))
    owners = [data.draw(st.integers(0, 2)) for _ in parts]

    def put_datasets(step: staithe.WriteStep, rank: int) -> None:
        for owner, bounds in zip(owners, parts, strict=True):
            if owner == rank:
                part, offset = cut(dataset, bounds)
                step.put_dataset(part, offset=offset, shape=lengths)

    def put_arrays(step: staithe.WriteStep, rank: int) -> None:
        for owner, bounds in zip(owners, parts, strict=True):
            if owner == rank:
                part, offset = cut(dataset, bounds)
                place = {"offset": [offset[dim] for dim in "xyz"], "shape": [lengths[dim] for dim in "xyz"]}
                step.put("a", part["a"].transpose("x", "y", "z"), **place)

    with written(3, put_datasets) as step:
        xr.testing.assert_identical(step.to_xarray(), dataset)
    with written(3, put_arrays) as step:
        xr.testing.assert_identical(step.to_xarray("a"), dataset["a"].transpose("x", "y", "z"))


def test_arrays_that_are_cut_in_different_ways_share_a_coordinate() -> None:
    dataset = whole(x=6, y=4, z=2)

    def program(step: staithe.WriteStep, rank: int) -> None:
        rows = slice(2 * rank, 2 * rank + 2)
        step.put("a", dataset["a"][:, rows], offset=(0, 2 * rank, 0), shape=(2, 4, 6))
        columns = slice(3 * rank, 3 * rank + 3)
        step.put("c", dataset["c"][columns], offset=(3 * rank, 0), shape=(6, 2))

    with written(2, program) as step:
        xr.testing.assert_identical(step.to_xarray(), dataset[["a", "c"]].drop_attrs(deep=False))


def test_parts_of_nothing() -> None:
    particles = xr.DataArray(
        np.zeros((0, 3)), dims=("particle", "axis"), coords={"axis": list("xyz"), "id": ("particle", []), "t": 1.0}
    )

    def program(step: staithe.WriteStep, rank: int) -> None:
        step.put("p", particles, offset=(0, 0), shape=(0, 3))

    with written(3, program) as step:
        xr.testing.assert_identical(step.to_xarray("p"), particles.rename("p"))

    def program_by_axis(step: staithe.WriteStep, rank: int) -> None:
        step.put("p", particles.drop_vars("axis")[:, rank : rank + 1], offset=(0, rank), shape=(0, 3))

    with written(3, program_by_axis) as step:
        assert step.to_xarray("p").shape == (0, 3)


def test_what_one_rank_has_none_of() -> None:
    array = xr.DataArray(np.arange(3.0), dims="x", coords={"x": [1, 2, 3], "t": 2})

    def program(step: staithe.WriteStep, rank: int) -> None:
        first, last = [(0, 0), (0, 3), (3, 3)][rank]
        step.put("u", array[first:last], offset=first, shape=3)

    with written(3, program) as step:
        xr.testing.assert_identical(step.to_xarray("u"), array.rename("u"))


def test_one_part_of_a_share() -> None:
    """What a rank of a reader group does with its box."""
    dataset = whole(x=6, y=4, z=2)

    def program(step: staithe.WriteStep, rank: int) -> None:
        part, offset = cut(dataset, {"x": (3 * rank, 3 * rank + 3)})
        step.put_dataset(part, offset=offset, shape={"x": 6})

    with written(2, program) as step:
        box = step["a"].part("block")
        isel = dict(zip(("z", "y", "x"), box.slices, strict=True))
        xr.testing.assert_identical(step.to_xarray(isel=isel), dataset)
        inner = step.to_xarray("a", isel={"x": slice(4, 6)})
        assert np.shares_memory(inner.data, step["a"].blocks[1].data)
        xr.testing.assert_identical(inner, dataset["a"][..., 4:6])


def test_texts_go_in_whole(pair: Any) -> None:
    array = xr.DataArray([1.0, 2.0], dims="x", coords={"x": ["a", "b"]})
    with pair.out.step() as step:
        with pytest.raises(staithe.InvalidArgument, match="'x' is of texts, which cannot be put in parts"):
            step.put("u", array, offset=0, shape=4)
        step.put("v", array.rename(x="y"), offset=0, shape=2)
    xr.testing.assert_identical(next(pair.reader).to_xarray("v"), array.rename("v").rename(x="y"))


def test_local_arrays_are_no_data_array() -> None:
    array = xr.DataArray([1.0, 2.0], dims="x", coords={"x": [1, 2]})

    def program(step: staithe.WriteStep, rank: int) -> None:
        step.put("local", array)
        step.put("g", [rank], offset=rank, shape=2)

    with written(2, program) as step:
        for names in (None, "local", ["g", "local"]):
            with pytest.raises(staithe.InvalidArgument, match=r"variable '(local|x)' is several local arrays.*blocks"):
                step.to_xarray(names)
        assert step.to_xarray("g").values.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"offset": {"q": 1}, "shape": {"q": 2}}, "no dimension 'q': it has x"),
        ({"offset": {"x": 1}}, "offset along 'x' needs the length"),
        ({"offset": {"x": 1}, "shape": {"x": 2}}, r"does not lie in the variable's shape"),
        ({"offset": {"x": 0.5}, "shape": {"x": 9}}, "whole numbers"),
    ],
)
def test_places_that_are_none(pair: Any, place: Any, message: str) -> None:
    with pair.out.step() as step, pytest.raises(staithe.InvalidArgument, match=message):
        step.put_dataset(xr.Dataset({"u": ("x", [1, 2])}), **place)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"offset": 1}, "'u': an offset needs the shape"),
        ({"offset": (1, 1), "shape": (5, 5)}, r"'u': offset and shape must have a number for each of \(x\)"),
        ({"offset": 1, "shape": 2}, "does not lie"),
        ({"offset": 0.5, "shape": 9}, "whole number"),
    ],
)
def test_places_of_an_array_that_are_none(pair: Any, place: Any, message: str) -> None:
    with pair.out.step() as step, pytest.raises(staithe.InvalidArgument, match=message):
        step.put("u", xr.DataArray([1, 2], dims="x", coords={"x": [1, 2]}), **place)
