"""Codecs: arrays made smaller, exactly or within a bound, and made whole again.

::

    payload = staithe.codecs.encode(temperature, rel=1e-3)  # within a thousandth of the range
    temperature = staithe.codecs.decode(payload)
    corner = staithe.codecs.decode(payload, staithe.Box((0, 0, 0), (32, 32, 32)))

A payload describes itself, and is made of tiles that are decoded one by one: a box costs the tiles that it touches.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
from numpy.typing import ArrayLike

from .. import _core
from ..arguments import explained
from ..errors import InvalidArgument
from ..masks import filled, has_mask
from ..typing import Selection

Name: TypeAlias = Literal["dq", "zfp", "sz3", "sperr", "blosc2"] | str
"""A codec that comes with Staithe, or one of a plugin."""
Mode: TypeAlias = Literal["fast", "dense", "auto"]
Buffer: TypeAlias = bytes | bytearray | memoryview | npt.NDArray[np.uint8] | _core.Variable


@dataclass(frozen=True)
class Codec:
    """What a codec can do, or why it is not there."""

    name: str
    summary: str
    missing: str
    """Why it cannot be used here; empty: it can."""
    lossless: bool
    """Whether it codes exactly by itself; if not, dq (differences of quantised values, Staithe's own) does for it."""
    lossy: tuple[np.dtype[Any], ...]
    """What it takes with a bound. Other arrays it codes exactly."""
    levels: int
    """Levels are from 1, for quick, to this, for small; 0: it has none."""


@dataclass(frozen=True)
class Probe:
    """What encoding an array would cost, from a sample of its tiles."""

    ratio: float
    """Bytes of the array over bytes of the payload."""
    seconds: float
    """Time that encoding all of it would take, on one thread."""
    tiles: int
    """How many tiles were encoded."""


@dataclass(frozen=True)
class Payload:
    """What a payload says of itself."""

    codec: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    tile: tuple[int, ...]
    """The shape of its tiles; those at the edges may be smaller."""
    bound: float
    """The most that a value may be off, in the unit of the values, whatever the bound that was given; 0: exact."""
    tiles: int
    raw_tiles: int
    """Tiles that are stored as they were, since nothing made them smaller, or too little."""
    fallback_tiles: int
    """Tiles that dq coded, since the codec could not keep the bound, or makes nothing smaller exactly."""
    nbytes: int
    """Bytes of the array."""


@explained
def encode(
    array: ArrayLike,
    codec: Name = "dq",
    mode: Mode = "fast",
    *,
    abs: float | None = None,
    rel: float | None = None,
    pw_rel: float | None = None,
    psnr: float | None = None,
    rate: float | None = None,
    exact: bool | None = None,
    fill: float | None = None,
    level: int | None = None,
    threads: int = 1,
) -> npt.NDArray[np.uint8]:
    """Encode an array, exactly or within one bound.

    NaN, infinities, -0.0, denormal numbers and the fill value come back bit by bit under every bound, and so do
    integers; nothing else turns into fill. A bound finer than the precision of the values makes them exact. A complex
    number is off by its distance from the original one; its range is that of all real and imaginary parts.

    Args:
        array: numbers of any shape (at most 8 dimensions), memory layout and byte order.
        codec: one of `list()`.
        mode: "fast" spends as little time as it can, "dense" some more for fewer bytes, "auto" is dense in those tiles
            where that saves much. Decoding takes all of them, and is slower for dense ones, too.
        abs: the most that a decoded value may be off, in the unit of the values.
        rel: the same as a share of the range, largest less smallest, of all values but NaN, infinities and fill.
        pw_rel: the most that a value may be off as a share of itself, for codecs that take no other bound, such as
            "shuffle+zstd": values are rounded to as few bits as that takes, and coded exactly.
        psnr: at least so many decibels of peak signal-to-noise ratio, 20 log10(range / root mean square error), over
            all values that make the range. Tiles are decoded and compared: it takes about twice as long, and is hardly
            more than asked for where errors are spread evenly.
        rate: the most bits that a value may take, in each tile, besides 32 bytes a tile: values are as near as that
            allows, and `inspect` tells how near. What comes back bit by bit under every bound may take more. Tiles are
            encoded up to eight times.
        exact: every bit as it was. This is what happens if no bound is given.
        fill: the value that stands for "none here"; it counts for no range and no prediction. What a masked array
            masks is encoded as this value.
        level: in the place of `mode`, for a codec that has levels (`Codec.levels`): from 1, for quick, on.
        threads: how many to use, the calling one included; never more are at work than there are cores.

    Returns:
        The payload, one-dimensional and read-only. Its bytes may be stored or sent as they are.

    Raises:
        InvalidArgument: more than one bound, a bound that is negative or no finite number (a share of the range
            beyond the largest number, too), another mode, a level or a bound that the codec does not have, less than
            one thread, elements that are no numbers, or elements that are masked without a fill.
        NotFound: there is no such codec here.
        LimitReached: memory ran out.
    """
    kind, value = _bound(abs, rel, pw_rel, psnr, rate, exact)
    return _core.encode(_unmasked(array, fill), codec, _checked(mode), kind, value, fill, threads, level)


@explained
def decode(
    payload: Buffer,
    box: Selection | None = None,
    out: npt.NDArray[Any] | None = None,
    threads: int = 1,
) -> npt.NDArray[Any]:
    """Decode a payload, or a box of it.

    Args:
        payload: what `encode` returned, a copy of its bytes, or the variable that it was put as.
        box: the part that is wanted, as a Box, slices without steps, or integers: ``np.s_[0:8, 3]``. Only tiles that it
            touches are decoded.
        out: the array to decode into, of the payload's dtype and the payload's (the box's) shape, in any layout.
        threads: how many to use, the calling one included; never more are at work than there are cores.

    Returns:
        `out`, or a new array in C order.

    Raises:
        InvalidArgument: the box does not lie in the payload's shape, `out` does not fit, or less than one thread.
        IndexError: an integer is out of bounds.
        LimitReached: memory ran out while it decoded.
        MemoryError: NumPy found no memory for the array.
        ProtocolError: the payload is damaged, or of another version.
        NotFound: its codec is not there.
    """
    return _core.decode(_bytes(payload), box, out, threads)


@explained
def inspect(payload: Buffer) -> Payload:
    """What a payload says of itself.

    Raises:
        ProtocolError: the payload is damaged, or of another version.
    """
    return Payload(**_core.payload_info(_bytes(payload)))


def list() -> tuple[Codec, ...]:
    """All codecs that Staithe knows; `missing` says why one cannot be used here."""
    return tuple(Codec(*fields) for fields in _core.codec_list())


@explained
def load(path: str | PathLike[str]) -> Codec:
    """Load a plugin, a shared library that is a codec; from now on it is one of `list()`.

    Loading it again changes nothing. STAITHE_CODEC_PLUGINS names files that are loaded by themselves, separated by
    colons. How to write one: ``staithe/codec_plugin.h``.

    Raises:
        NotFound: the file cannot be loaded.
        InvalidArgument: it is no plugin that can be used here.
        AlreadyExists: there is another codec of its name.
    """
    return Codec(*_core.load_codec(fspath(path)))


@explained
def probe(
    array: ArrayLike,
    codec: Name = "dq",
    mode: Mode = "fast",
    *,
    abs: float | None = None,
    rel: float | None = None,
    pw_rel: float | None = None,
    psnr: float | None = None,
    rate: float | None = None,
    exact: bool | None = None,
    fill: float | None = None,
    level: int | None = None,
    share: float = 0.05,
) -> Probe:
    """What `encode` would cost, from a sample of the tiles that is encoded.

    A look at a few values of each tile puts the tiles in the order of their ranges of values. The sample is taken
    evenly from that order, so that it has tiles of all kinds. The same array gives the same ratio.

    What is not named here is as for `encode`, and so are the errors.

    Args:
        share: of the tiles, more than 0 and at most 1; four of them at the least.
    """
    kind, value = _bound(abs, rel, pw_rel, psnr, rate, exact)
    return Probe(*_core.probe(_unmasked(array, fill), codec, _checked(mode), kind, value, fill, level, share))


def _bound(
    abs: float | None,
    rel: float | None,
    pw_rel: float | None,
    psnr: float | None,
    rate: float | None,
    exact: bool | None,
) -> tuple[str, float]:
    bounds = (("abs", abs), ("rel", rel), ("pw_rel", pw_rel), ("psnr", psnr), ("rate", rate))
    given = [(kind, value) for kind, value in bounds if value is not None]
    if len(given) + bool(exact) > 1:
        raise InvalidArgument("give one bound: abs=, rel=, pw_rel=, psnr=, rate= or exact=True")
    if exact is False and not given:
        raise InvalidArgument("exact=False needs a bound: abs=, rel=, pw_rel=, psnr= or rate=")
    return given[0] if given else ("exact", 0.0)


def _unmasked(array: ArrayLike, fill: float | None) -> ArrayLike:
    return filled(array, fill, "the array")[0] if has_mask(array) else array


def _checked(mode: Mode) -> Mode:
    if mode not in get_args(Mode):
        raise InvalidArgument(f"there is no mode {mode!r}; there are {', '.join(get_args(Mode))}")
    return mode


def _bytes(payload: Buffer) -> npt.NDArray[np.uint8]:
    return np.frombuffer(payload[...] if isinstance(payload, _core.Variable) else payload, dtype=np.uint8)
