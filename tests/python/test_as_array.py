"""What a variable has of an ndarray, with NumPy as the oracle."""

from __future__ import annotations

import contextlib
import itertools
import math
import operator
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from numpy.typing import NDArray

import staithe
from thoroughness import examples

DTYPES = ("?", "i1", "i4", "i8", "u1", "u2", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")
_numbers = itertools.count()


@contextlib.contextmanager
def published(array: NDArray[Any], blocks: int) -> Iterator[staithe.Variable]:
    """The array as a variable, cut into blocks along its first dimension."""
    name = f"as-array-{next(_numbers)}"
    with staithe.writer(name) as out, staithe.reader(name) as reader:
        with out.step() as step:
            if not array.ndim:
                step.put("x", array)
            else:
                ends = [len(array) * block // blocks for block in range(blocks + 1)]
                for first, last in dict(itertools.pairwise(ends)).items():
                    step.put("x", array[first:last], offset=(first, *(0,) * (array.ndim - 1)), shape=array.shape)
        yield next(reader)["x"]


@pytest.fixture(params=[1, 3])
def x(request: pytest.FixtureRequest, pair: Any) -> staithe.Variable:
    with pair.out.step() as step:
        for rows in np.array_split(np.arange(6), request.param):
            step.put("x", ARRAY[rows[0] : rows[-1] + 1], offset=(rows[0], 0), shape=ARRAY.shape)
    variable: staithe.Variable = next(pair.reader)["x"]
    return variable


ARRAY = np.arange(24, dtype="f4").reshape(6, 4) - 7


def test_sizes(x: staithe.Variable) -> None:
    for name in ("ndim", "size", "nbytes", "shape", "dtype"):
        assert getattr(x, name) == getattr(ARRAY, name)
    np.testing.assert_array_equal(x.T, ARRAY.T)
    assert not x.T.flags.writeable


@pytest.mark.parametrize("method", ["min", "max", "mean", "sum"])
def test_reductions(x: staithe.Variable, method: str) -> None:
    for options in ({}, {"axis": 0}, {"axis": (0, 1)}, {"axis": 1, "keepdims": True}):
        expected = getattr(ARRAY, method)(**options)
        np.testing.assert_array_equal(getattr(x, method)(**options), expected)
        np.testing.assert_array_equal(getattr(np, method)(x, **options), expected)
    assert getattr(x, method)(0).shape == (4,)


ARITHMETIC = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul")
BITWISE = ("lshift", "rshift", "and_", "or_", "xor")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


@pytest.mark.parametrize("name", [*ARITHMETIC, *BITWISE, *COMPARISONS, "divmod"])
def test_operators_of_two(pair: Any, name: str) -> None:
    of: Any = divmod if name == "divmod" else getattr(operator, name)
    array = np.arange(1, 10).reshape(3, 3)
    x = pair.send(x=array)["x"]
    for other in (array + 1, 3, np.int64(3), np.float32(2), [1, 2, 3], None, x):
        plain = array if other is x else other
        for operands, expected in (((x, other), (array, plain)), ((other, x), (plain, array))):
            try:
                by_numpy = of(*expected)
            except (TypeError, ValueError) as error:
                with pytest.raises(type(error)):
                    of(*operands)
                continue
            result = of(*operands)
            np.testing.assert_array_equal(result, by_numpy)
            for one in result if name == "divmod" else (result,):
                assert one.flags.writeable
                assert not np.shares_memory(one, x)


@pytest.mark.parametrize("name", ["neg", "pos", "abs", "invert"])
def test_operators_of_one(pair: Any, name: str) -> None:
    array = np.arange(-3, 3)
    result = getattr(operator, name)(pair.send(x=array)["x"])
    np.testing.assert_array_equal(result, getattr(operator, name)(array))
    assert result.flags.writeable


def test_a_single_element_is_a_number(pair: Any) -> None:
    step = pair.send(n=np.float32(2.5), zero=0, one=[3], u=[1.0, 2.0])
    n, u = step["n"], step["u"]
    assert (float(n), int(n), complex(n), bool(n), bool(step["zero"]), bool(step["one"])) == (
        2.5,
        2,
        2.5,
        True,
        False,
        True,
    )
    assert (f"{n:.2f}", f"{step['zero']:03d}", f"{u}") == ("2.50", "000", str(u))
    assert math.sqrt(step["n"] * 10) == 5 and n == 2.5 and n < 3
    for convert in (float, int):
        with pytest.raises(TypeError, match="arrays can be converted"):
            convert(u)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(u)
    with pytest.raises(TypeError, match="unsupported format string"):
        f"{u:.2f}"
    with pytest.raises(TypeError, match="unhashable"):
        hash(u)


def test_astype(x: staithe.Variable) -> None:
    for dtype in ("f8", np.float64, "c16", "f4"):
        converted = x.astype(dtype)
        assert converted.dtype == np.dtype(dtype)
        np.testing.assert_array_equal(converted, ARRAY)
        converted += 1  # it is one's own
    for dtype in ("f2", "i8", "?"):
        with pytest.raises(
            staithe.InvalidArgument, match=r"'x' is float32, and .* cannot hold all.*casting=\"unsafe\""
        ):
            x.astype(dtype)
        np.testing.assert_array_equal(x.astype(dtype, casting="unsafe"), ARRAY.astype(dtype))
    np.testing.assert_array_equal(x.astype("f2", casting="same_kind"), ARRAY)
    with pytest.raises(staithe.InvalidArgument, match="cannot have dtype"):
        x.astype("U3")
    with pytest.raises(ValueError, match="casting"):
        x.astype("f8", casting="so-so")  # type: ignore[arg-type]


@settings(max_examples=examples(60), deadline=None)
@given(
    array=arrays.arrays(
        st.sampled_from(DTYPES).map(np.dtype), arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)
    ),
    to=st.sampled_from([*DTYPES, ">f8", ">i4"]),
    blocks=st.integers(1, 3),
    data=st.data(),
)
def test_out_of_another_dtype_is_what_numpy_makes_of_it(
    array: NDArray[Any], to: str, blocks: int, data: st.DataObject
) -> None:
    key: Any = data.draw(arrays.basic_indices(array.shape)) if array.ndim else ...
    expected: Any = array[key]
    out = np.zeros([2 * n for n in np.shape(expected)], to)[(..., *(slice(None, None, -2),) * np.ndim(expected))]
    with published(array, blocks) as x:
        if np.can_cast(array.dtype, to, "safe"):
            assert x.read(key, out=out) is out
            np.testing.assert_array_equal(out, np.asarray(expected).astype(to))
        else:
            with pytest.raises(staithe.InvalidArgument, match="cannot hold all"):
                x.read(key, out=out)


def test_large_arrays_are_converted_piece_by_piece(pair: Any) -> None:
    array = np.arange(3 * 1_000_000, dtype="i4").reshape(3, 1000, 1000)
    with pair.out.step() as step:
        step.put("x", array[:, :600], offset=(0, 0, 0), shape=array.shape)
        step.put("x", array[:, 600:], offset=(0, 600, 0), shape=array.shape)
    x = next(pair.reader)["x"]
    np.testing.assert_array_equal(x.astype("f8"), array)
    np.testing.assert_array_equal(x.read(np.s_[1, ::-1, 3::2], out=np.empty((1000, 499))), array[1, ::-1, 3::2])
    np.testing.assert_array_equal(x.read(np.s_[:1, 2:, 7], out=np.empty((1, 998), ">i8")), array[:1, 2:, 7])


@settings(max_examples=examples(60), deadline=None)
@given(shape=arrays.array_shapes(min_dims=1, max_dims=4, max_side=7), blocks=st.integers(1, 3), data=st.data())
def test_keys_with_a_list_a_mask_or_new_axes_select_what_numpy_selects(
    shape: tuple[int, ...], blocks: int, data: st.DataObject
) -> None:
    array = np.arange(np.prod(shape)).reshape(shape)
    axis = data.draw(st.integers(0, len(shape) - 1))
    items: list[Any] = [
        data.draw(st.one_of(st.slices(length), st.integers(-length, length - 1))) for length in shape[: axis + 1]
    ]
    length = shape[axis]
    items[axis] = data.draw(
        st.one_of(
            st.lists(st.integers(-length, length - 1), max_size=5),
            arrays.arrays(bool, length),
            arrays.arrays("i2", (2, 2), elements=st.integers(-length, length - 1)),
            st.slices(length),
        )
    )
    if data.draw(st.booleans()):
        items.append(...)
    for _ in range(data.draw(st.integers(0, 2))):
        items.insert(data.draw(st.integers(0, len(items))), None)
    key = tuple(items)
    expected: Any = array[key]
    with published(array, blocks) as x:
        result = x[key]
    assert (np.shape(result), result.dtype) == (np.shape(expected), expected.dtype)
    np.testing.assert_array_equal(result, expected)


def test_the_array_protocol(x: staithe.Variable) -> None:
    np.testing.assert_array_equal(np.asarray(x, "f8"), ARRAY)
    np.testing.assert_array_equal(np.array(x, copy=True), ARRAY)
    assert np.array(x).flags.writeable
    one = len(x.blocks) == 1
    if one and np.lib.NumpyVersion(np.__version__) >= "2.0.0":
        assert np.shares_memory(np.asarray(x, copy=False), x[...])
    if not one:
        with pytest.raises(ValueError, match="without a copy"):
            x.__array__(copy=False)


def test_arrays_are_pickled_and_variables_are_not(x: staithe.Variable) -> None:
    with pytest.raises(TypeError, match=r"variable 'x' cannot be pickled.*take its array, `\[...\]`"):
        pickle.dumps(x)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(x[...])), ARRAY)


def test_dlpack(x: staithe.Variable) -> None:
    assert x.__dlpack_device__() == ARRAY.__dlpack_device__()
    taken = np.from_dlpack(x)
    np.testing.assert_array_equal(taken, ARRAY)
    assert type(x.__dlpack__()).__name__ == "PyCapsule", (
        "an old consumer gets a copy, for it knows nothing of read-only"
    )
