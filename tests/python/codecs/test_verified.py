"""Codecs made of lossy libraries: what they cannot keep is found and put right, or coded by dq, and counted.

That they keep every bound is the conformance suite's business; test_plugins.py has libraries that misbehave on purpose.
"""

from __future__ import annotations

import struct
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from staithe import codecs

sys.path.append(str(Path(__file__).parent))
import reference
from arrays import Array, bits, field

MISSING = {codec.name: codec.missing for codec in codecs.list()}
RAW, BY_CODEC, BY_DQ = range(3)


def _parameter(name: str) -> Any:
    skip = pytest.mark.skipif(bool(MISSING[name]), reason=MISSING[name])
    return pytest.param(name, marks=skip)


each_library = pytest.mark.parametrize("codec", [_parameter("zfp"), _parameter("sz3")])
each_mode = pytest.mark.parametrize("mode", ["fast", "dense", "auto"])


class Tile(NamedTuple):
    method: int
    encoded: bytes

    @property
    def kind(self) -> int:
        return self.encoded[0]

    @property
    def exceptions(self) -> int:
        return int(struct.unpack_from("<I", self.encoded, 4)[0])

    @property
    def tolerance(self) -> float:
        return float(struct.unpack_from("<d", self.encoded, 8)[0])


def tiles_of(payload: Array) -> list[Tile]:
    """From docs/formats/payload.md and verified.md."""
    data = payload.tobytes()
    ndim, count = data[7], struct.unpack_from("<Q", data, 16)[0]
    tiles = []
    for i in range(count):
        offset, size, _, method = struct.unpack_from("<QQQI", data, 40 + 16 * ndim + 32 * i)
        tiles.append(Tile(method, data[offset : offset + size]))
    return tiles


def off(payload: Array, array: Array) -> float:
    return float(np.abs(codecs.decode(payload).astype("g") - array.astype("g")).max())


def hopeless(shape: tuple[int, ...]) -> Array:
    """Numbers between which there are more powers of ten than floats have digits, and nothing to predict."""
    generator = np.random.default_rng(3)
    return (generator.choice([1e10, 1.0], shape) * generator.standard_normal(shape)).astype("f4")


@each_library
@each_mode
def test_tiles_beyond_the_library_are_stored_another_way(codec: str, mode: codecs.Mode) -> None:
    smooth = field("smooth", "f4", (64, 64, 64))
    noise = 1e3 * field("noise", "f4", (64, 64, 64)) if codec == "sz3" else hopeless((64, 64, 64))
    array = np.concatenate([smooth, noise, smooth])
    payload = codecs.encode(array, codec, mode, abs=1e-3)
    assert off(payload, array) <= 1e-3
    methods = [tile.method for tile in tiles_of(payload)]
    info = codecs.inspect(payload)
    assert (info.raw_tiles, info.fallback_tiles) == (methods.count(RAW), methods.count(BY_DQ))
    assert BY_CODEC in methods and info.raw_tiles + info.fallback_tiles > 0


@each_library
def test_dq_codes_what_is_to_be_exact(codec: str) -> None:
    for array in (np.arange(600_000, dtype="i4").reshape(600, 1000), field("step", "f4", (64, 64, 100))):
        payload = codecs.encode(array, codec)
        info = codecs.inspect(payload)
        assert info.fallback_tiles == info.tiles > 1
        assert info.codec == codec
        alone = codecs.encode(array)
        assert [tile.encoded for tile in tiles_of(payload)] == [tile.encoded for tile in tiles_of(alone)]
        assert bits(codecs.decode(payload)) == bits(array)
    # Integers are exact under a bound, too.
    small = np.arange(-300, 300).reshape(20, 30)
    payload = codecs.encode(small, codec, rel=0.1)
    assert bits(codecs.decode(payload)) == bits(small)
    (tile,) = tiles_of(payload)
    assert tile.method == BY_DQ
    assert bits(reference.decode_tile(tile.encoded, small.shape, "i8")) == bits(small)


def test_dq_has_no_tiles_of_another_method() -> None:
    info = codecs.inspect(codecs.encode(hopeless((100, 100, 100)), rel=1e-9))
    assert info.fallback_tiles == 0


@each_library
@each_mode
def test_a_tile_says_what_it_is_made_of(codec: str, mode: codecs.Mode) -> None:
    array = field("turbulence", "f8", (18, 24, 30))
    (tile,) = tiles_of(codecs.encode(array, codec, mode, abs=0.01))
    assert (tile.method, tile.kind, tile.encoded[2:4]) == (BY_CODEC, 1, b"\0\0")
    array[3:5] = np.nan
    array[7, 7, 7] = 1e-310
    (tile,) = tiles_of(codecs.encode(array, codec, mode, abs=0.01))
    assert tile.encoded[1] == 3  # common ones, and others
    assert 8 < tile.exceptions < 2000
    assert struct.pack("<d", 1e-310) in tile.encoded[-tile.exceptions :]


@each_library
@pytest.mark.parametrize("value", [1e20, np.nan])
def test_what_is_masked_costs_little(codec: str, value: float) -> None:
    array = field("turbulence", "f4", (60, 64, 64))
    alone = codecs.encode(array, codec, abs=0.01).nbytes
    y, x = np.mgrid[0:64, 0:64]
    array[:, (y - 30) ** 2 + (x - 20) ** 2 < 400] = value
    masked = codecs.encode(array, codec, abs=0.01, fill=1e20)
    assert masked.nbytes < alone
    np.testing.assert_array_equal(codecs.decode(masked)[:, 30, 20], np.float32(value))


@pytest.mark.parametrize("codec", [_parameter("zfp")])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
@each_mode
def test_the_tolerance_is_raised_as_far_as_the_bound_allows(codec: str, dtype: str, mode: codecs.Mode) -> None:
    # zfp takes the power of 2 below its tolerance: a bound of one leaves it no more to give away.
    array = field("turbulence", dtype if dtype != "c8" else "f4", (40, 48, 64))
    array = array.view(dtype)
    bound = 2.0**-7
    part = bound * 0.7071067811865475 if dtype == "c8" else bound
    (tile,) = tiles_of(codecs.encode(array, codec, mode, abs=bound))
    assert tile.tolerance in {part * 2**raises for raises in (1, 2, 3, 4)}
    result = codecs.decode(codecs.encode(array, codec, mode, abs=bound))
    assert np.abs(result.astype("G") - array.astype("G")).max() <= bound


@pytest.mark.parametrize("codec", [_parameter("zfp")])
def test_searching_makes_fewer_bytes_than_guessing(codec: str) -> None:
    for name in ("turbulence", "noise", "sparse"):
        array = field(name, "f4", (64, 64, 64))
        for share in (1e-2, 1e-3, 1e-4):
            sizes = [codecs.encode(array, codec, mode, rel=share).nbytes for mode in ("fast", "dense")]
            assert sizes[1] <= sizes[0]


@pytest.mark.parametrize("codec", [_parameter("sz3")])
def test_a_library_that_uses_its_bound_gets_no_more(codec: str) -> None:
    (tile,) = tiles_of(codecs.encode(field("turbulence", "f4"), codec, "dense", abs=0.01))
    assert tile.tolerance == 0.01


@each_library
@pytest.mark.parametrize(
    "shape", [(), (1,), (7,), (3, 5), (2, 3, 2, 3, 2, 3, 2, 3), (40, 3), (1, 1, 50), (5, 4, 3, 30, 40)]
)
@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_any_number_of_dimensions(codec: str, shape: tuple[int, ...], dtype: str) -> None:
    generator = np.random.default_rng(2)
    array = (np.cumsum(generator.standard_normal(int(np.prod(shape)))) * (1 + 1j if dtype == "c16" else 1)).astype(
        dtype
    )
    array = array.reshape(shape)
    result = codecs.decode(codecs.encode(array, codec, abs=0.05))
    assert np.abs(result.astype("G") - array.astype("G")).max(initial=0) <= 0.05


@each_library
def test_smooth_fields_become_much_smaller(codec: str) -> None:
    array = field("smooth", "f4", (64, 64, 64))
    assert array.nbytes / codecs.encode(array, codec, rel=1e-3).nbytes > 20
    planes = (array + 1j * array[::-1]).astype("c8")
    assert planes.nbytes / codecs.encode(planes, codec, rel=1e-3).nbytes > 20
