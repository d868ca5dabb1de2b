"""What NumPy makes of arrays that are reduced, for tests of what else reduces them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

import staithe

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")
KINDS: tuple[Any, ...] = ("sum", "mean", "min", "max", "var", "std")


@st.composite
def some_arrays(draw: st.DrawFn, dtype: str) -> Any:
    """Of up to four dimensions, here and there with NaN or an infinity."""
    return draw(arrays_of(dtype, draw(arrays.array_shapes(min_dims=0, max_dims=4, min_side=1, max_side=7))))


@st.composite
def arrays_of(draw: st.DrawFn, dtype: str, shape: tuple[int, ...]) -> Any:
    """Of that shape, here and there with NaN or an infinity."""
    generator = np.random.default_rng(draw(st.integers(0, 99)))
    array: Any = (generator.standard_normal(shape) * 50).astype(dtype)
    if np.dtype(dtype).kind == "f" and array.size and draw(st.booleans()):
        array.ravel()[generator.integers(array.size)] = draw(st.sampled_from([np.nan, np.inf, -np.inf]))
    return array


@contextmanager
def each_written(stream: str) -> Iterator[Callable[[Any, int], Any]]:
    """A function that gives the variable that an array, cut along its first dimension, becomes."""
    with staithe.writer(stream) as out, staithe.reader(stream) as steps:

        def write(array: Any, cut: int) -> Any:
            with out.step() as step:
                if array.ndim == 0 or cut in (0, array.shape[0]):
                    step.put("x", array)
                else:
                    rest = (0,) * (array.ndim - 1)
                    step.put("x", array[:cut], offset=(0, *rest), shape=array.shape)
                    step.put("x", np.asfortranarray(array[cut:]), offset=(cut, *rest), shape=array.shape)
            return next(steps)["x"]

        yield write


def expected(array: Any, how: str, axis: Any) -> Any:
    """As NumPy has it, but in at least double precision."""
    if how not in ("min", "max") and array.dtype.kind in "fc":
        array = array.astype(np.result_type(array, np.float64 if array.dtype.kind == "f" else np.complex128))
    if how in ("mean", "var", "std") and array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        return np.asarray(getattr(np, how)(array.astype(np.longdouble), axis=axis)).astype(np.float64)[()]
    return getattr(np, how)(array, axis=axis)


def assert_reduced(got: Any, array: Any, how: str, axis: Any) -> None:
    """That it is NumPy's, of NumPy's dtype, but for the least and greatest of f2."""
    with np.errstate(all="ignore"):
        wanted = expected(array, how, axis)
    if how in ("min", "max") and array.dtype == "f2":
        wanted = wanted.astype("f4")
    assert got.shape == wanted.shape
    assert got.dtype == wanted.dtype
    assert is_close(got, wanted, array)


def is_close(got: Any, wanted: Any, array: Any) -> bool:
    """Exactly, or as nearly as sums in another order are."""
    if got.dtype.kind in "fc" and array.dtype.kind in "fciu":
        scale = np.abs(array[np.isfinite(array)].astype(np.clongdouble)).sum()
        return bool(np.allclose(got, wanted, rtol=1e-12, atol=float(scale) * 1e-14, equal_nan=True))
    if got.dtype.kind == "f":  # of truth values
        return bool(np.allclose(got, wanted, rtol=1e-12, equal_nan=True))
    return bool(np.array_equal(got, wanted))
