"""Masked arrays: what is masked does not go out as data, in silence."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staithe

ARRAY = np.ma.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], mask=[[0, 1, 0], [0, 0, 1]])


def put(pair: Any, array: Any, **keywords: Any) -> staithe.Variable:
    with pair.out.step() as step:
        step.put("x", array, **keywords)
    variable: staithe.Variable = next(pair.reader)["x"]
    return variable


@pytest.mark.parametrize("array", [ARRAY, ARRAY.T, np.ma.masked, ARRAY.astype(">f4"), [*ARRAY], (1.0, np.ma.masked)])
def test_what_is_masked_is_not_published_without_a_word(pair: Any, array: Any) -> None:
    with pair.out.step() as step:
        with pytest.raises(staithe.InvalidArgument, match=r"'x': \d of its \d elements are masked.* fill=.*\.mask"):
            step.put("x", array)
        with pytest.raises(staithe.InvalidArgument, match="masked"):
            step["x"] = array


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "f16", "c8", "c32", "i4", "u1", ">i2"])
def test_with_a_fill_it_is_filled_and_said_so(pair: Any, dtype: str) -> None:
    array = ARRAY.astype(dtype)
    x = put(pair, array, fill=99, unit="K", attrs={"kind": "test"})
    assert x.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(x[...], array.filled(99))
    assert x.attrs == {"kind": "test", "_FillValue": 99}
    np.testing.assert_array_equal(np.ma.masked_equal(x[...], x.attrs["_FillValue"]).mask, ARRAY.mask)


def test_masks_of_a_list_of_arrays_count(pair: Any) -> None:
    np.testing.assert_array_equal(put(pair, [*ARRAY], fill=-1)[...], ARRAY.filled(-1))


def test_nan_is_a_fill_of_what_can_be_none(pair: Any) -> None:
    x = put(pair, ARRAY, fill=np.nan)
    np.testing.assert_array_equal(x[...], ARRAY.filled(np.nan))
    assert np.isnan(x.attrs["_FillValue"])


def test_a_fill_is_rounded_to_the_dtype_so_that_it_is_found(pair: Any) -> None:
    x = put(pair, ARRAY.astype("f4"), fill=1e20)
    assert (x[...] == x.attrs["_FillValue"]).tolist() == ARRAY.mask.tolist()


def test_a_mask_that_masks_nothing_is_no_matter(pair: Any) -> None:
    for array in (np.ma.array([1, 2, 3]), np.ma.array([1, 2, 3], mask=[0, 0, 0])):
        x = put(pair, array)
        assert x[...].tolist() == [1, 2, 3]
        assert type(x[...]) is np.ndarray
        assert x.attrs == {}


@pytest.mark.parametrize("array", [[1.5, -1.0], np.array([3, -1], "i2"), np.array([1, -1])[::-1]])
def test_a_fill_without_a_mask_is_noted(pair: Any, array: Any) -> None:
    x = put(pair, array, fill=-1)
    np.testing.assert_array_equal(x[...], array)
    assert x.attrs == {"_FillValue": -1}


@pytest.mark.parametrize(
    ("dtype", "fill"),
    [
        *(("u1", -1), ("u1", 256), ("i8", 0.5), ("i4", np.nan), ("u8", 2**70), ("i8", 2.0**63)),
        *(("?", 2), ("f4", 1e300), ("f8", 1j), ("f8", "x"), ("f8", [1.0]), ("f8", np.datetime64("2020"))),
    ],
)
def test_a_fill_must_be_a_value_of_the_dtype(pair: Any, dtype: str, fill: Any) -> None:
    with pair.out.step() as step:
        for array in (np.zeros(3, dtype), np.ma.masked_all(3, dtype)):
            with pytest.raises(staithe.InvalidArgument, match=r"variable 'x': fill=.* is no value of its dtype"):
                step.put("x", array, fill=fill)


def test_a_fill_is_given_once(pair: Any) -> None:
    with pair.out.step() as step, pytest.raises(staithe.InvalidArgument, match="not both"):
        step.put("x", [1.0], fill=1, attrs={"_FillValue": 2})


def test_codecs_do_not_encode_what_is_masked(stream: str) -> None:
    for encode in (staithe.codecs.encode, staithe.codecs.probe):
        with pytest.raises(staithe.InvalidArgument, match=r"the array: 2 of its 6 elements are masked"):
            encode(ARRAY)
        with pytest.raises(staithe.InvalidArgument, match=r"masked"):
            encode([ARRAY, ARRAY])
    payload = staithe.codecs.encode(ARRAY, abs=1e-3, fill=1e20)
    np.testing.assert_allclose(staithe.codecs.decode(payload), ARRAY.filled(1e20), atol=1e-3)
    assert staithe.codecs.probe(ARRAY, fill=0).tiles == 1
    plain = np.ma.array([1.0, 2.0])
    np.testing.assert_array_equal(staithe.codecs.decode(staithe.codecs.encode(plain)), [1.0, 2.0])
