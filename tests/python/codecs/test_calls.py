"""What `encode` and its like take and give, and what they refuse, whatever the codec."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import staithe
from staithe import codecs

sys.path.append(str(Path(__file__).parent))
from arrays import Array, field


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


def test_one_bound_is_enough() -> None:
    pairs: Any = ({"abs": 1.0, "rel": 1.0}, {"rel": 0.0, "psnr": 3.0}, {"abs": 0.0, "exact": True}, {"exact": False})
    for bounds in pairs:
        for call in (codecs.encode, codecs.probe):
            with pytest.raises(staithe.InvalidArgument):
                call(np.ones(3), **bounds)
    assert codecs.inspect(codecs.encode(np.ones(3), abs=0.5, exact=False)).bound == 0.5


def test_unknown_codecs_are_not_found() -> None:
    for name in ("", "no such codec", "dq" * 100, "dq\0"):
        with pytest.raises(staithe.NotFound):
            codecs.encode(np.zeros(3), name)
        with pytest.raises(staithe.NotFound):
            codecs.probe(np.zeros(3), name)


def test_unknown_modes_are_refused() -> None:
    unknown: Any = "fastest"
    for call in (codecs.encode, codecs.probe):
        with pytest.raises(staithe.InvalidArgument, match="fast, dense, auto"):
            call(np.zeros(3), mode=unknown)


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
