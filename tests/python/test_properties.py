"""Whatever writers put, in whatever pieces, readers read what NumPy has: drawn at random, between processes.

A *plan* is a global array per step and how it is cut into blocks, laid out in memory and dealt to writer ranks. It is
carried out by writer processes (conftest.Servant) or, as a quicker variant, by threads of this process. Selections of
what arrives are compared with the same selections of the array.
"""

from __future__ import annotations

import contextlib
import itertools
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from writer_servant import LAYOUTS, Put, write

import staithe
from thoroughness import examples

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")
MOST_WRITERS = 4
Run = Callable[[str, "Plan"], contextlib.AbstractContextManager[None]]
_numbers = itertools.count()


@dataclass
class Plan:
    """What each step holds, and the puts of each rank that bring it there."""

    arrays: list[NDArray[Any]]
    keys: list[list[Any]]  # by step: what to select from it
    puts: list[list[list[Put]]]  # by rank, step
    options: dict[str, Any]

    @property
    def writers(self) -> int:
        return len(self.puts)


def values(shape: tuple[int, ...], dtype: str, seed: int) -> NDArray[Any]:
    """An array in which neighbours differ."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind == "b":
        return generator.integers(0, 2, shape).astype(dtype)
    if kind in "iu":
        info = np.iinfo(dtype)
        return generator.integers(info.min, info.max, shape, dtype, endpoint=True)
    real = generator.standard_normal(shape).astype(dtype)
    return real + 1j * real[::-1] if kind == "c" and shape else real


@st.composite
def shapes(draw: st.DrawFn) -> tuple[int, ...]:
    ndim = draw(st.integers(0, 8))
    longest = {0: 1, 1: 40, 2: 12, 3: 8, 4: 5}.get(ndim, 3)
    return tuple(draw(st.lists(st.integers(0, longest), min_size=ndim, max_size=ndim)))


@st.composite
def decompositions(draw: st.DrawFn, shape: tuple[int, ...]) -> list[staithe.Box]:
    """Boxes that cover the shape: it is cut in two, then one of the pieces, and so on; some pieces are empty."""
    boxes = [staithe.Box([0] * len(shape), shape)]
    if shape:
        for _ in range(draw(st.integers(0, 6))):
            box = boxes.pop(draw(st.integers(0, len(boxes) - 1)))
            axis = draw(st.integers(0, len(shape) - 1))
            at = draw(st.integers(0, box.count[axis]))
            low, high, rest = list(box.count), list(box.count), list(box.offset)
            low[axis], high[axis], rest[axis] = at, box.count[axis] - at, box.offset[axis] + at
            boxes += [staithe.Box(box.offset, low), staithe.Box(rest, high)]
    return list(dict.fromkeys(boxes))


@st.composite
def keys(draw: st.DrawFn, shape: tuple[int, ...]) -> Any:
    """A basic index into an array of that shape."""
    items: list[Any] = []
    for length in shape[: draw(st.integers(0, len(shape)))]:
        if length and draw(st.integers(0, 3)) == 0:
            items.append(draw(st.integers(-length, length - 1)))
        else:
            items.append(draw(st.slices(length)))
    if draw(st.booleans()):
        position = draw(st.integers(0, len(items)))
        tail = items[position:]
        if len(items) == len(shape) or not tail:
            items.insert(position, ...)
    return tuple(items) if len(items) != 1 or draw(st.booleans()) else items[0]


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    writers = draw(st.integers(1, MOST_WRITERS))
    same = draw(st.booleans())  # most programs write the same shapes in every step: readers have a quick way for it
    arrays: list[NDArray[Any]] = []
    puts: list[list[list[Put]]] = [[] for _ in range(writers)]
    deal: list[tuple[staithe.Box, int, str]] = []
    shape, dtype = draw(shapes()), draw(st.sampled_from(DTYPES))
    array: Any
    for number in range(draw(st.integers(1, 4))):
        if number == 0 or not same:
            shape, dtype = (shape, dtype) if number == 0 else (draw(shapes()), draw(st.sampled_from(DTYPES)))
            deal = [
                (box, draw(st.integers(0, writers - 1)), draw(st.sampled_from((*LAYOUTS, "loan"))))
                for box in draw(decompositions(shape))
            ]
        array = values(shape, dtype, number)
        arrays.append(array)
        for rank in range(writers):
            puts[rank].append(
                [
                    ("x", array[*box.slices, ...], layout, {"offset": box.offset, "shape": shape})
                    for box, owner, layout in deal
                    if owner == rank
                ]
            )
    options = {"queue_steps": draw(st.integers(1, 5)), "reserve": draw(st.sampled_from((None, 4096)))}
    # Drawn ahead: an example that Hypothesis gives up in the middle would leave writers waiting for their reader.
    selections = [draw(st.lists(keys(array.shape), min_size=3, max_size=3)) for array in arrays]
    return Plan(arrays, selections, puts, options)


@pytest.fixture(scope="module")
def in_processes(servants: Callable[[int], list[Any]]) -> Run:
    @contextlib.contextmanager
    def run(stream: str, plan: Plan) -> Iterator[None]:
        hired = servants(plan.writers)
        for rank, servant in enumerate(hired):
            servant.order(stream, (rank, plan.writers), plan.options, plan.puts[rank])
        try:
            yield
        finally:
            failures = [servant.failure() for servant in hired]  # all of them, or the next task gets the rest
        assert failures == [None] * plan.writers

    return run


@contextlib.contextmanager
def in_threads(stream: str, plan: Plan) -> Iterator[None]:
    def work(rank: int) -> None:
        write(stream, (rank, plan.writers), plan.options, plan.puts[rank])

    threads = [threading.Thread(target=work, args=(rank,)) for rank in range(plan.writers)]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for thread in threads:
            thread.join()


def check_equal(result: Any, expected: Any) -> None:
    assert type(result) is type(expected)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_array_equal(result, expected)


def check_plan(run: Run, plan: Plan) -> None:
    stream = f"property-{next(_numbers)}"
    with run(stream, plan), staithe.reader(stream) as reader:
        for array, selections, step in zip(plan.arrays, plan.keys, reader, strict=True):
            check_variable(step["x"], array, selections)


def check_variable(x: staithe.Variable, array: Any, selections: list[Any]) -> None:
    assert (x.shape, x.dtype, x.local) == (array.shape, array.dtype, False)
    check_equal(x[...], array)
    for block in x.blocks:
        check_equal(block.data, array[*block.box.slices, ...])
    for key in selections:
        check_equal(x[key], array[key])
        expected = np.asarray(array[key])
        for out in (np.zeros_like(expected, order="F"), np.zeros((*expected.shape, 2), expected.dtype)[..., 0]):
            check_equal(x.read(key, out=out), expected)


@settings(max_examples=examples(400))
@given(plan=plans())
def test_selections_between_processes(in_processes: Run, plan: Plan) -> None:
    check_plan(in_processes, plan)


@settings(max_examples=examples(400))
@given(plan=plans())
def test_selections_between_threads(plan: Plan) -> None:
    check_plan(in_threads, plan)


@settings(max_examples=examples(150))
@given(plan=plans(), ranks=st.integers(2, 4))
def test_every_rank_of_every_group_gets_every_step(in_processes: Run, plan: Plan, ranks: int) -> None:
    stream = f"property-{next(_numbers)}"
    plan.options["readers"] = 2
    with run_groups(in_processes, stream, plan, ranks) as groups:
        for array in plan.arrays:
            for group in groups:
                steps = [next(reader) for reader in group]
                for share in ("block", "count") if array.ndim else ():
                    seen = np.zeros(array.shape, int)
                    for step in steps:
                        box = step["x"].part(share)
                        check_equal(step["x"].read(share=share), array[box.slices])
                        seen[box.slices] += 1
                    assert (seen == 1).all()
                taken = [block.box for step in steps for block in step["x"].read(share="process")]
                assert sorted(taken, key=repr) == sorted((b.box for b in steps[0]["x"].blocks), key=repr)
                for step in steps:
                    step.release()  # one thread reads for all: who comes last must find the next step
        for group in groups:
            assert [reader.next() for reader in group] == [None] * len(group)


@contextlib.contextmanager
def run_groups(run: Run, stream: str, plan: Plan, ranks: int) -> Iterator[list[list[staithe.Reader]]]:
    """A group of so many ranks, and one of a single rank."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(run(stream, plan))
        yield [
            [
                stack.enter_context(staithe.reader(stream, group=(rank, size), program=f"group of {size}"))
                for rank in range(size)
            ]
            for size in (ranks, 1)
        ]
