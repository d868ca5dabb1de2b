"""The pages on formats say enough, and the truth: a decoder that is written from them alone decodes every payload."""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from staithe import codecs

sys.path.append(str(Path(__file__).parent))
import reference
from arrays import DTYPES, FIELDS, FLOATS, Array, arrays, bits, field, filled
from cases import PRESENT

MAYBE_BOUNDS = (None, 0.0, 1e-6, 1e-3, 0.1)


def check(array: Array, **options: Any) -> list[tuple[int, int, int]]:
    """That the reference decodes it, too. Returns method, kind and layers of each tile."""
    payload = codecs.encode(array, **options).tobytes()
    result = reference.decode(payload)
    expected = codecs.decode(payload)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    assert bits(result) == bits(expected)
    info = codecs.inspect(payload)
    (bound,) = struct.unpack_from("<d", payload, 8)
    assert bound == info.bound
    tiles = []
    for i in range(info.tiles):
        offset, _, _, method = struct.unpack_from("<QQQI", payload, 40 + 16 * array.ndim + 32 * i)
        tiles.append((method, payload[offset], payload[offset + 1]) if method else (0, 0, 0))
    assert [method for method, _, _ in tiles].count(0) == info.raw_tiles
    return tiles


@settings(max_examples=300)
@given(array=arrays(), rel=st.sampled_from(MAYBE_BOUNDS), fill=st.sampled_from((None, 0.0, 1.0)))
def test_arrays_of_all_sorts(array: Array, rel: float | None, fill: float | None) -> None:
    check(array, rel=rel, fill=fill)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FIELDS)
def test_fields(name: str, dtype: str) -> None:
    array = field(name, dtype, (18, 24, 30))
    for rel in MAYBE_BOUNDS:
        check(array, rel=rel)


@pytest.mark.parametrize("dtype", FLOATS)
def test_tiles_of_every_kind(dtype: str) -> None:
    array = field("turbulence", dtype, (18, 24, 30))
    assert check(array, rel=1e-3) == [(1, 1, 0)]
    assert check(np.zeros_like(array)) == [(1, 0, 0)]
    assert check(field("smooth", dtype, (18, 24, 30))) == [(1, 2, 0)]
    array[2:9, 5, :20] = 1e20
    assert check(array, abs=1e-3, fill=1e20) == [(1, 1, 1)]
    array[11, 3:8, ::3] = np.nan
    array[12] = np.inf
    assert check(array, abs=1e-3, fill=1e20) == [(1, 1, 3)]
    assert check(array, abs=1e-3) == [(1, 1, 3)]
    noise = np.random.default_rng(0).integers(0, 256, (8, 7, 16), "u1")
    assert check(noise) == [(0, 0, 0)]
    some = field("turbulence", dtype, (18, 24, 30))
    some[::5, 4, 7] = np.random.default_rng(1).choice([np.inf, -np.inf, 3e20], 4)
    assert check(some, abs=1e-3)[0][:2] == (1, 1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    "shape",
    [
        (),
        (1,),
        (1, 1, 1),
        (15,),
        (40, 3),  # moved: a row of 40
        (1, 50, 1, 2, 3),
        (3, 20, 5, 17, 2),
        (16, 15, 16),  # stays: nothing short is last
        (15, 15, 4),  # stays: nothing is long
        (2, 3, 4, 5, 6, 7),
        (2, 3, 2, 2, 2, 17, 3, 2),
        (0, 3),
    ],
)
def test_shapes_that_are_turned(shape: tuple[int, ...], dtype: str) -> None:
    for content in ("smooth", "random"):
        check(filled(shape, dtype, content, 6), abs=0.3)


@pytest.mark.parametrize(("shape", "dtype"), [((270_001,), "i8"), ((140_000, 3), "f4"), ((2, 80, 1700), "c8")])
def test_several_tiles(shape: tuple[int, ...], dtype: str) -> None:
    array = filled(shape, dtype, "sparse", 2)
    array[..., 200:][..., -1:] *= 2
    assert len(check(array, rel=1e-2)) > 1


def test_differences_of_64_bits() -> None:
    generator = np.random.default_rng(0)
    ends = generator.integers(-(2**63), 2**63 - 1, (20, 30), endpoint=True)
    ends[:, ::2] = [-(2**63)]
    ends[:, 1::2] = generator.choice([2**63 - 1, -(2**63), 0], (20, 15))
    assert (1, 2, 0) in check(np.repeat(ends, 40, axis=1))
    assert (1, 2, 0) in check(np.repeat(ends, 40, axis=1).astype("u8"))
    check(np.repeat(ends, 40, axis=1).view("f8"))


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FIELDS)
def test_no_step_is_above_twice_the_bound(name: str, dtype: str) -> None:
    payload = codecs.encode(field(name, dtype, (18, 24, 30)), rel=1e-3).tobytes()
    offset, _, _, method = struct.unpack_from("<QQQI", payload, 40 + 16 * len(codecs.inspect(payload).shape))
    kind, _, _, _, _, _, step = reference.TILE_HEADER.unpack_from(payload, offset)
    if (method, kind) == (1, 1):
        assert 0 < step <= 2 * codecs.inspect(payload).bound
        assert np.dtype(dtype).type(step) == step
    assert (method, kind) != (1, 2) or step == 0


SHUFFLED = [codec.name for codec in PRESENT if codec.name.endswith(("+lz4", "+zlib"))]


@pytest.mark.parametrize("mode", ["fast", "dense"])
@pytest.mark.parametrize("codec", SHUFFLED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_shuffled_tiles(codec: str, dtype: str, mode: str) -> None:
    for shape in ((300,), (5, 6, 7), (2, 3, 4, 33), (), (1,), (0, 3)):
        for content in ("smooth", "sparse", "random"):
            check(filled(shape, dtype, content, 6), codec=codec, mode=mode)


@pytest.mark.parametrize("codec", [codec.name for codec in PRESENT if codec.name.endswith("+zstd")])
def test_zstandard_is_in_frames(codec: str) -> None:
    payload = codecs.encode(np.zeros(1000), codec).tobytes()
    assert payload[40 + 16 + 32 + 8 :].startswith(b"\x28\xb5\x2f\xfd")


@pytest.mark.parametrize("codec", [codec.name for codec in PRESENT if "shuffle+" in codec.name])
def test_what_gains_less_than_a_twentieth_is_raw(codec: str) -> None:
    noise = filled((300_000,), "u8", "bits", 1)
    for known_bits, gains in ((1, False), (8, True)):  # of 64
        for size in (1000, noise.size):
            array = noise[:size] & np.uint64(2 ** (64 - known_bits) - 1)
            info = codecs.inspect(codecs.encode(array, codec))
            assert info.raw_tiles == (0 if gains else info.tiles)
