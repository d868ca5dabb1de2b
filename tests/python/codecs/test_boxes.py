"""A box that is decoded is the part of the whole, wherever it is put; what does not fit is refused."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import staithe
from staithe import Box, codecs

sys.path.append(str(Path(__file__).parent))
from arrays import Array, arrays, bits, field, filled, laid_out

OUT_LAYOUTS = ("C", "Fortran", "strided", "negative", "transposed", "unaligned")
LARGE = {  # of many tiles
    "f4": field("turbulence", "f4", (90, 80, 100)),
    "i8": filled((700_001,), "i8", "smooth", 2),
    "c16": filled((300, 1, 1100), "c16", "random", 4),
    "?": filled((5, 9, 9, 9, 9, 4, 5), "?", "random", 5),
}


@st.composite
def boxes(draw: st.DrawFn, shape: tuple[int, ...]) -> Box:
    ends = [sorted((draw(st.integers(0, n)), draw(st.integers(0, n)))) for n in shape]
    return Box([low for low, _ in ends], [high - low for low, high in ends])


def check(array: Array, payload: Array, box: Box, layout: str, threads: int = 1) -> None:
    """That the box is this part of the array, in an array of its own and in one of this layout."""
    expected = array[*box.slices, ...]
    result = codecs.decode(payload, box, threads=threads)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert bits(result) == bits(expected)
    out = laid_out(np.ones(expected.shape, expected.dtype), layout)
    assert codecs.decode(payload, box, out=out, threads=threads) is out
    assert bits(out) == bits(expected)


@settings(max_examples=400)
@given(data=st.data(), array=arrays(), layout=st.sampled_from(OUT_LAYOUTS), bound=st.sampled_from((None, 0.1)))
def test_a_box_is_the_part_of_the_whole(data: st.DataObject, array: Array, layout: str, bound: float | None) -> None:
    payload = codecs.encode(array, abs=bound)
    whole = codecs.decode(payload)
    for _ in range(3):
        check(whole, payload, data.draw(boxes(array.shape)), layout)


@pytest.mark.parametrize("dtype", LARGE)
def test_boxes_of_many_tiles(dtype: str) -> None:
    array = LARGE[dtype]
    payload = codecs.encode(array, rel=1e-4)
    whole = codecs.decode(payload)
    tile = codecs.inspect(payload).tile
    generator = np.random.default_rng(7)
    for number in range(30):
        ends = np.sort([generator.integers(0, n + 1, 2) for n in array.shape], axis=1)
        check(whole, payload, Box(ends[:, 0], ends[:, 1] - ends[:, 0]), OUT_LAYOUTS[number % 6], 1 + number % 2 * 2)
    at = [(n - 1) // t * t for n, t in zip(array.shape, tile, strict=True)]
    check(whole, payload, Box(at, [n - a for n, a in zip(array.shape, at, strict=True)]), "C")  # the last tile
    for offset in ([0] * array.ndim, at, [n - 1 for n in array.shape]):
        check(whole, payload, Box(offset, [1] * array.ndim), "strided")
    check(whole, payload, Box(array.shape, [0] * array.ndim), "C")


@settings(max_examples=150)
@given(array=arrays(), layout=st.sampled_from(OUT_LAYOUTS), threads=st.sampled_from((1, 3)))
def test_the_whole_is_decoded_into_any_layout(array: Array, layout: str, threads: int) -> None:
    out = laid_out(np.ones(array.shape, array.dtype), layout)
    assert codecs.decode(codecs.encode(array), out=out, threads=threads) is out
    assert bits(out) == bits(array)


def test_nothing_is_written_beside_out() -> None:
    array = field("smooth", "f4", (80, 70, 60))
    frame = np.full((84, 144, 66), np.float32(7))
    inner = frame[2:-2, 2:-2:2, 3:-3]
    payload = codecs.encode(array, rel=1e-5)
    codecs.decode(payload, out=inner, threads=3)
    np.testing.assert_array_equal(inner, codecs.decode(payload))
    inner[...] = 7
    assert (frame == 7).all()


def test_a_box_needs_the_tiles_that_it_touches_and_no_others() -> None:
    array = LARGE["i8"]
    payload = codecs.encode(array).copy()
    tile = codecs.inspect(payload).tile[0]
    payload[-1] ^= 1  # of the last tile, if they lie in their order
    assert bits(codecs.decode(payload, Box(0, tile))) == bits(array[:tile])
    with pytest.raises(staithe.ProtocolError):
        codecs.decode(payload, Box(array.size - 1, 1))


SHAPE = (30, 40)


@pytest.mark.parametrize(
    "box",
    [
        Box((0, 0), (31, 40)),
        Box((0, 1), (30, 40)),
        Box((31, 0), (0, 1)),
        Box((0, 41), (0, 0)),
        Box(0, 1),
        Box((), ()),
        Box((0, 0, 0), (1, 1, 1)),
        Box((0, 2**62), (1, 1)),
        Box((1, 1), (2**63 - 1, 2**63 - 1)),
        Box((2**63 - 1, 0), (2**63 - 1, 1)),
        Box((2**64, 0), (1, 1)),
        Box((0, 0), (1, 2**100)),
        Box((0,) * 9, (1,) * 9),
    ],
    ids=repr,
)
@pytest.mark.parametrize("given_out", [False, True])
def test_boxes_outside_are_refused(box: Box, given_out: bool) -> None:
    payload = codecs.encode(np.ones(SHAPE))
    with pytest.raises(staithe.InvalidArgument):
        codecs.decode(payload, box, out=np.zeros(SHAPE) if given_out else None)


def test_the_message_of_a_box_outside_names_it() -> None:
    with pytest.raises(staithe.InvalidArgument, match=r"0:31.*\(30, 40\)"):
        codecs.decode(codecs.encode(np.ones(SHAPE)), Box((0, 0), (31, 40)))


def test_the_message_of_a_huge_box_is_true() -> None:
    with pytest.raises(staithe.InvalidArgument) as error:
        codecs.decode(codecs.encode(np.ones(SHAPE)), Box((0, 2**62), (1, 2**63 - 1)))
    assert "-" not in str(error.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.zeros(SHAPE, "f4"),
        lambda: np.zeros(SHAPE, "i8"),
        lambda: np.zeros(SHAPE, "c8"),
        lambda: np.zeros(SHAPE, "V8"),
        lambda: np.zeros(SHAPE, "O"),
        lambda: np.zeros(SHAPE, "M8[s]"),
        lambda: np.zeros(SHAPE, ">f8"),
        lambda: np.zeros((40, 30)),
        lambda: np.zeros((30, 41)),
        lambda: np.zeros((30, 39)),
        lambda: np.zeros(1200),
        lambda: np.zeros((1, 30, 40)),
        lambda: np.zeros(()),
        lambda: np.broadcast_to(np.zeros(40), SHAPE),
        lambda: np.frombuffer(bytes(1200 * 8)).reshape(SHAPE),
        lambda: [[0.0] * 40] * 30,
        lambda: bytearray(1200 * 8),
    ],
)
def test_what_does_not_fit_is_no_out(make: Callable[[], Any]) -> None:
    payload = codecs.encode(np.ones(SHAPE))
    out = make()
    with pytest.raises(staithe.InvalidArgument):
        codecs.decode(payload, out=out)
    with pytest.raises(staithe.InvalidArgument):
        codecs.decode(payload, Box((0, 0), SHAPE), out=out)


def test_out_has_the_shape_of_the_box() -> None:
    payload = codecs.encode(np.ones(SHAPE))
    for shape in (SHAPE, (4, 3), (3,), (12,), (1, 3, 4), (3, 4, 1)):
        with pytest.raises(staithe.InvalidArgument):
            codecs.decode(payload, Box((1, 2), (3, 4)), out=np.zeros(shape))
    assert codecs.decode(payload, Box((1, 2), (3, 4)), out=np.zeros((3, 4))).sum() == 12
