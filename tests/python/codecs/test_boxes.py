"""Where a box may be put, and what does not fit is refused. That it is right is in test_conformance.py."""

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
from thoroughness import examples

sys.path.append(str(Path(__file__).parent))
from arrays import Array, arrays, bits, field, filled, laid_out
from cases import OUT_LAYOUTS


@settings(max_examples=examples(150))
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
    array = filled((700_001,), "i8", "smooth", 2)
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


@pytest.mark.parametrize("key", [np.s_[0:8], np.s_[3:], np.s_[:, 5:9], np.s_[-2:, ...], np.s_[4], np.s_[..., -1], ...])
def test_slices_are_boxes(key: Any) -> None:
    array = field("smooth", "f8", SHAPE)
    payload = codecs.encode(array)
    part = codecs.decode(payload, key)
    np.testing.assert_array_equal(part, array[key])
    out = np.empty_like(array[key])
    assert codecs.decode(payload, key, out) is out
    np.testing.assert_array_equal(out, array[key])


@pytest.mark.parametrize("key", [np.s_[::2], np.s_[::-1], [0, 1], None, np.ones(30, bool), "x", 0.5])
def test_what_is_no_box_is_refused(key: Any) -> None:
    payload = codecs.encode(np.zeros(SHAPE))
    if key is None:  # everything
        assert codecs.decode(payload, key).shape == SHAPE
        return
    with pytest.raises(staithe.InvalidArgument, match="slices"):
        codecs.decode(payload, key)


def test_an_index_beyond_the_shape_is_an_index_error() -> None:
    with pytest.raises(IndexError, match="out of bounds"):
        codecs.decode(codecs.encode(np.zeros(SHAPE)), 30)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.array(["a"]), "the array cannot have dtype <U1: it must be bool, an integer"),
        (np.array(["2020"], "M8[s]"), r"the array cannot have dtype .*: pass x.view\('i8'\)$"),
        (np.zeros(2, [("a", "f8")]), "pass each field alone"),
        (np.zeros((1,) * 9), "the array has 9 dimensions"),
    ],
)
def test_errors_of_codecs_know_nothing_of_streams(array: Any, message: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=message) as caught:
        codecs.encode(array)
    assert "variable" not in str(caught.value)
