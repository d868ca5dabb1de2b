"""Writers of one group in one thread, of which each puts a local array of its own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import staithe


@contextlib.contextmanager
def group(stream: str, ranks: int) -> Iterator[tuple[list[staithe.Writer], staithe.Reader]]:
    """Writers of one group, and a reader, in this thread."""
    outs = [staithe.writer(stream, group=(rank, ranks)) for rank in range(ranks)]
    try:
        with staithe.reader(stream) as reader:
            yield outs, reader
    finally:
        for out in outs:
            out.__exit__(ValueError, None, None)  # each would wait for the others to close


def put(outs: list[staithe.Writer], *arrays: Any, **keywords: Any) -> None:
    for out, array in zip(outs, arrays, strict=True):
        with out.step() as step:
            if array is not None:
                step.put("x", array, **keywords)
