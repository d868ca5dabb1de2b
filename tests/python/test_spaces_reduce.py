"""Arrays of a space, reduced along axes, as NumPy does it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reductions import DTYPES, KINDS, assert_reduced, some_arrays
from space_servers import KEEPERS, OpenSpace, kept_by

import staithe
from staithe import Box


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


@given(data=st.data(), dtype=st.sampled_from(DTYPES), how=st.sampled_from(KINDS))
def test_as_numpy_does_it(open_space: OpenSpace, data: st.DataObject, dtype: str, how: Any) -> None:
    array = data.draw(some_arrays(dtype))
    shape = array.shape
    cut = data.draw(st.integers(0, shape[0])) if shape else 0
    axis = data.draw(st.one_of(st.none(), *([st.integers(-len(shape), len(shape) - 1)] if shape else [])))
    with open_space() as space:
        if cut not in (0, shape[0] if shape else 0):
            rest = (0,) * (len(shape) - 1)
            space.put("x", array[:cut], offset=(0, *rest), shape=shape, version=0)
            space.put("x", np.asfortranarray(array[cut:]), offset=(cut, *rest), shape=shape, version=0)
        else:
            space.put("x", array, version=0)
        box = None
        if data.draw(st.booleans()):
            begins = [data.draw(st.integers(0, length - 1)) for length in shape]
            box = Box(begins, [data.draw(st.integers(1, n - begin)) for n, begin in zip(shape, begins, strict=True)])
            array = array[*box.slices, ...]
        if np.dtype(dtype).kind == "c" and how in ("min", "max"):
            with pytest.raises(staithe.InvalidArgument, match="no order"):
                space.reduce("x", how, axis=axis, box=box)
            return
        assert_reduced(space.reduce("x", how, axis=axis, box=box), array, how, axis)


@pytest.mark.parametrize("axis", [None, 0, 1, 2, (0, 2), (2, 0), (-1, -2), (), (0, 1, 2)])
@pytest.mark.parametrize("how", KINDS)
def test_large_arrays_of_many_blocks(open_space: OpenSpace, how: Any, axis: Any) -> None:
    array = np.random.default_rng(1).random((60, 70, 301))
    with open_space() as space:
        for row in range(0, 60, 20):
            for column in range(0, 70, 35):
                block = array[row : row + 20, column : column + 35]
                space.put("x", block, offset=(row, column, 0), shape=array.shape, version=0)
        got = space.reduce("x", how, axis=axis)
        np.testing.assert_allclose(got, getattr(np, how)(array, axis=axis), rtol=1e-12)
        assert not isinstance(got, np.ndarray) or not got.flags.writeable


def test_what_lies_over_each_other_counts_once(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", np.full(6, 100), shape=10, version=0)
        space.put("x", np.arange(4, 10), offset=4, shape=10, version=0)
        assert space.reduce("x", "sum") == 400 + sum(range(4, 10))
        assert space.reduce("x", "max", box=Box((4,), (6,))) == 9


def test_what_cannot_be_reduced_is_said(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", np.zeros((2, 3)))
        space.put("none", np.zeros((0, 3)))
        for how, axis, message in (
            ("maximum", None, "no reduction 'maximum'.*max"),
            ("sum", 2, "2 dimensions cannot be reduced along 2"),
            ("sum", -3, "along -3"),
            ("sum", (0, -2), "along -2 twice"),
            ("sum", "y", "'x' cannot be reduced along axis='y': give a number, or several"),
            ("sum", (0, 1.0), r"along axis=\(0, 1.0\)"),
        ):
            with pytest.raises(staithe.InvalidArgument, match=message):
                space.reduce("x", how, axis=axis)
        for how in KINDS[1:]:
            with pytest.raises(staithe.InvalidArgument, match=f"no {how} of no elements"):
                space.reduce("none", how)
            assert space.reduce("none", how, axis=1).shape == (0,)
        assert space.reduce("none", "sum", axis=0).tolist() == [0, 0, 0]
        with pytest.raises(staithe.Timeout):
            space.reduce("y", "sum", timeout=0)
        space.put("half", [1], shape=2, version=0, complete=True)
        with pytest.raises(staithe.NotFound, match="nobody has put"):
            space.reduce("half", "sum")
