"""A tile of a shuffled codec decoded by NumPy and zlib, from docs/formats/shuffled.md alone."""

from __future__ import annotations

import zlib
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def decode_tile(codec: str, encoded: bytes, shape: tuple[int, ...], dtype: str) -> Array:
    """A tile that was coded with LZ4 or zlib."""
    shuffle, library = codec.split("+")
    shuffled = {"lz4": lz4_block, "zlib": zlib.decompress}[library](encoded)
    item = np.dtype(dtype).itemsize
    n = prod(shape)
    assert len(shuffled) == n * item
    planes = np.frombuffer(shuffled, "u1")
    if shuffle == "shuffle":
        elements = planes.reshape(item, n).T
    else:
        m = n // 8 * 8
        bits = np.unpackbits(planes[: m * item], bitorder="little").reshape(8 * item, m)
        turned = np.packbits(bits.T, axis=1, bitorder="little")
        elements = np.concatenate([turned, planes[m * item :].reshape(n - m, item)])
    return np.ascontiguousarray(elements).view(dtype).reshape(shape)


def lz4_block(encoded: bytes) -> bytes:
    """What an LZ4 block holds."""
    made = bytearray()
    at = 0

    def length(start: int) -> int:
        nonlocal at
        total = start
        while start == 15:
            total += encoded[at]
            at += 1
            if encoded[at - 1] < 255:
                break
        return total

    while True:
        token = encoded[at]
        at += 1
        literals = length(token >> 4)
        made += encoded[at : at + literals]
        at += literals
        if at == len(encoded):
            return bytes(made)
        offset = int.from_bytes(encoded[at : at + 2], "little")
        at += 2
        for _ in range(length(token & 15) + 4):
            made.append(made[-offset])
