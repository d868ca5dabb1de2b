"""Staithe's codecs for numcodecs, and so for zarr's format 2, kerchunk and others that build on it.

::

    zarr.create_array(..., zarr_format=2, compressors=staithe.codecs.numcodecs.Staithe(rel=1e-3))

A program that reads needs nothing but Staithe installed: numcodecs finds it by the name ``staithe``.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from numcodecs.abc import Codec
from numcodecs.compat import ndarray_copy

from ..errors import InvalidArgument
from . import Mode, decode
from .settings import Settings


class Staithe(Codec):  # type: ignore[misc] # numcodecs has no types
    """One of Staithe's codecs. The arguments are those of `staithe.codecs.encode`.

    Args:
        codec: its name.
        mode: "fast", "dense" or "auto".
        abs: the most that a decoded value may be off, in the unit of the values; nothing is, if no bound is given.
        rel: the same as a share of the range of the values of a chunk.
        pw_rel: the most that a value may be off as a share of itself.
        psnr: at least so many decibels of peak signal-to-noise ratio in each chunk.
        rate: the most bits that a value may take.
        fill: the value that stands for "none here", which comes back as it was.
        level: in the place of `mode`, for a codec that has levels.

    Raises:
        InvalidArgument: more than one bound, one that cannot be, another mode, or a level that the codec does not have;
            when it encodes, an array that is none of numbers in this machine's byte order.
        NotFound: there is no such codec here.
    """

    codec_id = "staithe"

    def __init__(
        self,
        codec: str = "dq",
        mode: Mode = "fast",
        *,
        abs: float | None = None,
        rel: float | None = None,
        pw_rel: float | None = None,
        psnr: float | None = None,
        rate: float | None = None,
        fill: float | None = None,
        level: int | None = None,
    ) -> None:
        self._settings = Settings(codec, mode, abs, rel, pw_rel, psnr, rate, fill, level)

    def encode(self, buf: npt.ArrayLike) -> npt.NDArray[np.uint8]:
        """The payload of an array."""
        array = np.asanyarray(buf)
        if not array.dtype.isnative:
            raise InvalidArgument(
                f"numcodecs keeps no byte order: arrays of {array.dtype} would be read wrongly, those of "
                f"{array.dtype.newbyteorder('=')} are not"
            )
        # What it returns is looked at as memory, in the order that the array had.
        fortran = array.flags.f_contiguous and not array.flags.c_contiguous
        return self._settings.encode_chunk(array.T if fortran else array)

    def decode(self, buf: Any, out: Any = None) -> Any:
        """The array of a payload, or `out` with it."""
        return ndarray_copy(decode(np.frombuffer(buf, np.uint8)), out)

    def get_config(self) -> dict[str, Any]:
        """What `numcodecs.get_codec` makes it again of."""
        return {"id": self.codec_id, **self._settings.as_json()}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        """What `get_config` gave."""
        made = cls.__new__(cls)
        made._settings = Settings.of_metadata(config)
        return made

    def __repr__(self) -> str:
        return f"Staithe({', '.join(f'{name}={value!r}' for name, value in self._settings.as_json().items())})"
