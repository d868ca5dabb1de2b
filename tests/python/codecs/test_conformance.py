"""What every codec keeps, in every mode: values, layouts, boxes, and its temper when payloads are damaged.

A codec that is added to `list()` is tested by this file and, if it takes bounds, by test_conformance_bounds.py.
"""

from __future__ import annotations

import sys
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import staithe
from staithe import Box, codecs
from thoroughness import examples

sys.path.append(str(Path(__file__).parent))
from arrays import DTYPES, FLOATS, LAYOUTS, Array, arrays, bits, field, filled, laid_out
from cases import OUT_LAYOUTS, PRESENT, SAMPLES, How, each_codec, each_lossy_codec

pytestmark = pytest.mark.sampled("codecs, modes, bounds, arrays")

BOUNDS: tuple[dict[str, float], ...] = ({}, {"abs": 0.01}, {"rel": 1e-3}, {"psnr": 60.0})
LOSSY = {codec.name: codec.lossy for codec in PRESENT}


def check_exact(how: How, array: Array, **bound: float) -> None:
    payload = codecs.encode(array, **how, **bound)
    result = codecs.decode(payload)
    assert (result.dtype, result.shape) == (array.dtype.newbyteorder("="), array.shape)
    assert result.flags.c_contiguous and result.flags.writeable
    assert bits(result) == bits(array)
    assert bits(codecs.decode(payload, threads=3)) == bits(array)


@each_codec
@settings(max_examples=examples(60))
@given(array=arrays(), layout=st.sampled_from(LAYOUTS))
def test_exact_is_bit_exact(how: How, array: Array, layout: str) -> None:
    check_exact(how, laid_out(array, layout))


@each_codec
@settings(max_examples=examples(40))
@given(array=arrays(), layout=st.sampled_from(LAYOUTS), bound=st.sampled_from(BOUNDS))
def test_payloads_depend_neither_on_layout_nor_on_threads(
    how: How, array: Array, layout: str, bound: dict[str, float]
) -> None:
    payload = codecs.encode(array, **how, **bound)
    assert codecs.encode(laid_out(array, layout), **how, **bound, threads=3).tobytes() == payload.tobytes()
    assert bits(codecs.decode(payload, threads=3)) == bits(codecs.decode(payload))


@each_codec
@pytest.mark.parametrize("dtype", DTYPES)
def test_other_dtypes_than_the_lossy_ones_are_exact_under_every_bound(how: How, dtype: str) -> None:
    if np.dtype(dtype) not in LOSSY[how["codec"]]:
        for name in ("turbulence", "sparse"):
            array = (field(name, "f8", (12, 20, 30)) * 50).astype(dtype)
            for bound in BOUNDS:
                check_exact(how, array, **bound)
                assert codecs.inspect(codecs.encode(array, **how, **bound)).bound == 0


@each_codec
@pytest.mark.parametrize(
    ("shape", "dtype"),
    [
        ((600_000,), "f4"),
        ((2, 300_001), "i4"),
        ((300_001, 2), "f8"),
        ((1, 700, 1, 501), "u1"),
        ((70, 71, 72), "c8"),
        ((9, 9, 9, 9, 9, 9), "?"),
        ((5, 3, 40_000), "f2"),
        ((131, 2200), "c32"),
    ],
)
def test_arrays_of_many_tiles(how: How, shape: tuple[int, ...], dtype: str) -> None:
    for content in ("smooth", "bits"):
        array = filled(shape, dtype, content, 3)
        payload = codecs.encode(array, **how, threads=3)
        assert codecs.encode(array, **how).tobytes() == payload.tobytes()
        assert codecs.inspect(payload).tiles > 1
        assert bits(codecs.decode(payload)) == bits(array)
        assert bits(codecs.decode(payload, threads=3)) == bits(array)


@each_lossy_codec
@pytest.mark.parametrize("name", ["turbulence", "step", "sparse"])
@pytest.mark.parametrize("bound", BOUNDS[1:])
def test_large_fields_are_the_same_on_many_threads(how: How, name: str, bound: dict[str, float]) -> None:
    array = field(name, "f4", (70, 80, 90))
    payload = codecs.encode(array, **how, **bound)
    assert codecs.encode(array, **how, **bound, threads=3).tobytes() == payload.tobytes()
    assert bits(codecs.decode(payload, threads=3)) == bits(codecs.decode(payload))


@each_codec
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_every_kind_of_number_comes_back(how: How, dtype: str) -> None:
    if dtype == "f2":
        check_exact(how, np.arange(2**16, dtype="u2").view("f2"))
        return
    word = dtype.replace("f", "u")
    info: Any = np.finfo(dtype)
    ends = np.array([0, info.smallest_subnormal, info.tiny, 1, info.max, np.inf, np.nan], dtype).view(word)
    near = (ends[:, None] + np.arange(-3, 4).astype(word)).ravel()
    sign = near.dtype.type(1 << (8 * near.itemsize - 1))
    check_exact(how, np.concatenate([near, near | sign]).view(dtype))


@each_codec
@pytest.mark.parametrize("dtype", FLOATS)
def test_strange_numbers_in_a_field_come_back(how: How, dtype: str) -> None:
    array = field("turbulence", dtype, (20, 24, 32))
    some = np.random.default_rng(5).random(array.shape) < 0.01
    for value in (np.nan, -0.0, float(np.finfo(dtype).tiny) / 8, 1e20, -1e10):
        check_exact(how, np.where(some, np.array(value, dtype), array))
    array[3, 4, 5] = -np.inf
    check_exact(how, array)
    check_exact(how, np.full_like(array, np.nan))


@each_codec
@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_the_ends_of_integers_come_back(how: How, dtype: str) -> None:
    info = np.iinfo(dtype)
    ends = np.array([info.min, info.max, 0, info.min + 1, info.max - 1], dtype)
    check_exact(how, np.random.default_rng(0).choice(ends, (40, 50)))
    check_exact(how, np.tile(ends[:2], 100))


@st.composite
def boxes(draw: st.DrawFn, shape: tuple[int, ...]) -> Box:
    ends = [sorted((draw(st.integers(0, n)), draw(st.integers(0, n)))) for n in shape]
    return Box([low for low, _ in ends], [high - low for low, high in ends])


def check_box(array: Array, payload: Array, box: Box, layout: str, threads: int = 1) -> None:
    """That the box is this part of the array, in an array of its own and in one of this layout."""
    expected = array[*box.slices, ...]
    result = codecs.decode(payload, box, threads=threads)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert bits(result) == bits(expected)
    out = laid_out(np.ones(expected.shape, expected.dtype), layout)
    assert codecs.decode(payload, box, out=out, threads=threads) is out
    assert bits(out) == bits(expected)


@each_codec
@settings(max_examples=examples(40))
@given(data=st.data(), array=arrays(), layout=st.sampled_from(OUT_LAYOUTS), bound=st.sampled_from((None, 0.1)))
def test_a_box_is_the_part_of_the_whole(
    how: How, data: st.DataObject, array: Array, layout: str, bound: float | None
) -> None:
    payload = codecs.encode(array, **how, abs=bound)
    whole = codecs.decode(payload)
    check_box(whole, payload, Box([0] * array.ndim, array.shape), layout)
    for _ in range(3):
        check_box(whole, payload, data.draw(boxes(array.shape)), layout)


MANY_TILES = {
    "f4": field("turbulence", "f4", (90, 80, 100)),
    "i8": filled((300_001,), "i8", "smooth", 2),
    "c16": filled((300, 1, 1100), "c16", "random", 4),
    "?": filled((5, 9, 9, 9, 9, 4, 5), "?", "random", 5),
}


@each_codec
@pytest.mark.parametrize("dtype", MANY_TILES)
def test_boxes_of_many_tiles(how: How, dtype: str) -> None:
    array = MANY_TILES[dtype]
    payload = codecs.encode(array, **how, rel=1e-4)
    whole = codecs.decode(payload)
    tile = codecs.inspect(payload).tile
    generator = np.random.default_rng(7)
    for number in range(6):
        ends = np.sort([generator.integers(0, n + 1, 2) for n in array.shape], axis=1)
        box = Box(ends[:, 0], ends[:, 1] - ends[:, 0])
        check_box(whole, payload, box, OUT_LAYOUTS[number % 6], 1 + number % 2 * 2)
    at = [(n - 1) // t * t for n, t in zip(array.shape, tile, strict=True)]
    last = Box(at, [n - a for n, a in zip(array.shape, at, strict=True)])
    check_box(whole, payload, last, "C")
    for offset in ([0] * array.ndim, at, [n - 1 for n in array.shape]):
        check_box(whole, payload, Box(offset, [1] * array.ndim), "strided")
    check_box(whole, payload, Box(array.shape, [0] * array.ndim), "C")


@each_codec
@pytest.mark.parametrize("name", SAMPLES)
def test_a_payload_that_is_cut_off_is_refused(how: How, name: str) -> None:
    array, options = SAMPLES[name]
    payload = codecs.encode(array, **how, **options).tobytes()
    for length in (*range(min(len(payload), 600)), *range(600, len(payload), 17), len(payload) - 1):
        with pytest.raises(staithe.ProtocolError):
            codecs.decode(payload[:length])


@each_codec
@pytest.mark.parametrize("name", SAMPLES)
def test_every_changed_byte_is_found(how: How, name: str) -> None:
    array, options = SAMPLES[name]
    payload = bytearray(codecs.encode(array, **how, **options))
    generator = np.random.default_rng(4)
    positions = generator.permutation(len(payload))[:300]
    for at, change in zip(positions, generator.integers(1, 256, positions.size), strict=True):
        payload[at] ^= int(change)
        with pytest.raises(staithe.ProtocolError):
            codecs.decode(payload)
        payload[at] ^= int(change)
    codecs.decode(payload)


@each_codec
@settings(max_examples=examples(30))
@given(array=arrays(), data=st.data())
def test_damaged_payloads_are_right_or_refused(how: How, array: Array, data: st.DataObject) -> None:
    payload = codecs.encode(array, **how).copy()
    for _ in range(data.draw(st.integers(1, 3))):
        payload[data.draw(st.integers(0, payload.size - 1))] ^= data.draw(st.integers(1, 255))
    box = Box([n // 3 for n in array.shape], [n - n // 3 for n in array.shape])
    try:
        result = codecs.decode(payload, box)
    except staithe.ProtocolError:
        return
    assert result.size == 0 or result.tobytes() == array[*box.slices, ...].tobytes()


@each_codec
@settings(max_examples=examples(30))
@given(array=arrays(), bound=st.none() | st.floats(0, 1e6))
def test_inspect_says_what_is_true(how: How, array: Array, bound: float | None) -> None:
    payload = codecs.encode(array, **how, abs=bound)
    info = codecs.inspect(payload)
    assert (info.codec, info.dtype, info.shape) == (how["codec"], array.dtype, array.shape)
    assert info.nbytes == array.nbytes
    assert len(info.tile) == array.ndim and min(info.tile, default=1) >= 1 and prod(info.tile) <= 262_144
    assert info.tiles == prod(-(-n // t) for n, t in zip(array.shape, info.tile, strict=True))
    assert 0 <= info.raw_tiles <= info.tiles
    assert info.bound == ((bound or 0) if array.dtype in LOSSY[how["codec"]] else 0)
    header = 48 + 16 * array.ndim + 32 * info.tiles
    assert payload.nbytes <= header + array.nbytes, "no payload is much larger than its array"


@each_codec
@pytest.mark.parametrize("name", ["turbulence", "sparse"])
def test_a_probe_of_all_tiles_is_the_truth(how: How, name: str) -> None:
    array = field(name, "f4", (60, 80, 90))
    for bound in BOUNDS:
        payload = codecs.encode(array, **how, **bound)
        probe = codecs.probe(array, **how, **bound, share=1.0)
        assert probe.tiles == codecs.inspect(payload).tiles > 1
        # No more than what is said once a payload may be missing.
        assert abs(array.nbytes / probe.ratio - payload.nbytes) <= 48 + 16 * array.ndim + 1e-3


@each_codec
def test_noise_is_stored_raw(how: How) -> None:
    noise = filled((90, 100, 100), "u1", "bits", 0)
    info = codecs.inspect(codecs.encode(noise, **how))
    assert info.raw_tiles == info.tiles > 1
    half = np.concatenate([noise, np.zeros((200, 100, 100), "u1")])
    info = codecs.inspect(codecs.encode(half, **how))
    assert 0 < info.raw_tiles < info.tiles
