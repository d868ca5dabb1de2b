"""Staithe's codecs for zarr's format 3.

::

    zarr.create_array(..., serializer=staithe.codecs.zarr.Staithe(rel=1e-3), compressors=None)

A program that reads needs nothing but Staithe installed: zarr finds it by the name ``staithe``.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from zarr.abc.codec import ArrayBytesCodec

from .settings import Settings, check_dtype, decode_chunk

if TYPE_CHECKING:
    from zarr.core.array_spec import ArraySpec
    from zarr.core.buffer import Buffer, NDBuffer


@dataclass(frozen=True)
class Staithe(Settings, ArrayBytesCodec):
    """One of Staithe's codecs, from a chunk to its bytes. The arguments are those of `staithe.codecs.encode`.

    `rel` and `psnr` are about the values of a chunk. The array's fill value is kept exactly, too, if it is not 0;
    `fill` names another.

    Raises:
        InvalidArgument: more than one bound, one that cannot be, another mode, or a level that the codec does not have;
            when an array is made, one that is none of numbers.
        NotFound: there is no such codec here.
    """

    is_fixed_size = False

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """What `to_dict` gave."""
        return cls.of_metadata(data.get("configuration", {}))

    def to_dict(self) -> dict[str, Any]:
        """What an array's metadata says of it."""
        return {"name": "staithe", "configuration": self.as_json()}

    def validate(self, *, dtype: Any, **_: object) -> None:
        """Raises InvalidArgument unless the array has numbers."""
        check_dtype(dtype.to_native_dtype())

    def compute_encoded_size(self, _input_byte_length: int, _chunk_spec: ArraySpec) -> int:
        """Raises NotImplementedError: no size is known beforehand."""
        raise NotImplementedError

    def _encode_sync(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer | None:
        payload = self.encode_chunk(chunk_array.as_numpy_array(), chunk_spec.fill_value)
        return chunk_spec.prototype.buffer.from_array_like(payload)

    def _decode_sync(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        payload = chunk_bytes.as_numpy_array().view(np.uint8)
        chunk = decode_chunk(payload, chunk_spec.shape, chunk_spec.dtype.to_native_dtype())
        return chunk_spec.prototype.nd_buffer.from_numpy_array(chunk)

    async def _encode_single(self, chunk_array: NDBuffer, chunk_spec: ArraySpec) -> Buffer | None:
        return await asyncio.to_thread(self._encode_sync, chunk_array, chunk_spec)

    async def _decode_single(self, chunk_bytes: Buffer, chunk_spec: ArraySpec) -> NDBuffer:
        return await asyncio.to_thread(self._decode_sync, chunk_bytes, chunk_spec)
