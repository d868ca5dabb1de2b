"""A payload decoded by NumPy, from the pages of docs/formats alone. Checksums are left out."""

from __future__ import annotations

import struct
from itertools import pairwise
from math import prod
from typing import Any

import numpy as np
import reference_shuffled
from numpy.typing import NDArray

Array = NDArray[Any]

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")
ELEMENTS = {"?": ("u1", ()), "f16": ("u1", (16,)), "c8": ("f4", (2,)), "c16": ("f8", (2,)), "c32": ("u1", (32,))}
TILE_HEADER = struct.Struct("<BBHIIId")


def decode(payload: bytes) -> Array:
    """The array."""
    magic, version, number, ndim, _, count = struct.unpack_from("<IHBBdQ", payload)
    assert (magic, version) == (0x4C505453, 1)
    codec = payload[24:40].rstrip(b"\0").decode()
    shape, tile = np.frombuffer(payload, "<i8", 2 * ndim, 40).reshape(2, ndim).tolist()
    grid = [-(-length // part) for length, part in zip(shape, tile, strict=True)]
    assert count == prod(grid)
    array = np.empty(shape, DTYPES[number])
    for i, place in enumerate(np.ndindex(*grid)):
        offset, size, _, method, zero = struct.unpack_from("<QQQII", payload, 40 + 16 * ndim + 32 * i)
        assert zero == 0
        here = array[*(slice(p * t, p * t + t) for p, t in zip(place, tile, strict=True)), ...]
        encoded = payload[offset : offset + size]
        assert len(encoded) == size
        if method == 0:
            here[...] = np.frombuffer(encoded, here.dtype).reshape(here.shape)
        elif codec == "dq":
            here[...] = decode_tile(encoded, here.shape, DTYPES[number])
        else:
            here[...] = reference_shuffled.decode_tile(codec, encoded, here.shape, DTYPES[number])
    return array


def decode_tile(encoded: bytes, shape: tuple[int, ...], dtype: str) -> Array:
    """A tile that dq coded."""
    element, last = ELEMENTS.get(dtype, (dtype, ()))
    lengths = [n for n in shape + last if n != 1]
    short = next((i for i, n in enumerate(reversed(lengths)) if n >= 16), 0)  # so many move to the front
    kept = len(lengths) - short
    moved = lengths[kept:] + lengths[:kept]
    working = [prod(moved[:-3]), *moved[-3:]] if len(moved) > 4 else moved or [1]
    values = decode_elements(encoded, working, np.dtype(element))
    values = np.moveaxis(values.reshape(moved), range(short), range(kept, len(lengths)))
    return np.ascontiguousarray(values).view(dtype).reshape(shape)


def decode_elements(encoded: bytes, shape: list[int], dtype: np.dtype[Any]) -> Array:
    """The elements of a tile in their order there."""
    kind, layers, zero, widths, planes, exceptions, step = TILE_HEADER.unpack_from(encoded)
    assert zero == 0
    size = prod(shape)
    if kind == 0:
        assert len(encoded) == TILE_HEADER.size
        return np.zeros(shape, dtype)
    blocks = -(-size // 128)
    lengths = [(blocks + 1) // 2, widths, 2 * planes, exceptions]
    assert TILE_HEADER.size + sum(lengths) == len(encoded)
    ends = np.cumsum([TILE_HEADER.size, *lengths])
    parts = [np.frombuffer(encoded[a:b], "u1") for a, b in pairwise(ends)]
    word = np.dtype("u8" if kind == 2 and dtype.itemsize == 8 else "u4")

    q = residuals(parts[0], parts[1], parts[2].view("<u2"), blocks, word)[:size].reshape(shape)
    for axis in range(q.ndim):
        q = np.cumsum(q, axis, word)
    if kind == 1:
        signed = np.float32 if dtype.itemsize == 4 else np.float64
        values = q.view("i4").astype(signed) * signed(step)
    elif dtype.char in "fd":
        sign = word.type(1 << (8 * word.itemsize - 1))
        values = np.where(q & sign, q ^ (sign - word.type(1)), q).view(dtype)
    else:
        values = q.astype(f"u{dtype.itemsize}").view(dtype)
    rest = parts[3].tobytes()
    for layer in (1, 2):
        if layers & layer:
            rest = put_exceptions(values, rest, layer == 1)
    assert not rest
    return values


def residuals(counts: Array, widths: Array, planes: Array, blocks: int, word: np.dtype[Any]) -> Array:
    """What is added up, in C order, filled up to whole blocks."""
    stored = np.zeros((blocks * 8, 16), word)
    width_at = plane_at = 0
    for block in range(blocks):
        c = int(counts[block // 2]) >> (4 * (block % 2)) & 15
        read = widths[width_at : width_at + c]
        wide = np.array([sum((int(byte) >> group & 1) << b for b, byte in enumerate(read)) for group in range(8)])
        for b in range(wide.max()):
            groups = np.flatnonzero(wide > b)
            plane = planes[plane_at : plane_at + groups.size]
            stored[8 * block + groups] |= (plane[:, None] >> np.arange(16, dtype="u2") & 1).astype(word) << word.type(b)
            plane_at += groups.size
        width_at += c
    assert (width_at, plane_at) == (widths.size, planes.size)
    flat = stored.ravel()
    return np.where(flat & word.type(1), ~(flat >> word.type(1)), flat >> word.type(1))


def put_exceptions(values: Array, encoded: bytes, common: bool) -> bytes:
    """Puts the exceptions of one layer in their places; returns what follows the layer."""
    rows = values.reshape(-1, values.shape[-1])
    words = -(-rows.shape[1] // 16)
    at = 0

    def take(kind: str, count: int) -> Array:
        nonlocal at
        at += count * np.dtype(kind).itemsize
        return np.frombuffer(encoded[:at], kind, count, at - count * np.dtype(kind).itemsize)

    def flags(count: int) -> Array:
        return np.unpackbits(take("u1", -(-count // 8)), count=count, bitorder="little").astype(bool)

    some = flags(rows.shape[0] * words)
    full = flags(some.sum())
    masks = np.full(full.size, 0xFFFF, "u2")
    masks[~full] = take("<u2", (~full).sum())
    mask = np.zeros((some.size, 16), bool)
    mask[some] = masks[:, None] >> np.arange(16, dtype="u2") & 1
    mask = mask.reshape(len(rows), 16 * words)[:, : rows.shape[1]]
    rows[mask] = take(values.dtype.str, 1 if common else mask.sum())
    return encoded[at:]
