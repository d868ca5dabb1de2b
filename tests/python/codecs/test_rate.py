"""So many bits a value: as near to the values as that allows."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import staithe
from staithe import codecs

sys.path.append(str(Path(__file__).parent))
from arrays import bits, field, filled
from cases import How, each_lossy_codec

ENTRY = 32  # bytes a tile, besides the header


def bits_a_value(payload: codecs.Buffer, values: int) -> float:
    info = codecs.inspect(payload)
    return 8 * (len(payload) - 200 - ENTRY * info.tiles) / values


@each_lossy_codec
@pytest.mark.parametrize("rate", [2.0, 6.0])
def test_the_rate_is_kept_and_used(how: How, rate: float) -> None:
    array = field("turbulence", "f4", (64, 64, 64))
    payload = codecs.encode(array, rate=rate, **how)
    assert 0.7 * rate < bits_a_value(payload, array.size) <= rate
    info = codecs.inspect(payload)
    assert 0 < np.abs(codecs.decode(payload) - array).max() <= info.bound < np.ptp(array)


def test_more_bits_are_nearer_to_the_values() -> None:
    array = field("turbulence", "f8", (64, 64, 64))
    bounds = [codecs.inspect(codecs.encode(array, rate=rate)).bound for rate in (1, 2, 4, 8, 16, 32)]
    assert bounds == sorted(bounds, reverse=True)
    # A bit more a value halves the error.
    assert bounds[4] / bounds[3] == pytest.approx(2.0**-8, rel=0.5)
    whole = codecs.encode(array, rate=64)
    assert bits(codecs.decode(whole)) == bits(array) and codecs.inspect(whole).bound == 0


def test_each_tile_has_its_own_bound() -> None:
    array = field("turbulence", "f4", (8, 512, 512))
    array[:, :256] *= 1e-6
    payload = codecs.encode(array, rate=5)
    again = codecs.decode(payload)
    assert codecs.inspect(payload).tiles > 4
    assert np.abs(again - array)[:, :128].max() < 1e-3 * np.abs(again - array).max()


def test_what_comes_back_bit_by_bit_may_take_more() -> None:
    array = filled((64, 64), "f4", "bits", 1)
    array[::2] = np.nan
    again = codecs.decode(codecs.encode(array, rate=0.5))
    assert np.isnan(again[::2]).all()
    fill = field("turbulence", "f4", (32, 32, 32))
    fill[3:20] = 1e20
    again = codecs.decode(codecs.encode(fill, rate=2, fill=1e20))
    assert ((again == np.float32(1e20)) == (fill == np.float32(1e20))).all()


@pytest.mark.parametrize("shape", [(), (1,), (0, 3), (5,), (3, 4, 5)])
def test_small_arrays(shape: tuple[int, ...]) -> None:
    array = filled(shape, "f8", "random", 2)
    again = codecs.decode(codecs.encode(array, rate=8))
    assert again.shape == shape and np.abs(again - array).max(initial=0) <= np.ptp(array) if array.size else True


@pytest.mark.parametrize("value", [0.0, 3.5, np.inf, np.finfo("f8").max])
def test_arrays_without_a_range(value: float) -> None:
    array = np.full((20, 30), value)
    assert bits(codecs.decode(codecs.encode(array, rate=0.25))) == bits(array)


def test_the_largest_range() -> None:
    array = np.linspace(-1, 1, 1000) * np.finfo("f8").max
    again = codecs.decode(codecs.encode(array, rate=8))
    assert np.isfinite(again).all()


def test_complex_numbers_and_integers() -> None:
    array = filled((64, 64), "c8", "random", 5)
    payload = codecs.encode(array, rate=12)
    assert np.abs(codecs.decode(payload) - array).max() <= codecs.inspect(payload).bound
    assert bits_a_value(payload, array.size) <= 12
    whole = np.arange(1000)
    assert bits(codecs.decode(codecs.encode(whole, rate=1))) == bits(whole)


def test_rates_that_cannot_be() -> None:
    with pytest.raises(staithe.InvalidArgument, match="a rate of 0 bits"):
        codecs.encode(np.ones(3), rate=0)
    with pytest.raises(staithe.InvalidArgument, match="rate=-1"):
        codecs.encode(np.ones(3), rate=-1)
    with pytest.raises(staithe.InvalidArgument, match="is always exact"):
        codecs.encode(np.ones(3), "shuffle+lz4", rate=4)
