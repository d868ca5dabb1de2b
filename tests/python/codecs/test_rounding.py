"""Bounds that are a share of each value, and levels."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import staithe
from staithe import codecs
from thoroughness import examples

sys.path.append(str(Path(__file__).parent))
from arrays import Array, arrays, bits, field, filled
from cases import PRESENT

EXACT = "shuffle+lz4"
LEVELS = {codec.name: codec.levels for codec in codecs.list() if codec.levels and not codec.missing}


def parts(array: Array) -> Array:
    """Real and imaginary parts, each a number."""
    return np.atleast_1d(array).view(array.real.dtype) if array.dtype.kind == "c" else array


def check(array: Array, again: Array, share: float, fill: float | None = None) -> None:
    """Each value is off by a share of itself, or not at all."""
    assert again.dtype == array.dtype and again.shape == array.shape
    if array.dtype.char not in "fdFD":
        assert bits(again) == bits(array)
        return
    given, got = parts(np.ascontiguousarray(array)).ravel(), parts(again).ravel()
    tiny = np.finfo(given.dtype).tiny
    exact = ~np.isfinite(given) | (np.abs(given) < tiny)
    if fill is not None:
        exact |= given == given.dtype.type(fill)
        assert ((got == given.dtype.type(fill)) == (given == given.dtype.type(fill))).all()
    assert bits(got[exact]) == bits(given[exact])
    wide = given[~exact].astype("f16"), got[~exact].astype("f16")
    assert (np.abs(wide[1] - wide[0]) <= share * np.abs(wide[0])).all()
    assert np.isfinite(got[~exact]).all()


@settings(max_examples=examples(300), deadline=None)
@given(array=arrays(), share=st.sampled_from((0.9, 0.5, 0.3, 0.25, 1e-2, 1e-3, 2.0**-20, 1e-12, 1e-300)))
def test_every_value_keeps_its_share(array: Array, share: float) -> None:
    native = array.astype(array.dtype.newbyteorder("="))
    check(native, codecs.decode(codecs.encode(array, EXACT, pw_rel=share)), share)


@pytest.mark.parametrize("codec", [codec.name for codec in PRESENT if not codec.lossy])
def test_with_every_codec_that_takes_no_other_bound(codec: str) -> None:
    array = field("turbulence", "f4", (40, 50, 60)) * np.exp(np.linspace(-60, 60, 60)).astype("f4")
    array[3, 4] = 1e20
    array[5, 6, 7] = np.nan
    payload = codecs.encode(array, codec, pw_rel=1e-3, fill=1e20)
    check(array, codecs.decode(payload), 1e-3, fill=1e20)
    assert payload.nbytes < 0.7 * codecs.encode(array, codec, fill=1e20).nbytes
    info = codecs.inspect(payload)
    largest = np.abs(array[np.isfinite(array) & (array != np.float32(1e20))]).max()
    assert info.bound == pytest.approx(1e-3 * float(largest), rel=1e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_no_value_becomes_fill_or_infinite(dtype: str) -> None:
    array = np.array([1.0, 0.999, 1.001, np.finfo(dtype).max, -np.finfo(dtype).max, np.finfo(dtype).tiny, -0.0], dtype)
    check(array, codecs.decode(codecs.encode(array, EXACT, pw_rel=0.01, fill=1.0)), 0.01, fill=1.0)


def test_complex_numbers_are_off_by_a_share_of_themselves() -> None:
    array = filled((30, 40), "c8", "random", 3)
    payload = codecs.encode(array, EXACT, pw_rel=1e-2)
    again = codecs.decode(payload)
    assert (np.abs(again - array) <= 1e-2 * np.abs(array)).all()
    assert np.abs(again - array).max() <= codecs.inspect(payload).bound


def test_bounds_that_cannot_be() -> None:
    with pytest.raises(staithe.InvalidArgument, match="pw_rel=-1"):
        codecs.encode(np.ones(3), EXACT, pw_rel=-1)
    with pytest.raises(staithe.InvalidArgument, match="one bound"):
        codecs.encode(np.ones(3), EXACT, pw_rel=1e-3, rel=1e-3)
    assert codecs.inspect(codecs.encode(np.ones(3), EXACT, pw_rel=0)).bound == 0


def test_codecs_with_bounds_of_their_own_refuse_it() -> None:
    for codec in ("dq", "zfp"):
        with pytest.raises(staithe.InvalidArgument, match=f"the codec {codec} keeps no bound that is a share"):
            codecs.encode(np.ones(3), codec, pw_rel=1e-3)


@pytest.mark.parametrize("codec", LEVELS)
def test_levels(codec: str) -> None:
    array = np.round(field("turbulence", "f4", (20, 40, 40)), 2)
    sizes = []
    for level in range(1, LEVELS[codec] + 1):
        payload = codecs.encode(array, codec, level=level)
        assert bits(codecs.decode(payload)) == bits(array)
        sizes.append(payload.nbytes)
    assert sizes[-1] < sizes[0]
    assert codecs.encode(array, codec, "fast").nbytes == sizes[0]
    assert codecs.encode(array, codec, "dense").nbytes in sizes
    assert codecs.encode(array, codec, "auto", level=1).nbytes == sizes[0]
    assert codecs.probe(array, codec, level=LEVELS[codec], share=1).ratio >= codecs.probe(array, codec, share=1).ratio


def test_levels_that_are_not_there() -> None:
    for level in (0, -1, 13):
        with pytest.raises(staithe.InvalidArgument, match=f"levels from 1 to 12, and not {level}"):
            codecs.encode(np.ones(3), "shuffle+lz4", level=level)
    with pytest.raises(staithe.InvalidArgument, match="the codec dq has no levels: choose a mode"):
        codecs.encode(np.ones(3), level=1)
    assert {codec.name for codec in codecs.list() if codec.levels} == set(LEVELS)


def in_a_store(**how: Any) -> Array:
    """The same by a codec of zarr."""
    zarr = pytest.importorskip("zarr", "3")
    from staithe.codecs.zarr import Staithe

    array = field("turbulence", "f4", (20, 40, 40))
    made = zarr.create_array({}, data=array, chunks=(10, 20, 40), serializer=Staithe(**how), compressors=None)
    again: Array = made[...]
    return np.abs(again - array) / np.abs(array)


def test_in_a_store() -> None:
    assert in_a_store(codec="shuffle+zstd", pw_rel=1e-3, level=3).max() <= 1e-3
