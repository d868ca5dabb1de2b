"""Shares: every rank of a reader group gets its part without arithmetic, and all parts together are the whole."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import staithe


@contextlib.contextmanager
def variables(array: Any, cuts: list[int], ranks: int) -> Iterator[list[staithe.Variable]]:
    """The array, in blocks of the first dimension, as each rank of a reader group gets it."""
    with contextlib.ExitStack() as stack:
        out = stack.enter_context(staithe.writer("shares"))
        readers = [stack.enter_context(staithe.reader("shares", group=(rank, ranks))) for rank in range(ranks)]
        with out.step() as step:
            for first, last in zip([0, *cuts], [*cuts, len(array)], strict=True):
                step.put("x", array[first:last], offset=(first, *[0] * (array.ndim - 1)), shape=array.shape)
        yield [next(reader)["x"] for reader in readers]


@st.composite
def cases(draw: st.DrawFn) -> tuple[Any, list[int], int]:
    shape = draw(st.lists(st.integers(0, 7), min_size=1, max_size=4))
    cuts = sorted(draw(st.sets(st.integers(1, max(1, shape[0] - 1)), max_size=3))) if shape[0] > 1 else []
    return np.arange(np.prod(shape, dtype=int)).reshape(shape), cuts, draw(st.integers(1, 5))


@pytest.mark.parametrize("share", ["block", "count", "round"])
@given(case=cases())
def test_shares_cover_everything_exactly_once(share: Any, case: tuple[Any, list[int], int]) -> None:
    array, cuts, ranks = case
    with variables(array, cuts, ranks) as parts:
        seen = np.zeros(array.shape, int)
        for x in parts:
            part: Any = x.part(share)
            key = part.slices if isinstance(part, staithe.Box) else part
            seen[key] += 1
            np.testing.assert_array_equal(x.read(share=share), array[key])
            np.testing.assert_array_equal(x[part], array[key])
            out = np.empty_like(array[key])
            np.testing.assert_array_equal(x.read(share=share, out=out), array[key])
        assert (seen == 1).all()


@given(case=cases())
def test_counts_and_rounds_are_even(case: tuple[Any, list[int], int]) -> None:
    array, cuts, ranks = case
    with variables(array, cuts, ranks) as parts:
        for share in ("count", "round"):
            lengths = [len(x.read(share=share)) for x in parts]
            assert max(lengths) - min(lengths) <= 1
        rounds = [x.read(share="round") for x in parts]
        for rank, rows in enumerate(rounds):
            np.testing.assert_array_equal(rows, array[rank::ranks])


@given(writers=st.integers(1, 4), ranks=st.integers(1, 5), blocks=st.lists(st.integers(0, 2), min_size=4, max_size=4))
def test_whole_blocks_go_to_one_rank_each(writers: int, ranks: int, blocks: list[int]) -> None:
    with contextlib.ExitStack() as stack:
        outs = [stack.enter_context(staithe.writer("process", group=(rank, writers))) for rank in range(writers)]
        readers = [stack.enter_context(staithe.reader("process", group=(rank, ranks))) for rank in range(ranks)]
        expected = []
        for rank, out in enumerate(outs):
            with out.step() as step:
                for block in range(blocks[rank]):
                    step.put("x", [rank, block], offset=2 * block + 10 * rank, shape=100)
                    expected.append([rank, block])
        parts = [step["x"] for step in map(next, readers) if "x" in step]
        taken = [block for x in parts for block in x.read(share="process")]
        assert sorted(block.data.tolist() for block in taken) == expected
        assert all(block.data[0] == block.rank for block in taken)
        for x in parts:
            assert [block.box for block in x.part("process")] == [block.box for block in x.read(share="process")]
        # the ends are opened in turn by one thread: so are they closed
        stack.pop_all()
        for reader in readers:
            reader.close()
        for out in reversed(outs):
            out.__exit__(ValueError, None, None)


def test_a_rank_alone_gets_everything(pair: Any) -> None:
    x = pair.send(x=np.arange(5))["x"]
    for share in ("block", "count", "round"):
        assert x.part(share) == staithe.Box(0, 5)
        assert x.read(share=share).tolist() == [0, 1, 2, 3, 4]


def test_shares_that_cannot_be(pair: Any) -> None:
    x = pair.send(x=np.arange(5))["x"]
    with pytest.raises(staithe.InvalidArgument, match="no share 'rows'"):
        x.read(share="rows")
    with pytest.raises(staithe.InvalidArgument, match="not both"):
        x.read(slice(2), share="count")
    with pytest.raises(staithe.InvalidArgument, match="list of blocks"):
        x.read(share="process", out=np.zeros(5))
