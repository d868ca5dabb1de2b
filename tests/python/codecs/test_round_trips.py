"""Whatever array is encoded exactly comes back bit by bit, and the payload depends on its values alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import staithe
from staithe import codecs

sys.path.append(str(Path(__file__).parent))
from arrays import DTYPES, FIELDS, LAYOUTS, Array, arrays, bits, field, filled, laid_out

BOUNDS: tuple[dict[str, float], ...] = ({}, {"abs": 0.01}, {"rel": 1e-3}, {"psnr": 60.0})


def check_exact(array: Array, **options: Any) -> None:
    payload = codecs.encode(array, **options)
    result = codecs.decode(payload)
    assert (result.dtype, result.shape) == (array.dtype.newbyteorder("="), array.shape)
    assert result.flags.c_contiguous and result.flags.writeable
    assert bits(result) == bits(array)
    assert bits(codecs.decode(payload, threads=3)) == bits(array)


@settings(max_examples=400)
@given(array=arrays(), layout=st.sampled_from(LAYOUTS))
def test_exact_is_bit_exact(array: Array, layout: str) -> None:
    check_exact(laid_out(array, layout))


@settings(max_examples=300)
@given(array=arrays(), layout=st.sampled_from(LAYOUTS), bound=st.sampled_from(BOUNDS))
def test_payloads_depend_neither_on_layout_nor_on_threads(array: Array, layout: str, bound: dict[str, float]) -> None:
    payload = codecs.encode(array, **bound)
    assert codecs.encode(laid_out(array, layout), **bound, threads=3).tobytes() == payload.tobytes()
    assert bits(codecs.decode(payload, threads=3)) == bits(codecs.decode(payload))


@settings(max_examples=150)
@given(array=arrays(tuple(name for name in DTYPES if name[0] in "?iu")), bound=st.sampled_from(BOUNDS))
def test_integers_are_exact_under_every_bound(array: Array, bound: dict[str, float]) -> None:
    check_exact(array, **bound)


@pytest.mark.parametrize(
    "shape",
    [(600_000,), (2, 300_001), (300_001, 2), (1, 700, 1, 501), (70, 71, 72), (9, 9, 9, 9, 9, 9), (5, 3, 40_000)],
)
@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f2", "f4", "f8", "c8"])
def test_arrays_of_many_tiles(shape: tuple[int, ...], dtype: str) -> None:
    for content in ("smooth", "bits"):
        array = filled(shape, dtype, content, 3)
        payload = codecs.encode(array, threads=3)
        assert codecs.encode(array).tobytes() == payload.tobytes()
        assert codecs.inspect(payload).tiles > 1
        assert bits(codecs.decode(payload)) == bits(array)
        assert bits(codecs.decode(payload, threads=3)) == bits(array)


@pytest.mark.parametrize("name", FIELDS)
@pytest.mark.parametrize("bound", BOUNDS)
def test_large_fields_are_the_same_on_many_threads(name: str, bound: dict[str, float]) -> None:
    array = field(name, "f4", (70, 80, 90))
    payload = codecs.encode(array, **bound)
    assert codecs.encode(array, **bound, threads=3).tobytes() == payload.tobytes()
    assert bits(codecs.decode(payload, threads=3)) == bits(codecs.decode(payload))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_every_kind_of_number_comes_back(dtype: str) -> None:
    if dtype == "f2":
        check_exact(np.arange(2**16, dtype="u2").view("f2"))
        return
    word = dtype.replace("f", "u")
    info: Any = np.finfo(dtype)
    ends = np.array([0, info.smallest_subnormal, info.tiny, 1, info.max, np.inf, np.nan], dtype).view(word)
    near = (ends[:, None] + np.arange(-3, 4).astype(word)).ravel()
    sign = near.dtype.type(1 << (8 * near.itemsize - 1))
    check_exact(np.concatenate([near, near | sign]).view(dtype))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_the_ends_of_integers_come_back(dtype: str) -> None:
    info = np.iinfo(dtype)
    ends = np.array([info.min, info.max, 0, info.min + 1, info.max - 1], dtype)
    check_exact(np.random.default_rng(0).choice(ends, (40, 50)))
    check_exact(np.tile(ends[:2], 100))


def test_what_is_like_an_array_is_taken() -> None:
    assert codecs.decode(codecs.encode([[1.5, 2.5]])).tolist() == [[1.5, 2.5]]
    assert codecs.decode(codecs.encode(3)).item() == 3
    assert codecs.decode(codecs.encode(np.float32(0.25))).dtype == np.float32
    repeated = np.broadcast_to(np.arange(5.0), (40, 5))  # a stride of 0
    assert codecs.decode(codecs.encode(repeated)).tolist() == repeated.tolist()


def test_a_payload_is_bytes_that_nobody_changes() -> None:
    payload = codecs.encode(np.arange(100))
    assert (payload.dtype, payload.ndim) == (np.uint8, 1)
    assert not payload.flags.writeable
    with pytest.raises(ValueError):
        payload[0] = 1


def test_exact_may_be_asked_for() -> None:
    array = field("noise", "f4")
    assert codecs.encode(array, exact=True).tobytes() == codecs.encode(array).tobytes()


@pytest.mark.parametrize(
    "array",
    [
        np.array([object()]),
        np.array(["text"]),
        np.array([b"text"]),
        np.array(["2026-01-01"], "M8[D]"),
        np.array([1], "m8[s]"),
        np.zeros(3, [("x", "f4"), ("y", "i4")]),
        np.zeros(3, "V8"),
        np.zeros((1,) * 9),
    ],
    ids=lambda array: f"{array.dtype}-{array.ndim}d",
)
def test_what_is_no_number_is_refused(array: Array) -> None:
    with pytest.raises(staithe.InvalidArgument):
        codecs.encode(array)
    with pytest.raises(staithe.InvalidArgument):
        codecs.probe(array)


def test_unknown_codecs_are_not_found() -> None:
    for name in ("", "no such codec", "dq" * 100, "dq\0"):
        with pytest.raises(staithe.NotFound):
            codecs.encode(np.zeros(3), name)
        with pytest.raises(staithe.NotFound):
            codecs.probe(np.zeros(3), name)


@pytest.mark.parametrize("threads", [0, -1])
def test_threads_that_are_none_are_refused(threads: int) -> None:
    with pytest.raises(staithe.InvalidArgument):
        codecs.encode(np.zeros(3), threads=threads)
    with pytest.raises(staithe.InvalidArgument):
        codecs.decode(codecs.encode(np.zeros(3)), threads=threads)


SMALL_MEMORY = """
import resource
from pathlib import Path
import numpy as np
import staithe
from staithe import codecs

large = np.frombuffer(np.random.default_rng(0).bytes(200 << 20), "u1")
zeros = codecs.encode(np.broadcast_to(np.uint8(0), (200, 1 << 20)))
codecs.decode(zeros, staithe.Box((0, 0), (1, 1)), threads=2)  # what threads need for themselves is there
size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (100 << 20), resource.RLIM_INFINITY))
try:
    {call}
except staithe.LimitReached:
    print("LimitReached")
except MemoryError:
    print("MemoryError")
"""


def test_encoding_without_memory_is_a_limit_reached(run_python: Callable[..., str]) -> None:
    assert run_python(SMALL_MEMORY.format(call="codecs.encode(large)")) == "LimitReached\n"


def test_decoding_without_memory_for_the_array_is_numpys_error(run_python: Callable[..., str]) -> None:
    assert run_python(SMALL_MEMORY.format(call="codecs.decode(zeros)")) == "MemoryError\n"
