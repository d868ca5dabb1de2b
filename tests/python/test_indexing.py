"""`variable[key]` against NumPy, and the keys that only NumPy takes. Random keys: test_properties.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staithe

ARRAY = np.arange(4 * 5 * 6).reshape(4, 5, 6)

KEYS: list[Any] = [
    ...,
    (),
    2,
    -1,
    np.int8(3),
    slice(None),
    slice(1, 3),
    slice(-3, None),
    slice(None, None, -1),
    slice(10, None, -2),
    slice(3, 1),
    slice(-100, 100, 3),
    (1, 2, 3),
    (1, 2, -1, ...),
    (..., 0),
    (0, ..., 0),
    (slice(1, None, 2), 0),
    (slice(None), slice(None, None, 2), slice(5, None, -2)),
    (slice(None), -1, slice(2, 2)),
]


@pytest.fixture(params=["one block", "four blocks"])
def variable(request: pytest.FixtureRequest, pair: Any) -> staithe.Variable:
    """ARRAY as a variable: where it lies in one block there are views, else copies."""
    with pair.out.step() as step:
        if request.param == "one block":
            step.put("x", ARRAY)
        else:
            for i, j in ((0, 0), (0, 3), (2, 0), (2, 3)):
                step.put("x", ARRAY[i : i + 2, j : j + 3], offset=(i, j, 0), shape=ARRAY.shape)
    variable: staithe.Variable = next(pair.reader)["x"]
    return variable


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_basic_indexing_is_numpys(variable: staithe.Variable, key: Any) -> None:
    result, expected = variable[key], ARRAY[key]
    assert type(result) is type(expected)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


@pytest.mark.parametrize("key", [4, -5, (0, 5), (0, 0, 6), (0, 0, 0, 0), (..., ...), (1, 2, 3, slice(None))])
def test_what_is_out_of_bounds_is_an_index_error_as_in_numpy(variable: staithe.Variable, key: Any) -> None:
    with pytest.raises(IndexError):
        ARRAY[key]
    with pytest.raises(IndexError):
        variable[key]


MASK = np.array([True, False, True, True])

ADVANCED: list[Any] = [
    None,
    (None, ...),
    (0, None, slice(None, None, 2)),
    (..., None, 3, None),
    (1, 2, 3, None),
    [0, 3],
    [3, -1, 0, 0],
    [],
    np.array([2, 1], "u1"),
    np.array([[0, 1], [2, -1]]),
    np.array(2),
    MASK,
    MASK.tolist(),
    (slice(None), [4, 0]),
    (slice(None, None, -1), slice(1, None), [5, 0, 2]),
    (..., [True, False, False, True, False, False]),
    (0, slice(None), [1, 2]),
    ([1, 2], slice(None), 0),
    (slice(None), 1, [1, 2]),
    (None, [1, 2], None, ..., 0),
    (slice(2, 2), [0, 4]),
    np.zeros(4, bool),
]


@pytest.mark.parametrize("key", ADVANCED, ids=repr)
def test_lists_masks_and_new_axes_are_numpys(variable: staithe.Variable, key: Any) -> None:
    result, expected = variable[key], ARRAY[key]
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)
    assert not result.flags.writeable
    out = np.zeros(expected.shape)
    if key is not None:  # read(None) is everything
        assert variable.read(key, out=out) is out
        np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    "key", [[4], [-5], ([0], 5), np.ones(3, bool), (..., np.ones(5, bool)), ([0], 0, 0, 0), (..., [0], ...)], ids=repr
)
def test_lists_that_are_out_of_bounds_are_index_errors_as_in_numpy(variable: staithe.Variable, key: Any) -> None:
    with pytest.raises(IndexError):
        ARRAY[key]
    with pytest.raises(IndexError):
        variable[key]


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (([0, 1], [0, 1]), "index the array"),
        ((MASK, slice(None), [0, 1]), "index the array"),
        (ARRAY > 3, "a mask of 3 dimensions.*index the array"),
        (True, "index the array"),
        (np.True_, "by integers, slices"),
        ([0.5], "by integers, slices"),
        (["x"], "by integers, slices"),
        ((None, "x"), "by integers, slices"),
        (1.0, "by integers, slices"),
        ("x", "by integers, slices"),
        ((0, "x"), "by integers, slices"),
    ],
)
def test_what_is_no_key_is_refused_with_advice(variable: staithe.Variable, key: Any, message: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=message):
        variable[key]


def test_a_list_of_few_among_many_reads_no_more_than_these(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", np.arange(5), offset=0, shape=1000)
        step.put("x", np.arange(995, 1000), offset=995, shape=1000)
    x = next(pair.reader)["x"]
    assert x[[999, 1, 2, 1, 996]].tolist() == [999, 1, 2, 1, 996]


def test_a_step_of_zero_is_refused(variable: staithe.Variable) -> None:
    with pytest.raises(ValueError, match="zero"):
        variable[::0]


def test_boxes(variable: staithe.Variable) -> None:
    box = staithe.Box((1, 2, 0), (2, 3, 6))
    np.testing.assert_array_equal(variable[box], ARRAY[box.slices])
    assert variable[staithe.Box((4, 0, 0), (0, 5, 6))].shape == (0, 5, 6)
    with pytest.raises(staithe.InvalidArgument, match="does not lie in"):
        variable[staithe.Box((1, 2, 0), (4, 3, 6))]
    with pytest.raises(staithe.InvalidArgument, match="does not lie in"):
        variable[staithe.Box((0,), (1,))]


def test_an_array_of_no_dimensions(pair: Any) -> None:
    x = pair.send(x=2.5)["x"]
    assert x[()] == 2.5
    assert isinstance(x[()], np.float64)
    assert x[...].shape == ()
    with pytest.raises(IndexError):
        x[0]
    with pytest.raises(TypeError):
        len(x)
    with pytest.raises(TypeError):
        iter(x)


def test_sequences_and_array_protocol(variable: staithe.Variable) -> None:
    assert len(variable) == 4
    np.testing.assert_array_equal(list(variable), ARRAY)
    assert len(variable[0]) == 5
    np.testing.assert_array_equal(np.asarray(variable), ARRAY)
    np.testing.assert_array_equal(np.add(variable, 1), ARRAY + 1)
    assert np.asarray(variable, "f4").dtype == np.float32
    copied = np.array(variable)
    assert copied.flags.writeable
    np.testing.assert_array_equal(copied, ARRAY)


def test_an_array_without_a_copy_where_that_can_be(pair: Any) -> None:
    x = pair.send(x=[1, 2])["x"]
    assert x.__array__(copy=False).base is not None
    with pytest.raises(ValueError, match="without a copy"):
        x.__array__("f4", copy=False)


def test_read_takes_the_same_keys(variable: staithe.Variable) -> None:
    np.testing.assert_array_equal(variable.read(), ARRAY)
    np.testing.assert_array_equal(variable.read((slice(None, None, -1), 2)), ARRAY[::-1, 2])


@pytest.mark.parametrize("key", [k for k in KEYS if np.ndim(ARRAY[k])], ids=repr)
def test_reading_into_an_array_of_any_strides(variable: staithe.Variable, key: Any) -> None:
    expected: Any = ARRAY[key]
    out = np.zeros([2 * n for n in expected.shape], ARRAY.dtype)[tuple(slice(None, None, -2) for _ in expected.shape)]
    assert variable.read(key, out=out) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.zeros((4, 5)), "of shape"),
        (
            np.zeros((4, 5, 6), "f4"),
            r"'x' is int64, and float32 cannot hold all.*\.astype\('float32', casting=\"unsafe\"\)",
        ),
        (np.zeros((4, 5, 6), "u8"), "cannot hold all"),
        (np.zeros((4, 5, 1)), "of shape"),
        (np.zeros((4, 5, 6), bool), "cannot hold all"),
        (np.broadcast_to(0, (4, 5, 6)), "read-only"),
        ([0], "must be an array of NumPy's or of a GPU"),
        (np.zeros((4, 5, 6), "U1"), "cannot hold all"),
        (np.zeros((4, 5, 6), "M8[s]"), "cannot hold all"),
    ],
)
def test_out_must_fit(variable: staithe.Variable, out: Any, message: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=message):
        variable.read(out=out)


def test_what_nobody_wrote_is_not_found(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", [1, 2], offset=1, shape=4)
    x = next(pair.reader)["x"]
    assert x[1:3].tolist() == [1, 2]
    with pytest.raises(staithe.NotFound, match="no rank wrote 2 of the 4 elements"):
        x[...]
