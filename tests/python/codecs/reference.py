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
SYMBOL_BITS = 6
WIDEST = 32
FORMS = 58
TILE_HEADER = struct.Struct("<BBBBIIId")


@np.errstate(over="ignore", invalid="ignore")  # where exceptions are put
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
    kind, layers, coding, predictor, *lengths, step = TILE_HEADER.unpack_from(encoded)
    if kind == 0:
        assert len(encoded) == TILE_HEADER.size
        return np.zeros(shape, dtype)
    assert kind == 2 or (kind == 1 and dtype.char in "fd")
    shape = [1] * (4 - len(shape)) + shape
    blocks = -(-prod(shape) // 128)
    lengths[1] *= 2  # planes are words
    ends = np.cumsum([TILE_HEADER.size, 0 if coding == 1 else (blocks + 1) // 2, *lengths])
    assert ends[-1] == len(encoded)
    counts, widths, planes, exceptions = (encoded[a:b] for a, b in pairwise(ends))

    word = np.dtype("u8" if kind == 2 and dtype.itemsize == 8 else "u4")
    if coding == 0:
        numbers = numbers_of_planes(widths_by_planes(counts, widths, blocks), planes, word)
    else:
        assert (coding, word) == (1, "u4")
        numbers = numbers_by_entropy(widths, planes, blocks).astype(word)
    numbers = numbers.ravel()[: prod(shape)]
    r = np.where(numbers & word.type(1), ~(numbers >> word.type(1)), numbers >> word.type(1))

    if predictor == 2:
        assert (kind, coding) == (1, 1)
        values = interpolated(r.view("i4").astype(dtype) * dtype.type(step), shape)
    else:
        q = r.reshape(shape)
        for axis in {0: range(4), 1: [3]}[predictor]:
            q = np.cumsum(q, axis, word)
        values = q.view("i4").astype(dtype) * dtype.type(step) if kind == 1 else exact(q, dtype)
    for layer in (1, 2):
        if layers & layer:
            exceptions = put_exceptions(values, exceptions, layer == 1)
    assert not exceptions
    return values


def exact(q: Array, dtype: np.dtype[Any]) -> Array:
    """The elements that these integers stand for."""
    if dtype.char not in "fd":
        return q.astype(f"u{dtype.itemsize}").view(dtype)
    sign = q.dtype.type(1 << (8 * dtype.itemsize - 1))
    return np.where(q & sign, q ^ (sign - q.dtype.type(1)), q).view(dtype)


def interpolated(moves: Array, shape: list[int]) -> Array:
    """Values that are off by `moves` from what those before them predict."""
    values = np.empty(shape, moves.dtype)
    places = [np.append(np.arange(n - 1), n - n % 2) for n in shape]

    def indices(axis: int, first: int, stride: int) -> Array:
        return np.flatnonzero(places[axis] % stride == first)

    anchors = np.ix_(*(indices(axis, 0, 32) for axis in range(4)))
    now, moves = np.split(moves, [values[anchors].size])
    values[anchors] = np.cumsum(np.append(moves.dtype.type(0), now))[1:].reshape(values[anchors].shape)
    for s in (16, 8, 4, 2, 1):
        for axis in range(4):
            known = [indices(i, 0, s if i < axis else 2 * s) for i in range(4)]
            own = indices(axis, s, 2 * s)
            lines = np.moveaxis(values[np.ix_(*known)], axis, -1)
            p = np.moveaxis(predicted(lines, known[axis], own), -1, axis)
            now, moves = np.split(moves, [p.size])
            values[np.ix_(*known[:axis], own, *known[axis + 1 :])] = p + now.reshape(p.shape)
    assert not moves.size
    return values


def predicted(lines: Array, known: Array, own: Array) -> Array:
    """What the known values of each line predict in between: the k-th lies between the k-th known one and the next."""
    k = np.arange(own.size) + np.array([[-1], [0], [1], [2]])  # of a, b, c, d
    there = (k >= 0) & (k < known.size)
    k = k.clip(0, known.size - 1)
    x = known[k] - own
    terms = []
    for one in range(4):
        above, below = np.ones((2, own.size), int)
        for other in {0, 1, 2, 3} - {one}:
            both = there[one] & there[other]
            above = np.where(both, above * x[other], above)
            below = np.where(both, below * (x[other] - x[one]), below)
        weighed = lines[..., k[one]] * (above / below).astype(lines.dtype)
        terms.append(np.where(there[one], weighed, lines.dtype.type(0)))
    a, b, c, d = terms
    return (b + c) + (a + d)


def widths_by_planes(counts: bytes, widths: bytes, blocks: int) -> Array:
    """The width of each group, block by block."""
    both = np.frombuffer(counts, "u1")
    c = np.column_stack([both & 15, both >> 4]).ravel()[:blocks]
    assert (c < 8).all()
    bits = np.zeros((blocks, 7, 8), int)
    bits[np.arange(7) < c[:, None]] = np.unpackbits(np.frombuffer(widths, "u1")[:, None], 1, bitorder="little")
    return (bits << np.arange(7)[:, None]).sum(1)


def numbers_of_planes(widths: Array, planes: bytes, word: np.dtype[Any]) -> Array:
    """The lowest bits of the numbers of each group, as many as its width says."""
    assert widths.max() <= 8 * word.itemsize
    block, plane, group = np.nonzero(widths[:, None, :] > np.arange(8 * word.itemsize)[:, None])
    words = np.frombuffer(planes, "<u2", plane.size)
    assert words.nbytes == len(planes)
    numbers = np.zeros((*widths.shape, 16), word)
    for b in np.unique(plane):
        at = plane == b
        bits = words[at][:, None] >> np.arange(16, dtype="u2") & 1
        numbers[block[at], group[at]] |= bits.astype(word) << word.type(b)
    return numbers


def numbers_by_entropy(encoded: bytes, planes: bytes, blocks: int) -> Array:
    """The numbers of each group, block by block."""
    *words, last = np.cumsum(np.multiply(struct.unpack_from("<3I", encoded), 2))
    ends = len(encoded) - last + np.array([0, *words, last])
    forms, symbols, sparse = (encoded[a:b] for a, b in pairwise(ends))
    of_forms, of_symbols = read_tables(encoded[12 : ends[0]])
    form = read_forms(forms, of_forms, blocks)
    symbol = read_symbols(symbols, of_symbols, form)

    is_sparse = form > WIDEST
    low = np.where(is_sparse, form - 31, np.maximum(form - SYMBOL_BITS, 0))
    rest = numbers_of_planes(np.where(is_sparse, 0, low), planes, np.dtype("u8")).astype(int)
    at = 0
    for group in np.argwhere(is_sparse):
        bits, there = low[*group], symbol[*group] > 0
        size = 2 * -(-there.sum() * bits // 16)
        row = np.unpackbits(np.frombuffer(sparse[at : at + size], "u1"), count=there.sum() * bits, bitorder="little")
        rest[(*group, there)] = row.reshape(-1, bits) @ (1 << np.arange(bits))
        symbol[(*group, there)] -= 1
        rest[(*group, there)] += 1
        at += size
    assert at == len(sparse)
    return (symbol << low[..., None]) + rest


def read_forms(encoded: bytes, tables: Array, blocks: int) -> Array:
    """The form of each group."""
    words = Words(encoded)
    lanes = Lanes(words)
    forms = np.zeros((16, (blocks + 1) // 2), int)  # eight groups are a block
    before = np.zeros(16, int)
    for j in range(forms.shape[1]):
        forms[:, j] = before = lanes.step(tables, before)
    assert words.left == 0
    forms, beyond = np.split(forms.reshape(-1, 8), [blocks])
    assert not beyond.any()
    return forms


def read_symbols(encoded: bytes, tables: Array, forms: Array) -> Array:
    """The symbols of the numbers of each group."""
    words = Words(encoded)
    both = [Lanes(words), Lanes(words)]
    symbols = np.zeros((*forms.shape, 16), int)
    for block in np.flatnonzero(forms.any(1)):
        for group, form in enumerate(forms[block]):
            symbols[block, group] = both[group % 2].step(tables, form)
    assert words.left == 0
    return symbols


class Words:
    """Words of 16 bits, taken from the last to the first."""

    def __init__(self, encoded: bytes) -> None:
        self.words = np.frombuffer(encoded, "<u2").astype(int)
        self.left = self.words.size

    def take(self, count: int) -> Array:
        self.left -= count
        assert self.left >= 0
        return self.words[self.left : self.left + count]


class Lanes:
    """16 states side by side."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.states = words.take(32).reshape(16, 2) @ [1, 1 << 16]

    def step(self, tables: Array, form: Any) -> Array:
        """The next symbol of each lane, by the table of the form, or of its own."""
        s = self.states % 1024
        symbol, frequency, rest = tables[:, form, s]
        self.states = frequency * (self.states // 1024) + rest
        low = self.states < 1 << 15
        self.states[low] = (self.states[low] << 16) + self.words.take(low.sum())
        return symbol


def read_tables(encoded: bytes) -> tuple[Array, Array]:
    """By form: the tables of the forms after it, and those of its symbols.

    For each s of 1024, a table says the symbol, its frequency f, and s - C.
    """
    flags = int.from_bytes(encoded[:8], "little")
    assert flags & 1 and flags < 1 << FORMS
    used = [form for form in range(FORMS) if flags >> form & 1]
    at = 8

    def table(symbols: list[int]) -> Array:
        nonlocal at
        frequencies = []
        for _ in symbols[1:]:
            frequency = encoded[at]
            at += 1
            if frequency >= 128:
                assert encoded[at] < 128
                frequency += (encoded[at] << 7) - 128
                at += 1
            frequencies.append(frequency)
        frequencies.append(1024 - sum(frequencies))
        inside = [np.arange(f) for f in frequencies]
        return np.array([np.repeat(symbols, frequencies), np.repeat(frequencies, frequencies), np.concatenate(inside)])

    of_forms, of_symbols = np.zeros((2, 3, FORMS, 1024), int)
    for form in used:
        of_forms[:, form] = table(used)
    for form in used:
        of_symbols[:, form] = table([*range(33 if form > WIDEST else 1 << min(form, SYMBOL_BITS))])
    assert at == len(encoded)
    return of_forms, of_symbols


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
