"""Local arrays: every writer rank has one of its own."""

from __future__ import annotations

import numpy as np
import pytest
from local_arrays import group, put

import staithe


def test_one_array_per_rank(stream: str) -> None:
    with group(stream, 3) as (outs, reader):
        put(outs, [1, 2], np.zeros(0, int), [3])
        x = next(reader)["x"]
        assert x.local
        assert [(block.rank, block.box, block.data.tolist()) for block in x.blocks] == [
            (0, staithe.Box(0, 2), [1, 2]),
            (1, staithe.Box(0, 0), []),
            (2, staithe.Box(0, 1), [3]),
        ]
        for touch in (lambda: x.shape, lambda: x[...], lambda: x.read(share="count"), lambda: x.ndim):
            with pytest.raises(staithe.InvalidArgument, match="local arrays"):
                touch()
        assert [block.data.tolist() for block in x.read(share="process")] == [[1, 2], [], [3]]
        assert repr(x) == "<staithe.Variable 'x': i8 local arrays, 3 blocks>"
        assert staithe.describe(stream)["variables"][0]["shape"] is None


def test_a_single_local_array_reads_as_if_it_were_global(stream: str) -> None:
    with group(stream, 2) as (outs, reader):
        put(outs, None, [[1, 2]])
        x = next(reader)["x"]
        assert (x.local, x.shape, x.blocks[0].rank) == (True, (1, 2), 1)
        assert x[0, ::-1].tolist() == [2, 1]


def test_ranks_without_a_block(stream: str) -> None:
    with group(stream, 3) as (outs, reader):
        put(outs, None, None, None)
        assert len(next(reader)) == 0
        for i, out in enumerate(outs):
            with out.step() as step:
                if i == 1:
                    step.put("x", np.arange(4), offset=0, shape=4)
        x = next(reader)["x"]
        assert (x.local, x[...].tolist()) == (False, [0, 1, 2, 3])


def test_ranks_that_disagree_are_told_apart(stream: str) -> None:
    with group(stream, 2) as (outs, reader):
        for out, dtype in zip(outs, ("i8", "f8"), strict=True):
            with out.step() as step:
                step.put("x", np.ones(2, dtype), offset=2 * out.rank, shape=4)
        with pytest.raises(staithe.Error, match="rank"):
            next(reader)


def test_ranks_put_arrays_of_as_many_dimensions(stream: str) -> None:
    with group(stream, 2) as (outs, reader):
        put(outs, np.zeros((2, 3)), np.arange(4.0))
        words = "disagree on the number of dimensions of 'x': rank 0 says 2, rank 1 says 1"
        with pytest.raises(staithe.InvalidArgument, match=words):
            next(reader)
