"""Arrays to encode: of every dtype, in every layout, and fields like those that programs write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

Array = NDArray[Any]

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")
FLOATS = ("f4", "f8")
LAYOUTS = ("C", "Fortran", "strided", "negative", "transposed", "swapped", "unaligned", "read-only")


def bits(array: Array) -> bytes:
    """All bits of the values in C order: NaN equals NaN, and 0.0 is not -0.0."""
    return array.astype(array.dtype.newbyteorder("="), copy=False).tobytes()


def filled(shape: tuple[int, ...], dtype: str, content: str, seed: int) -> Array:
    """An array with values of one nature, up to random bits, NaN and infinities of all sorts among them."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    size = int(np.prod(shape))
    if content == "random" or (content == "bits" and kind.char in "?gG"):
        numbers = generator.standard_normal(size) * 100
        array = (numbers > 0) if kind.kind == "b" else numbers.astype("i8" if kind.kind in "iu" else dtype)
    elif content == "bits":
        array = np.frombuffer(generator.bytes(size * kind.itemsize), dtype)
    elif content == "smooth":
        array = np.cumsum(generator.integers(-1, 2, size)) / (1 if kind.kind in "iu" else 8)
    elif content == "sparse":
        array = np.where(generator.random(size) < 0.05, generator.integers(0, 100, size), 0)
    else:
        array = np.full(size, 1 if content == "ones" else 0)
    array = array.astype(dtype)
    if kind.char in "gG":
        array.view("u1").reshape(-1, 16)[:, 10:] = 0  # which belongs to no number, and would be left as it was
    return array.reshape(shape)


def laid_out(array: Array, layout: str) -> Array:
    """The same values, laid out otherwise in memory."""
    if layout == "Fortran":
        return np.asfortranarray(array).reshape(array.shape)  # which makes a row of no dimensions
    if layout == "strided":
        wide = np.zeros((*array.shape, 3), array.dtype)
        wide[..., 1] = array
        return wide[..., 1]
    if layout == "negative":
        flipped = (..., *(slice(None, None, -1) for _ in array.shape))  # an array even of no dimensions
        return array[flipped].copy()[flipped]
    if layout == "transposed":
        return array.T.copy().T
    if layout == "swapped":
        return array.byteswap().view(array.dtype.newbyteorder())
    if layout == "unaligned":
        room = np.zeros(array.nbytes + 1, "u1")
        moved = room[1:].view(array.dtype).reshape(array.shape)
        moved[...] = array
        return moved
    array = array.copy()
    array.flags.writeable = layout != "read-only"
    return array


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, ...]:
    """Of 0 to 8 dimensions, lengths 0 and 1 among them."""
    ndim = draw(st.integers(0, 8))
    longest = {0: 1, 1: 3000, 2: 70, 3: 24, 4: 18, 5: 7}.get(ndim, 4)
    length = st.one_of(st.integers(1, longest), st.just(1), st.integers(0, longest))
    return tuple(draw(st.lists(length, min_size=ndim, max_size=ndim)))


@st.composite
def arrays(draw: st.DrawFn, dtypes: tuple[str, ...] = DTYPES) -> Array:
    """Of any dtype and shape, in C order."""
    content = draw(st.sampled_from(("random", "bits", "smooth", "sparse", "ones", "zeros")))
    return filled(draw(shapes()), draw(st.sampled_from(dtypes)), content, draw(st.integers(0, 1000)))


def _smooth(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    waves = [np.sin(np.linspace(0, 5 + axis, length)) for axis, length in enumerate(shape)]
    return 280 + 20 * sum(np.ix_(*waves), start=np.zeros(shape))


def _turbulence(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    """A spectrum that falls by the power 5/3, with random phases."""
    squares = [np.fft.fftfreq(length, 1 / length) ** 2 for length in shape]
    wave = np.sqrt(1 + sum(np.ix_(*squares), start=np.zeros(shape)))
    turned = wave ** (-5 / 6 - (len(shape) - 1) / 2) * np.exp(2j * np.pi * generator.random(shape))
    field: Array = np.fft.ifftn(turned).real
    return field / field.std()


def _step(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    field = np.full(shape, 0.1)
    field[shape[0] // 3 :] = 101325.7
    return field


def _sparse(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    return np.where(generator.random(shape) < 0.92, 0.0, generator.lognormal(0, 2, shape))


def _positions(shape: tuple[int, ...], generator: np.random.Generator) -> Array:
    size = int(np.prod(shape)) // 3
    return np.linspace(0, 40, size)[:, None] + generator.normal(0, 0.3, (size, 3))


FIELDS: dict[str, Callable[[tuple[int, ...], np.random.Generator], Array]] = {
    "smooth": _smooth,
    "turbulence": _turbulence,
    "noise": lambda shape, generator: generator.standard_normal(shape),
    "step": _step,
    "sparse": _sparse,
    "positions": _positions,
}


def field(name: str, dtype: str, shape: tuple[int, ...] = (30, 40, 50), seed: int = 1) -> Array:
    """One of the fields."""
    return FIELDS[name](shape, np.random.default_rng(seed)).astype(dtype)
