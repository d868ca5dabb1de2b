"""Reductions over steps, as NumPy makes them of the arrays of all steps at once."""

from __future__ import annotations

import math
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reductions import DTYPES, KINDS, arrays_of, assert_reduced, each_written

import staithe


@pytest.fixture(scope="module")
def written() -> Iterator[Any]:
    with each_written("running") as write:
        yield write


def drawn_steps(data: st.DataObject, dtype: str, axis: tuple[int, ...], dimensions: int) -> list[Any]:
    """Arrays that have the same lengths along the dimensions that stay."""
    kept = data.draw(st.lists(st.integers(0, 4), min_size=dimensions, max_size=dimensions))
    shapes = st.tuples(*(st.integers(0, 4) if i in axis else st.just(length) for i, length in enumerate(kept)))
    return [data.draw(arrays_of(dtype, data.draw(shapes))) for _ in range(data.draw(st.integers(1, 5)))]


def at_once(steps: list[Any], axis: tuple[int, ...]) -> Any:
    """All elements that become one along the last dimension."""
    lines = []
    for array in steps:
        gone_last = np.moveaxis(array, axis, range(array.ndim - len(axis), array.ndim))
        kept = array.ndim - len(axis)
        lines.append(gone_last.reshape(*gone_last.shape[:kept], math.prod(gone_last.shape[kept:])))
    return np.concatenate(lines, axis=-1)


@given(data=st.data(), dtype=st.sampled_from(DTYPES), how=st.sampled_from(KINDS))
def test_as_numpy_of_all_steps_at_once(written: Any, data: st.DataObject, dtype: str, how: Any) -> None:
    dimensions = data.draw(st.integers(0, 3))
    axis = data.draw(st.lists(st.integers(0, dimensions - 1), unique=True).map(tuple)) if dimensions else ()
    steps = drawn_steps(data, dtype, axis, dimensions)
    running = staithe.RunningReduction(how, axis=None if len(axis) == dimensions else axis)
    for number, array in enumerate(steps):
        variable = written(array, data.draw(st.integers(0, array.shape[0])) if array.ndim else 0)
        if np.dtype(dtype).kind == "c" and how in ("min", "max"):
            with pytest.raises(staithe.InvalidArgument, match="variable 'x': complex numbers have no order"):
                running.add(variable)
            return
        running.add(variable)
        assert running.steps == number + 1
        so_far = at_once(steps[: number + 1], axis)
        if how != "sum" and so_far.shape[-1] == 0 and 0 not in so_far.shape[:-1]:
            with pytest.raises(staithe.InvalidArgument, match=f"there is no {how} of no elements"):
                running.result()
        elif 0 in so_far.shape[:-1]:
            assert running.result().shape == so_far.shape[:-1]
        else:
            assert_reduced(running.result(), so_far, how, -1)


@given(data=st.data(), dtype=st.sampled_from([each for each in DTYPES if np.dtype(each).kind != "c"]))
def test_histograms_of_all_steps(written: Any, data: st.DataObject, dtype: str) -> None:
    axis = data.draw(st.sampled_from([(), (0,), (1,), (0, 1)]))
    steps = drawn_steps(data, dtype, axis, 2)
    running = staithe.RunningReduction("histogram(8, -64, 64)", axis=axis)
    for array in steps:
        running.add(written(array, 0))
    lines = at_once(steps, axis).astype("f8")
    got = running.result()
    assert got.shape == (*lines.shape[:-1], 8)
    for place in np.ndindex(lines.shape[:-1]):
        np.testing.assert_array_equal(got[place], np.histogram(lines[place], 8, (-64, 64))[0])


def test_the_mean_of_a_field_over_time(written: Any) -> None:
    fields = np.random.default_rng(1).random((7, 60, 50), "f4")
    mean, spread = staithe.RunningReduction("mean", axis=()), staithe.RunningReduction("std", axis=[])
    for field in fields:
        mean.add(written(field, 23))
        spread.add(written(field, 0))
    np.testing.assert_allclose(mean.result(), fields.mean(0, dtype="f8"), rtol=1e-12)
    np.testing.assert_allclose(spread.result(), fields.std(0, dtype="f8"), rtol=1e-12)
    assert not mean.result().flags.writeable


def test_results_stay_as_they_were_while_more_is_added(written: Any) -> None:
    total = staithe.RunningReduction("sum", axis=0)
    total.add(written(np.array([[1, 2], [3, 4]]), 1))
    first = total.result()
    total.add(written(np.array([[10, 20]]), 0))
    assert (first.tolist(), total.result().tolist(), total.result().tolist()) == ([4, 6], [14, 26], [14, 26])


def test_of_parts_of_steps(written: Any) -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    greatest = staithe.RunningReduction("max", axis=0)
    greatest.add(written(array, 1), (slice(None), 1))
    greatest.add(written(array[0], 0), staithe.Box((1, 0), (2, 4)))  # of one dimension less
    greatest.add(written(-array, 0), (..., 2, slice(None)))
    assert greatest.result().tolist() == array[1, 1].tolist()


def test_what_cannot_be_added_is_said_and_adds_nothing(written: Any) -> None:
    with pytest.raises(staithe.InvalidArgument, match="no reduction 'median'"):
        staithe.RunningReduction("median")
    with pytest.raises(staithe.InvalidArgument, match="axis must be made of whole numbers"):
        staithe.RunningReduction("mean", axis="x")
    mean = staithe.RunningReduction("mean", axis=0)
    with pytest.raises(staithe.InvalidArgument, match="no mean yet, since nothing was added: add the variable of a"):
        mean.result()
    mean.add(written(np.zeros((0, 2)), 0))
    with pytest.raises(staithe.InvalidArgument, match="there is no mean of no elements"):
        mean.result()
    mean.add(written(np.array([[1.0, 3.0]]), 0))
    for array, key, message in (
        (np.ones((1, 2), "f4"), None, r"variable 'x', step \d+: it is f4, what was added before f8"),
        (np.ones((2, 3)), None, r"variable 'x', step \d+: its mean has the shape \(3\), the mean of .* before \(2\)"),
        (np.ones((1, 2)), 0, r"variable 'x', step \d+: its mean has the shape \(\)"),
        (np.array(1.0), None, "no axis 0 of an array of 0 dimensions"),
        (np.ones((1, 2)), [0], "of new axes, masks and lists"),
    ):
        with pytest.raises(staithe.InvalidArgument, match=message):
            mean.add(written(array, 0), key)
    assert (mean.steps, mean.result().tolist()) == (2, [1.0, 3.0])


def test_what_nobody_wrote_is_missed_and_what_was_released_is_closed() -> None:
    total = staithe.RunningReduction("sum")
    with staithe.writer("half") as out, staithe.reader("half") as steps:
        with out.step() as step:
            step.put("x", np.ones(5), offset=0, shape=10)
        read = next(steps)
        variable = read["x"]
        with pytest.raises(staithe.NotFound, match="no rank wrote 5 of the 10 elements"):
            total.add(variable)
        total.add(variable, slice(0, 5))
        read.release()
        with pytest.raises(staithe.Closed):
            total.add(variable)
    assert (total.result(), total.steps) == (5, 1)


def test_of_a_recording_and_of_what_is_derived(tmp_path: Path) -> None:
    path = str(tmp_path / "run.zarr")
    with staithe.writer("run") as out, staithe.reader("run") as steps, staithe.Recorder(path) as recorder:
        for i in range(5):
            with out.step() as step:
                step.put("u", np.arange(6.0) * i)
            recorder.append(next(steps))
    greatest, squares = staithe.RunningReduction("max"), staithe.RunningReduction("mean", axis=())
    with staithe.reader(path) as recorded:
        for read in recorded:
            greatest.add(read["u"])
            squares.add(read.derive("u**2"))
    assert greatest.result() == 20
    np.testing.assert_allclose(squares.result(), np.arange(6.0) ** 2 * np.mean(np.arange(5.0) ** 2))


def test_threads_take_turns() -> None:
    total = staithe.RunningReduction("sum", axis=())
    with staithe.writer("threads") as out, staithe.reader("threads") as steps:
        with out.step() as step:
            step.put("x", np.ones(100_000))
        variable = next(steps)["x"]
        with ThreadPoolExecutor(4) as threads:
            list(threads.map(lambda _: total.add(variable), range(40)))
    assert (total.result() == 40).all()
    assert total.steps == 40
