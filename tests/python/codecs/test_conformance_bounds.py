"""What every codec that takes bounds keeps, in every mode; the other half of test_conformance.py.

No value is off by more than the bound, and what must come back bit by bit does: recomputed by NumPy alone. Differences
and ranges are taken in longdouble, whose rounding can hide no value that is off, nor make one up.
"""

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
from arrays import FIELDS, FLOATS, Array, arrays, bits
from arrays import field as large_field
from cases import How, each_codec, each_lossy_codec

pytestmark = pytest.mark.sampled("codecs, modes, bounds, arrays")

BOUNDS = tuple(10.0**-digits for digits in range(1, 8))
KINDS = ("abs", "rel", "psnr")
FILLS = (1e20, -1e10)
LARGEST = np.longdouble(np.finfo("f8").max)
SHAPE = (20, 24, 32)
SPECIAL = ("nan", "nan payloads", "all nan", "inf", "denormal", "minus zero")


def field(name: str, dtype: str, shape: tuple[int, ...] = SHAPE) -> Array:
    return large_field(name, dtype, shape)


def bounded(kind: str, share: float, array: Array) -> dict[str, float]:
    """A bound of this kind that is about this share of the range."""
    if kind == "psnr":
        return {"psnr": -20 * float(np.log10(share))}
    finite = array[np.isfinite(array)].astype("g")
    return {"abs": share * float(np.ptp(finite) if finite.size else 1)} if kind == "abs" else {"rel": share}


def words(array: Array) -> Array:
    return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def ordinary(array: Array, fill: float | None) -> Array:
    """Which values may be off at all."""
    tiny = np.finfo(array.dtype).tiny
    kept = ~np.isfinite(array) | ((np.abs(array) < tiny) & (array != 0)) | ((array == 0) & np.signbit(array))
    with np.errstate(over="ignore"):
        return ~kept if fill is None else ~kept & (array != array.dtype.type(fill))


def ranged(array: Array, fill: float | None) -> Array:
    """The values that make the range: denormal numbers and -0.0 are of them."""
    with np.errstate(over="ignore"):
        return array[np.isfinite(array) & (True if fill is None else array != array.dtype.type(fill))].astype("g")


def check(how: How, array: Array, fill: float | None = None, **bound: float) -> Array:
    """Encodes and decodes; fails if one value is off by more than the bound. Returns what was decoded."""
    ((kind, value),) = bound.items()
    result = codecs.decode(codecs.encode(array, fill=fill, **how, **bound))
    assert (result.dtype, result.shape) == (array.dtype, array.shape)
    may = ordinary(array, fill)
    np.testing.assert_array_equal(words(result)[~may], words(array)[~may])
    off = np.abs(result[may].astype("g") - array[may].astype("g"))
    numbers = ranged(array, fill)
    span = np.ptp(numbers) if numbers.size else np.longdouble(0)
    if kind == "psnr":
        error = np.sqrt(np.sum(off**2) / max(1, numbers.size))
        assert error <= span * 10 ** (-np.longdouble(value) / 20) * (1 + np.longdouble(1e-12))
    else:
        # The range and its share are rounded to double, once each: see the test of that below.
        most = np.longdouble(value) * (span * (1 + np.longdouble(2.0**-52)) if kind == "rel" else 1)
        within = off <= most  # which NaN is not
        assert within.all(), f"{(~within).sum()} values are off, by up to {off.max()}, not {most}"
    return result


def refuse_too_large(how: How, array: Array, **bound: float) -> None:
    """No number can hold the absolute bound."""
    with pytest.raises(staithe.InvalidArgument, match="larger than any number"):
        codecs.encode(array, **how, **bound)


@each_lossy_codec
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FIELDS)
def test_fields_keep_every_bound(how: How, name: str, dtype: str, kind: str) -> None:
    array = field(name, dtype)
    for share in BOUNDS:
        check(how, array, **bounded(kind, share, array))


@each_lossy_codec
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("fill", FILLS)
@pytest.mark.parametrize("declared", [True, False])
def test_fill_values_keep_every_bound(how: How, fill: float, declared: bool, dtype: str, kind: str) -> None:
    field_alone = field("turbulence", dtype)
    array = field_alone.copy()
    array[:, 10:25, :20] = fill
    array[np.random.default_rng(3).random(array.shape) < 0.01] = fill
    for share in BOUNDS:
        check(how, array, fill if declared else None, **bounded(kind, share, field_alone))


@each_lossy_codec
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("special", SPECIAL)
def test_special_values_come_back_bit_by_bit(how: How, special: str, dtype: str, kind: str) -> None:
    generator = np.random.default_rng(5)
    array = field("turbulence", dtype)
    bound_of = array.copy()
    some = generator.random(array.shape) < 0.01
    tiny = float(np.finfo(array.dtype).tiny)
    if special == "nan payloads":
        noise = words(generator.standard_normal(array.shape).astype(dtype))
        words(array)[some] = (noise | words(np.array([np.inf], dtype))[0] | 1)[some]
    elif special == "denormal":
        array[some] = generator.uniform(-tiny, tiny, some.sum())
    elif special == "inf":
        array[3, 4, 5] = -np.inf
    else:
        array[... if special == "all nan" else some] = -0.0 if special == "minus zero" else np.nan
    for share in BOUNDS:
        check(how, array, **bounded(kind, share, bound_of))


@each_lossy_codec
@settings(max_examples=examples(100))
@given(
    array=arrays(FLOATS),
    fill=st.sampled_from((None, 0.0, 1.0, 1e20, np.nan, np.inf)),
    kind=st.sampled_from(("abs", "rel")),
    value=st.floats(0, 1e300) | st.sampled_from(BOUNDS),
)
def test_whatever_keeps_its_bound(how: How, array: Array, fill: float | None, kind: str, value: float) -> None:
    numbers = ranged(array, fill)
    if kind == "rel" and numbers.size and np.longdouble(value) * np.ptp(numbers) > LARGEST:
        refuse_too_large(how, array, rel=value)
    else:
        check(how, array, fill, **{kind: value})


@each_lossy_codec
@settings(max_examples=examples(50))
@given(array=arrays(FLOATS), value=st.floats(0, 400))
def test_whatever_keeps_its_noise(how: How, array: Array, value: float) -> None:
    # The error of a mean square can be above the range of longdouble's square only if the values are at its end.
    check(how, np.where(np.abs(array) < 1e30, array, 0).astype(array.dtype), psnr=value)


def psnr_of(array: Array, result: Array) -> float:
    span, error = np.ptp(array.astype("f8")), (result.astype("f8") - array.astype("f8"))
    return 20 * float(np.log10(span)) - 10 * float(np.log10(np.mean(error**2)))


@each_lossy_codec
@settings(max_examples=examples(20))
@given(seed=st.integers(0, 2**32), dtype=st.sampled_from(FLOATS), value=st.floats(45, 100))
def test_noise_is_near_to_what_was_asked_for(how: How, seed: int, dtype: str, value: float) -> None:
    wave, phase = np.random.default_rng(seed).uniform(0.2, 1.0, (2, 3))
    z, y, x = np.ogrid[0:24, 0:60, 0:70]
    array = (np.sin(wave[0] * z + phase[0]) * np.cos(wave[1] * y + phase[1]) + np.sin(wave[2] * x)).astype(dtype)
    found = psnr_of(array, check(how, array, psnr=value))
    near = how == {"codec": "dq", "mode": "fast"}  # interpolation is nearer to smooth fields than it has to be
    assert value <= found
    assert found < value + 1 or not near
    complex_array = array[..., ::2] + 1j * array[..., 1::2]
    result = codecs.decode(codecs.encode(complex_array, **how, psnr=value))
    found = psnr_of(complex_array.view(array.dtype), result.view(array.dtype))
    assert value <= found
    assert found < value + 1 or not near


@each_lossy_codec
@pytest.mark.parametrize("dtype", FLOATS)
def test_noise_is_kept_where_errors_are_not_spread_evenly(how: How, dtype: str) -> None:
    """Two values, both as far from a multiple of the step as can be: all errors are about as large as the bound."""
    array = np.zeros((40, 60, 70), dtype)
    array[0, 0, 0] = 1.0
    for share in np.geomspace(1e-3, 1e-2, 50):
        array[:20, 1:] = share * 1.732 * 0.99
        array[20:, 1:] = share * 1.732
        check(how, array, psnr=-20 * float(np.log10(share)))


@each_lossy_codec
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_the_parts_of_complex_numbers_keep_the_bound(how: How, dtype: str, kind: str) -> None:
    parts = field("turbulence", "f8", (20, 24, 64))
    array = parts.astype("f4" if dtype == "c8" else "f8").view(dtype)
    numbers = array.view(array.real.dtype)
    for share in BOUNDS:
        bound: Any = bounded(kind, share, numbers)
        result = codecs.decode(codecs.encode(array, **how, **bound)).view(numbers.dtype)
        off = np.abs(result.astype("g") - numbers.astype("g"))
        assert (np.sqrt(np.mean(off**2)) if kind == "psnr" else off.max()) <= share * np.ptp(numbers.astype("g"))


@each_lossy_codec
@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_numbers_keep_the_bound(how: How, dtype: str) -> None:
    parts = field("noise", "f8", (20, 24, 64))
    array = parts.astype("f4" if dtype == "c8" else "f8").view(dtype)
    result = codecs.decode(codecs.encode(array, **how, abs=0.01))
    assert np.abs(result.astype("G") - array.astype("G")).max() <= 0.01


@each_codec
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("shape", [(), (1,), (0,), (4, 0, 3), (1000,), (1, 20, 1, 30)])
def test_constant_arrays(how: How, shape: tuple[int, ...], dtype: str) -> None:
    for value in (0.0, 1.0, -3.7, 1e-310, 1e30, np.nan, np.inf):
        array = np.full(shape, value).astype(dtype)
        for bound in ({"abs": 0.1}, {"rel": 0.1}, {"psnr": 60.0}):
            result = check(how, array, **bound)
            if "abs" not in bound:  # a range of 0 allows no error
                assert bits(result) == bits(array)


@each_lossy_codec
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FIELDS)
def test_bounds_below_the_precision_are_exact(how: How, name: str, dtype: str) -> None:
    array = field(name, dtype)
    for bound in ({"abs": 0.0}, {"rel": 0.0}, {"abs": 5e-324}, {"abs": 1e-300}, {"rel": 1e-300}, {"psnr": 5000.0}):
        assert bits(check(how, array, **bound)) == bits(array)


@each_lossy_codec
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", FIELDS)
def test_bounds_beside_the_precision_are_kept(how: How, name: str, dtype: str) -> None:
    array = field(name, dtype)
    grain = float(np.finfo(dtype).eps) * float(np.abs(array).max())
    for factor in 2.0 ** np.arange(-6.0, 12):
        check(how, array, abs=grain * factor)


@each_lossy_codec
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", ["abs", "rel"])
def test_bounds_beyond_the_range_are_kept(how: How, dtype: str, kind: str) -> None:
    for value in (1.0, 3.0, 1e10, 1e30, 1e38, 1e39, 1e300, 1e307):
        check(how, field("turbulence", dtype), **{kind: value})
    check(how, field("turbulence", dtype), abs=float(LARGEST))
    refuse_too_large(how, field("turbulence", dtype), rel=float(LARGEST))
    check(how, field("noise", dtype), psnr=0.0)


@each_codec
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_no_bound_is_refused(how: How, kind: str) -> None:
    for value in (-1e-3, -5e-324, np.nan, np.inf, -np.inf):
        for array in (np.ones(5, "f4"), np.ones(5, "i4"), np.ones(0, "f4")):
            for call in (codecs.encode, codecs.probe):
                with pytest.raises(staithe.InvalidArgument):
                    call(array, **how, **{kind: value})


@each_lossy_codec
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("scale", [1.0, 0.5, 0.25])
def test_ranges_near_the_largest_number(how: How, dtype: str, scale: float) -> None:
    largest = float(np.finfo(dtype).max)
    array = (field("turbulence", "f8") / 8).clip(-1, 1) * largest * scale
    array[0, 0, :2] = largest * scale, -largest * scale
    array = array.astype(dtype)
    if scale * largest > LARGEST / 2:
        for bound in ({"rel": 0.9}, {"psnr": 0.0}):
            refuse_too_large(how, array, **bound)
    for share in (0.4, *BOUNDS):
        assert np.isfinite(check(how, array, rel=share)).all()
        assert np.isfinite(check(how, array, abs=largest * share)).all()
        assert np.isfinite(check(how, array, psnr=-20 * float(np.log10(share)))).all()


@each_lossy_codec
@pytest.mark.parametrize("dtype", FLOATS)
def test_ranges_near_the_smallest_number(how: How, dtype: str) -> None:
    array = (np.abs(field("turbulence", "f8")) + 1) * float(np.finfo(dtype).tiny)
    for share in BOUNDS:
        check(how, array.astype(dtype), rel=share)
        check(how, array.astype(dtype), abs=share * float(np.finfo(dtype).tiny))
        check(how, array.astype(dtype), psnr=-20 * float(np.log10(share)))


@each_lossy_codec
@pytest.mark.parametrize("fill", [0.1, 1e300, -0.0, np.nan, np.inf])
@pytest.mark.parametrize("dtype", FLOATS)
def test_fill_values_of_all_sorts(how: How, fill: float, dtype: str) -> None:
    array = field("sparse", dtype)
    with np.errstate(over="ignore"):
        array[:, :5] = array.dtype.type(fill)
    for kind in KINDS:
        check(how, array, fill, **bounded(kind, 1e-3, field("sparse", dtype)))
    assert bits(codecs.decode(codecs.encode(array, fill=fill, **how))) == bits(array)


@each_lossy_codec
def test_a_relative_bound_is_never_rounded_up(how: How) -> None:
    array = np.tile([0.125, -0.25, -0.625], 40)
    share = 1 / 3  # in double a little less than a third; its product with the range is rounded up to 0.25
    off = np.abs(codecs.decode(codecs.encode(array, **how, rel=share)).astype("g") - array)
    assert off.max() <= np.longdouble(share) * np.longdouble(0.75)


@each_lossy_codec
@pytest.mark.parametrize(("fill", "other"), [(0.0, -0.0), (-0.0, 0.0)])
def test_both_zeros_are_the_fill_value(how: How, fill: float, other: float) -> None:
    check(how, np.array([other, *np.linspace(5, 6, 100)]), fill, rel=1e-2)


@each_lossy_codec
def test_nothing_else_becomes_the_fill_value(how: How) -> None:
    array = np.array([0.0, 0.01, 0.04, 0.3, 5.0] * 20)
    result = check(how, array, 0.0, abs=0.1)
    np.testing.assert_array_equal(result == 0.0, array == 0.0)
