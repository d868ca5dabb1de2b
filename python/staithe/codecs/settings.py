"""How chunks of a store are encoded, as its metadata keeps it: what the doors to numcodecs and zarr have in common."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..errors import InvalidArgument, NotFound
from . import Buffer, Mode, decode, encode, inspect


@dataclass(frozen=True)
class Settings:
    """What `encode` takes. `rel` and `psnr` are about the values of a chunk."""

    codec: str = "dq"
    mode: Mode = "fast"
    abs: float | None = None
    rel: float | None = None
    pw_rel: float | None = None
    psnr: float | None = None
    rate: float | None = None
    fill: float | None = None
    level: int | None = None

    def __post_init__(self) -> None:
        self.encode_chunk(np.zeros(1))  # what cannot be is said here, and not once there is a store

    @classmethod
    def of_metadata(cls, kept: Mapping[str, Any]) -> Self:
        """The same as a store keeps it, whose codec need not be here: who reads other arrays of the store has no use
        for it."""
        try:
            return cls(**kept)
        except NotFound:
            made = object.__new__(cls)
            made.__dict__.update(kept)
            return made

    def as_json(self) -> dict[str, Any]:
        """What differs from `encode`'s defaults, and which codec and mode."""
        return {name: value for name, value in asdict(self).items() if value is not None}

    def encode_chunk(self, chunk: npt.NDArray[Any], fill_of_store: object = None) -> npt.NDArray[np.uint8]:
        """The payload of a chunk. The store's own fill value is kept exactly, too, if it is a number but 0."""
        check_dtype(chunk.dtype)
        fill = self.fill
        if fill is None and isinstance(fill_of_store, float | np.floating) and isfinite(fill_of_store):
            fill = float(fill_of_store) or None  # 0 is what stores take where nobody chose
        return encode(
            _numbers(chunk),
            self.codec,
            self.mode,
            abs=self.abs,
            rel=self.rel,
            pw_rel=self.pw_rel,
            psnr=self.psnr,
            rate=self.rate,
            fill=fill,
            level=self.level,
        )


def check_dtype(dtype: np.dtype[Any]) -> None:
    """Raises InvalidArgument unless it is one of numbers, or of times, which are whole numbers."""
    if dtype.kind not in "biufcmM":
        raise InvalidArgument(f"the codec 'staithe' takes numbers, times among them, and not {dtype}")


def decode_chunk(payload: Buffer, shape: tuple[int, ...], dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """The chunk, whose shape and dtype the store knows. A recorder's has one step along, of which its payload says
    nothing."""
    chunk = np.empty(shape, dtype.newbyteorder("="))
    numbers = _numbers(chunk)
    is_of_a_step = shape[:1] == (1,) and inspect(payload).shape == shape[1:]
    decode(payload, out=numbers[0] if is_of_a_step else numbers)
    return chunk.astype(dtype, copy=False)


def _numbers(chunk: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return chunk.view(np.dtype("i8").newbyteorder(chunk.dtype.byteorder)) if chunk.dtype.kind in "mM" else chunk
