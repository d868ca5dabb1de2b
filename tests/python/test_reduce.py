"""Variables of steps, reduced along axes, as NumPy does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reductions import DTYPES, KINDS, assert_reduced, each_written, some_arrays

import staithe
from staithe import Box


@pytest.fixture(scope="module")
def written() -> Iterator[Any]:
    with each_written("reduced") as write:
        yield write


def some_indices(length: int) -> st.SearchStrategy[Any]:
    return st.one_of(st.integers(-length, length - 1), st.slices(length))


@given(data=st.data(), dtype=st.sampled_from(DTYPES), how=st.sampled_from(KINDS))
def test_as_numpy_does_it(written: Any, data: st.DataObject, dtype: str, how: Any) -> None:
    array = data.draw(some_arrays(dtype))
    variable = written(array, data.draw(st.integers(0, array.shape[0])) if array.ndim else 0)
    key: Any = None
    if data.draw(st.booleans()):
        key = tuple(data.draw(some_indices(length)) for length in array.shape[: data.draw(st.integers(0, array.ndim))])
        array = array[key]
    axis = data.draw(st.one_of(st.none(), *([st.integers(-array.ndim, array.ndim - 1)] if array.ndim else [])))
    kept = [n for i, n in enumerate(array.shape) if axis is not None and i != axis % array.ndim]
    if np.dtype(dtype).kind == "c" and how in ("min", "max"):
        with pytest.raises(staithe.InvalidArgument, match="variable 'x': complex numbers have no order"):
            variable.reduce(how, key, axis=axis)
    elif how != "sum" and array.size == 0 and 0 not in kept:
        with pytest.raises(staithe.InvalidArgument, match=f"no {how} of no elements"):
            variable.reduce(how, key, axis=axis)
    else:
        assert_reduced(variable.reduce(how, key, axis=axis), np.asarray(array), how, axis)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), [2, 0], (-1, -2), (), (0, 1, 2), np.int64(1)])
@pytest.mark.parametrize("how", KINDS)
def test_large_arrays(written: Any, how: Any, axis: Any) -> None:
    array = np.random.default_rng(1).random((60, 70, 301))
    got = written(array, 23).reduce(how, axis=axis)
    along = tuple(axis) if isinstance(axis, list) else axis
    np.testing.assert_allclose(got, getattr(np, how)(array, axis=along), rtol=1e-12)
    assert not isinstance(got, np.ndarray) or not got.flags.writeable


def test_of_a_box_and_of_what_integers_leave(written: Any) -> None:
    array = np.arange(6 * 7 * 8.0).reshape(6, 7, 8)
    variable = written(array, 4)
    assert variable.reduce("max", Box((1, 2, 3), (2, 3, 4))) == array[1:3, 2:5, 3:7].max()
    assert (variable.reduce("sum", (slice(None), 3), axis=-1) == array[:, 3].sum(-1)).all()
    assert variable.reduce("mean", (2, 3, 4)) == array[2, 3, 4]
    assert isinstance(variable.reduce("min"), np.float64)


def test_what_cannot_be_reduced_is_said(written: Any) -> None:
    variable = written(np.zeros((2, 3)), 0)
    for how, key, axis, message in (
        ("maximum", None, None, "no reduction 'maximum'.*max"),
        ("sum", None, 2, "no axis 2 of an array of 2 dimensions"),
        ("sum", 0, 1, "no axis 1 of an array of 1 dimensions"),
        ("sum", None, (0, -2), "twice"),
        ("sum", None, "y", "axis must be made of whole numbers"),
        ("sum", None, (0, 1.0), "axis must be made of whole numbers, not float"),
        ("sum", [0, 1], None, "'x': of new axes, masks and lists"),
        ("sum", (0, np.newaxis), None, "'x': of new axes, masks and lists"),
    ):
        with pytest.raises(staithe.InvalidArgument, match=message):
            variable.reduce(how, key, axis=axis)
    with pytest.raises(IndexError):
        variable.reduce("sum", 7)


def test_what_nobody_wrote_is_missed_and_what_was_released_is_closed() -> None:
    with staithe.writer("half") as out, staithe.reader("half") as steps:
        with out.step() as step:
            step.put("x", np.ones(5), offset=0, shape=10)
        read = next(steps)
        variable = read["x"]
        assert variable.reduce("sum", slice(0, 5)) == 5
        with pytest.raises(staithe.NotFound, match="no rank wrote 5 of the 10 elements"):
            variable.reduce("sum")
        read.release()
        with pytest.raises(staithe.Closed):
            variable.reduce("sum")


def test_local_arrays_are_reduced_one_by_one() -> None:
    """Of one rank there is one, and that is reduced as any."""
    with staithe.writer("local") as out, staithe.reader("local") as steps:
        with out.step() as step:
            step.put("x", np.arange(5))
        assert next(steps)["x"].reduce("sum") == 10


@given(data=st.data(), dtype=st.sampled_from([each for each in DTYPES if np.dtype(each).kind != "c"]))
def test_histograms_are_numpys(written: Any, data: st.DataObject, dtype: str) -> None:
    array = data.draw(some_arrays(dtype))
    variable = written(array, data.draw(st.integers(0, array.shape[0])) if array.ndim else 0)
    bins = data.draw(st.integers(1, 50))
    values = array.astype(np.result_type(array, "f8"))
    bounds: Any = None
    if not np.isfinite(values).all() or data.draw(st.booleans()):
        bounds = (data.draw(st.floats(-100, 20)), data.draw(st.floats(20.5, 100)))
    try:
        with np.errstate(invalid="ignore"):
            expected, edges = np.histogram(values, bins, bounds)
    except ValueError:  # the bins are too narrow to be told apart
        with pytest.raises(staithe.InvalidArgument):
            variable.histogram(bins, bounds)
        return
    counts, got_edges = variable.histogram(bins, bounds)
    last_bits = 1e-15 * np.abs(edges).max()
    np.testing.assert_allclose(got_edges, edges, rtol=1e-15, atol=last_bits)
    assert counts.dtype == expected.dtype
    if not (np.abs(values[..., None] - edges[1:-1]) <= last_bits).any():  # else those decide
        np.testing.assert_array_equal(counts, expected)
    assert counts.sum() == expected.sum()


def test_histograms_along_an_axis_and_of_a_part(written: Any) -> None:
    array = np.random.default_rng(1).standard_normal((20, 30, 40)).astype("f4")
    variable = written(array, 7)
    counts, edges = variable.histogram(16, (-2, 2), axis=(0, 2))
    assert counts.shape == (30, 16)
    for line in range(30):
        expected, its_edges = np.histogram(array[:, line].astype("f8"), 16, (-2, 2))
        np.testing.assert_array_equal(counts[line], expected)
        np.testing.assert_array_equal(edges, its_edges)
    counts, edges = variable.histogram(selection=(slice(3, 9), 4))
    expected, its_edges = np.histogram(array[3:9, 4].astype("f8"))
    np.testing.assert_array_equal(counts, expected)
    np.testing.assert_array_equal(edges, its_edges)
    np.testing.assert_array_equal(variable.reduce("histogram(3, 0, 1)"), np.histogram(array, 3, (0, 1))[0])


def test_histograms_of_nothing_and_of_one_value(written: Any) -> None:
    for array in np.zeros((0, 3)), np.full(7, 2.5), np.arange(3)[:0], np.array(4.0), np.ones(3, bool):
        expected, edges = np.histogram(array.astype("f8"), 4)
        counts, its_edges = written(array, 0).histogram(np.int16(4))
        np.testing.assert_array_equal(counts, expected)
        np.testing.assert_array_equal(its_edges, edges)


def test_histograms_of_large_integers_lose_none(written: Any) -> None:
    for array in np.array([2**53 + 3, 2**53 + 50, 2**53 + 101]), np.array([2**64 - 5, 2**63], "u8"):
        counts, edges = written(array, 0).histogram(4)
        assert counts.sum() == array.size
        assert edges[-1] == float(array.max())


def test_bins_that_cannot_be_are_said(written: Any) -> None:
    variable = written(np.array([0.0, np.nan, 2.0]), 0)
    for arguments, message in (
        ((np.array([0, 1, 3]),), r"'x': bins=array\(\[0, 1, 3\]\): give how many"),
        ((65536, (1, 1.0000000000000002)), "doubles cannot tell 65536 bins between 1 and 1.0000000000000002 apart"),
        (([0, 1, 3],), r"'x': bins=\[0, 1, 3\]: give how many, of equal width.*step.derive\(\"log10\(x\)\"\)"),
        (("auto",), "bins='auto': give how many"),
        ((True,), "bins=True: give how many"),
        ((2.0,), "bins=2.0: give how many"),
        ((0, (0, 1)), "'x': a histogram has 1 to 65536 bins, not 0"),
        ((65537, (0, 1)), "1 to 65536 bins, not 65537"),
        ((5,), r"from nan to nan.*range=\(least, greatest\)"),
        ((5, (0, np.inf)), "two finite values, the smaller one first, not 0 and inf"),
        ((5, (2, 1)), "the smaller one first, not 2 and 1"),
        ((5, (1, 2, 3)), r"range=\(1, 2, 3\): give the least and greatest"),
        ((5, 7), "range=7: give the least and greatest"),
        ((5, ("a", "b")), "give the least and greatest"),
    ):
        with pytest.raises(staithe.InvalidArgument, match=message):
            variable.histogram(*arguments)
    with pytest.raises(staithe.InvalidArgument, match="masks and lists"):
        variable.histogram(3, None, [0, 1])
    with pytest.raises(staithe.InvalidArgument, match="complex numbers have no order"):
        written(np.ones(3, "c16"), 0).histogram(3)
