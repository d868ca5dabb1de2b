"""What is said of codecs and payloads is true: `probe` before encoding, `inspect` after it, `list` of all."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable
from math import isfinite, prod
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
from arrays import FLOATS, Array, arrays, bits, field, laid_out

OPTIONS: tuple[dict[str, float], ...] = ({}, {"abs": 0.01}, {"rel": 1e-1}, {"rel": 1e-4}, {"psnr": 70.0})
LARGE = (100, 160, 200)


def truth(array: Array, **options: Any) -> tuple[float, codecs.Payload]:
    payload = codecs.encode(array, **options)
    return array.nbytes / payload.nbytes, codecs.inspect(payload)


def check_size(probe: codecs.Probe, array: Array, ratio: float) -> None:
    """That all tiles were looked at: no more than what is said once a payload may be missing."""
    assert abs(array.nbytes / probe.ratio - array.nbytes / ratio) <= 48 + 16 * array.ndim + 1e-3


@pytest.mark.parametrize("shape", [(), (100,), (10, 10), (2,) * 8])
def test_a_probe_counts_the_whole_payload(shape: tuple[int, ...]) -> None:
    array = np.zeros(shape)
    assert codecs.probe(array, share=1.0).ratio == pytest.approx(truth(array)[0], rel=0.01)


@pytest.mark.parametrize("name", ["turbulence", "noise"])  # which are alike everywhere
@pytest.mark.parametrize("options", OPTIONS)
def test_a_probe_of_a_sample_is_near_the_truth(name: str, options: dict[str, Any]) -> None:
    array = field(name, "f4", LARGE)
    ratio, info = truth(array, **options)
    for share in (0.05, 0.25, 0.5):
        probe = codecs.probe(array, share=share, **options)
        assert abs(probe.tiles - max(4, share * info.tiles)) <= 1
        assert 0 < probe.seconds < 60
        if ratio < 40:  # else a few bytes more make another ratio
            assert probe.ratio == pytest.approx(ratio, rel=0.1)


def alike_nowhere(shape: tuple[int, ...]) -> Array:
    """Quiet at one end and wild at the other."""
    loudness = np.linspace(0, 1, shape[0]) ** 4
    return (field("turbulence", "f4", shape).T * loudness.astype("f4")).T


def half_noise(shape: tuple[int, ...]) -> Array:
    array = field("noise", "f4", shape)
    array[: shape[0] // 2] = 0
    return array


@pytest.mark.parametrize("make", [alike_nowhere, half_noise])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("mode", ["fast", "dense"])
def test_a_probe_samples_tiles_of_all_kinds(
    make: Callable[[tuple[int, ...]], Array], axis: int, mode: codecs.Mode
) -> None:
    """Wherever they lie, and however few the sample has."""
    array = np.moveaxis(make((192, 200, 230)), 0, axis)
    ratio, _ = truth(array, mode=mode, rel=1e-3)
    probe = codecs.probe(array, mode=mode, rel=1e-3)
    assert probe.tiles == 4
    assert probe.ratio == pytest.approx(ratio, rel=0.2)


@pytest.mark.parametrize("mode", ["fast", "dense"])
def test_four_tiles_are_no_sample(mode: codecs.Mode) -> None:
    array = alike_nowhere((128, 128, 64))
    ratio, info = truth(array, mode=mode, rel=1e-3)
    probe = codecs.probe(array, mode=mode, rel=1e-3, share=1e-9)
    assert probe.tiles == info.tiles == 4
    check_size(probe, array, ratio)


@pytest.mark.parametrize("shape", [(3_000_000,), (1_000_000, 3), (1500, 2000), (30, 40, 50, 60), (6,) * 8])
@pytest.mark.parametrize("dtype", ["f4", "c16", "i2", "f2"])
def test_arrays_of_all_shapes_and_dtypes_are_sampled(shape: tuple[int, ...], dtype: str) -> None:
    array = np.cumsum(np.random.default_rng(3).integers(-9, 10, shape), -1).astype(dtype)
    probe = codecs.probe(array, rel=1e-3)
    ratio, info = truth(array, rel=1e-3)
    assert probe.tiles == min(4, info.tiles)
    assert probe.ratio == pytest.approx(ratio, rel=0.2)


def test_the_same_array_has_the_same_ratio() -> None:
    """In any layout, and with all else that a call changes."""
    array = alike_nowhere(LARGE)
    found = {
        codecs.probe(laid_out(array, layout), rel=1e-3).ratio for layout in ("C", "Fortran", "strided", "negative")
    }
    assert len(found) == 1


def test_a_probe_knows_of_fill() -> None:
    array = field("turbulence", "f4", LARGE)
    array[::2] = 1e20
    ratio, _ = truth(array, rel=1e-3, fill=1e20)
    assert codecs.probe(array, rel=1e-3, fill=1e20, share=0.25).ratio == pytest.approx(ratio, rel=0.25)


@settings(max_examples=examples(200))
@given(array=arrays(), share=st.floats(0, 1, exclude_min=True), rel=st.sampled_from((None, 1e-3)))
def test_anything_may_be_probed(array: Array, share: float, rel: float | None) -> None:
    probe = codecs.probe(array, rel=rel, share=share)
    assert isfinite(probe.ratio) and probe.ratio > 0
    assert isfinite(probe.seconds) and probe.seconds >= 0
    ratio, info = truth(array, rel=rel)
    assert probe.tiles == info.tiles <= 1
    if array.size:
        check_size(probe, array, ratio)


@pytest.mark.parametrize("share", [0.0, -0.1, 1.0000001, 5.0, np.nan, np.inf])
def test_what_is_no_share_is_refused(share: float) -> None:
    for array in (np.ones(3), np.ones(0)):
        with pytest.raises(staithe.InvalidArgument):
            codecs.probe(array, share=share)


@pytest.mark.parametrize("array", [np.arange(9), np.arange(9.0).astype("f2"), np.array([True, False])], ids=repr)
def test_inspect_says_of_exact_dtypes_that_they_are_exact(array: Array) -> None:
    payload = codecs.encode(array, abs=0.3)
    assert bits(codecs.decode(payload)) == bits(array)
    assert codecs.inspect(payload).bound == 0


@pytest.mark.parametrize("shape", [(64, 64, 64), (65, 64, 64), (1_000_003,), (3, 5, 99_991), (1000, 1001), (9,) * 6])
def test_tiles_cover_the_array(shape: tuple[int, ...]) -> None:
    info = codecs.inspect(codecs.encode(np.zeros(shape, "i2")))
    assert prod(info.tile) <= 262_144
    assert info.tiles == prod(-(-n // t) for n, t in zip(shape, info.tile, strict=True))
    assert info.bound == 0


def test_bounds_are_told_in_the_unit_of_the_values() -> None:
    array = field("smooth", "f4")
    span = float(np.ptp(array.astype("f8")))
    assert codecs.inspect(codecs.encode(array)).bound == 0
    assert codecs.inspect(codecs.encode(array, exact=True)).bound == 0
    assert codecs.inspect(codecs.encode(array, abs=0.25)).bound == 0.25
    assert codecs.inspect(codecs.encode(array, rel=1e-3)).bound == pytest.approx(1e-3 * span, rel=1e-12)
    array[0, 0, :3] = np.nan, np.inf, 1e20
    span = float(np.ptp(np.delete(array.ravel(), [0, 1, 2]).astype("f8")))
    assert codecs.inspect(codecs.encode(array, rel=1e-3, fill=1e20)).bound == pytest.approx(1e-3 * span, rel=1e-12)


@pytest.mark.parametrize("codec", codecs.list(), ids=lambda codec: codec.name)
def test_the_list_says_what_codecs_do(codec: codecs.Codec) -> None:
    assert codec.summary and (codec.lossless or codec.lossy)
    array = field("turbulence", "f8")
    if codec.missing:
        with pytest.raises(staithe.NotFound, match=re.escape(codec.missing)):
            codecs.encode(array, codec.name)
        return
    for name in ("f2", "f4", "f8", "f16", "c8", "c16", "c32"):
        values = array.astype(name)
        exact = bits(codecs.decode(codecs.encode(values, codec.name, abs=0.1))) == bits(values)
        assert exact == (np.dtype(name) not in codec.lossy)


def test_the_first_codec_takes_bounds() -> None:
    dq = codecs.list()[0]
    assert (dq.name, dq.missing, dq.lossless) == ("dq", "", True)
    assert {np.dtype(name) for name in FLOATS} <= set(dq.lossy)


def test_what_is_told_cannot_be_changed() -> None:
    array = np.ones(3)
    for told in (codecs.inspect(codecs.encode(array)), codecs.probe(array), codecs.list()[0]):
        first = dataclasses.fields(told)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(told, first, None)
