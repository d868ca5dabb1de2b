"""Parts of variables, and variables merged into one, as NumPy has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import staithe
from thoroughness import examples

DTYPES = ("?", "i1", "i2", "i8", "u1", "u8", "f2", "f4", "f8", "f16", "c8", "c16")
Write = Callable[..., Any]


@pytest.fixture(scope="module")
def written() -> Iterator[Write]:
    """A function that gives a step of these arrays, each in two blocks if it is as long as that."""
    with staithe.writer("parts") as out, staithe.reader("parts") as steps:

        def write(**arrays: Any) -> Any:
            with out.step() as step:
                for name, array in arrays.items():
                    cut = len(array) // 3 if np.ndim(array) else 0
                    if cut == 0:
                        step.put(name, array)
                        continue
                    rest = (0,) * (array.ndim - 1)
                    step.put(name, array[:cut], offset=(0, *rest), shape=array.shape)
                    step.put(name, np.asfortranarray(array[cut:]), offset=(cut, *rest), shape=array.shape)
            return next(steps)

        yield write


def some(shape: tuple[int, ...], dtype: str = "f8", seed: int = 0) -> Any:
    return np.asarray(np.random.default_rng(seed).integers(0, 100, shape)).astype(dtype)


def text_of(index: Any) -> str:
    """As a program writes it."""

    def one(each: Any) -> str:
        if each is Ellipsis:
            return "..."
        if isinstance(each, slice):
            numbers = ["" if number is None else str(number) for number in (each.start, each.stop, each.step)]
            return ":".join(numbers[:2] if not numbers[2] else numbers)
        return str(each)

    return ", ".join(one(each) for each in (index if isinstance(index, tuple) else (index,)))


def forwards(index: Any) -> bool:
    each = index if isinstance(index, tuple) else (index,)
    return len(each) > 0 and all(not isinstance(one, slice) or (one.step or 1) > 0 for one in each)


def an_index(shape: tuple[int, ...]) -> st.SearchStrategy[Any]:
    return hnp.basic_indices(shape, allow_newaxis=True, max_dims=5).filter(forwards)


def assert_same(got: Any, wanted: Any) -> None:
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    np.testing.assert_array_equal(got[...], wanted)
    for block in got.blocks:
        place = tuple(slice(first, first + n) for first, n in zip(block.box.offset, block.box.count, strict=True))
        np.testing.assert_array_equal(block.data, wanted[place])


shapes = st.lists(st.integers(0, 9), min_size=1, max_size=4).map(tuple)


@settings(max_examples=examples(500))
@given(data=st.data(), dtype=st.sampled_from(DTYPES), shape=shapes)
def test_parts_are_what_numpy_selects(written: Write, data: st.DataObject, dtype: str, shape: tuple[int, ...]) -> None:
    """And parts of those; nothing is computed, so the dtype stays; what is read of them may go backwards."""
    array = some(shape, dtype, data.draw(st.integers(0, 99)))
    step = written(a=array)
    text = "a"
    for _ in range(data.draw(st.integers(1, 3))):
        if np.ndim(array) == 0:
            break
        index = data.draw(an_index(array.shape))
        text += f"[{text_of(index)}]"
        array = np.asarray(array[index])
    derived = step.derive(text)
    assert derived.name == text
    assert_same(derived, array)
    if array.ndim:
        key = data.draw(hnp.basic_indices(array.shape, allow_newaxis=False))
        np.testing.assert_array_equal(derived[key], array[key])


@settings(max_examples=examples(500))
@given(data=st.data(), shape=shapes)
def test_parts_of_what_is_computed(written: Write, data: st.DataObject, shape: tuple[int, ...]) -> None:
    """Of an expression, of definitions, side by side with others, broadcast before or after."""
    shapes_of = [
        tuple(1 if data.draw(st.integers(0, 3)) == 0 else n for n in shape)[data.draw(st.integers(0, 1)) :]
        for _ in range(2)
    ]
    a, b = (some(each, seed=i) for i, each in enumerate(shapes_of))
    both = a * b
    assume(both.ndim > 0)
    first, second = (data.draw(an_index(both.shape)) for _ in range(2))
    step = written(a=a, b=b)
    assert_same(step.derive(f"(a * b)[{text_of(first)}]"), np.asarray(both[first]))
    nested = np.asarray(both[first])
    if nested.ndim:
        third = data.draw(an_index(nested.shape))
        wanted = np.asarray((nested + 1)[third])
        assert_same(step.derive(f"((a * b)[{text_of(first)}] + 1)[{text_of(third)}]"), wanted)
    try:
        wanted = np.asarray(both[first] - both[second])
    except ValueError:
        return
    if wanted.ndim <= 8:
        assert_same(step.derive(f"(a * b)[{text_of(first)}] - (a * b)[{text_of(second)}]"), wanted)


def test_the_examples_of_the_guide(written: Write) -> None:
    v, t = some((30, 3)), some((20, 30), "f4")
    step = written(v=v, T=t)
    assert_same(step.derive("vx = v[..., 0]"), v[..., 0])
    wanted = np.sqrt(v[:, 0] ** 2 + v[:, 1] ** 2 + v[:, 2] ** 2)
    np.testing.assert_allclose(step.derive("sqrt(v[:, 0]**2 + v[:, 1]**2 + v[:, 2]**2)")[...], wanted)
    assert_same(step.derive("T[1:] - T[:-1]"), t[1:] - t[:-1])
    assert_same(step.derive("T[::4, ::4]"), t[::4, ::4])
    assert_same(step.derive("T[ -1 ]"), t[-1])
    assert_same(step.derive("sqrt(T)[::2] * T[::2][:, :1]"), np.sqrt(t)[::2] * t[::2][:, :1])
    assert step.derive("T[::4]").max() == t[::4].max()
    assert_same(step.derive("v[:, None, 0] + T[0, :]"), v[:, None, 0] + t[0, :])


def test_blocks_stay_where_they_are_as_far_as_they_are_left(written: Write) -> None:
    step = written(T=some((9, 4)))  # in blocks of 3 and 6 rows

    def boxes(text: str) -> list[Any]:
        return [(block.box.offset, block.box.count) for block in step.derive(text).blocks]

    assert boxes("T[1::2]") == [((0, 0), (1, 4)), ((1, 0), (3, 4))]
    assert boxes("T[5:, 0]") == [((0,), (4,))]
    assert boxes("T[2]") == [((0,), (4,))]
    assert boxes("T[:, None, 1:] * 2") == [((0, 0, 0), (3, 1, 3)), ((3, 0, 0), (6, 1, 3))]
    assert boxes("T[9:]") == [((0, 0), (0, 4))]
    assert boxes("concatenate(T, T[:2])") == [((0, 0), (3, 4)), ((3, 0), (6, 4)), ((9, 0), (2, 4))]
    assert boxes("stack(T, 2 * T[0], axis=1)") == [
        ((0, 0, 0), (3, 1, 4)),
        ((3, 0, 0), (6, 1, 4)),
        ((0, 1, 0), (9, 1, 4)),
    ]


def test_only_what_is_selected_is_read(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as steps:
        with out.step() as step:
            step.put("T", np.arange(4.0), offset=(0,), shape=(8,))  # nobody writes the others
        step = next(steps)
        assert step.derive("T[:4] + 1")[...].tolist() == [1, 2, 3, 4]
        assert step.derive("(T + 1)[::2]")[:2].tolist() == [1, 3]
        with pytest.raises(staithe.NotFound, match="no rank wrote 1 of the 1 elements"):
            step.derive("(T + 1)[::2]")[2]
        with pytest.raises(staithe.NotFound, match="no rank wrote 4 of the 4 elements"):
            step.derive("T[4:]")[...]


def test_parts_are_with_the_ranks_that_wrote_them(stream: str) -> None:
    outs = [staithe.writer(stream, group=(rank, 3)) for rank in range(3)]
    with staithe.reader(stream) as steps:
        for rank, out in enumerate(outs):
            with out.step() as step:
                step.put("T", np.full((2, 4), float(rank)), offset=(2 * rank, 0), shape=(6, 4))
        step = next(steps)
        assert [(block.rank, block.box.count) for block in step.derive("T[3:, 0]").blocks] == [(1, (1,)), (2, (2,))]
        assert [block.data.tolist() for block in step.derive("T[3:, 0]").read(share="process")] == [[1], [2, 2]]
        assert [block.rank for block in step.derive("concatenate(T[4:], T[:3])").blocks] == [0, 1, 2]
        assert step.derive("concatenate(T[4:], T[:3])")[:, 0].tolist() == [2, 2, 0, 0, 1]
    for out in outs:
        out.__exit__(ValueError, None, None)  # each would wait for the others to close


def test_local_arrays_by_their_own_shapes(stream: str) -> None:
    outs = [staithe.writer(stream, group=(rank, 3)) for rank in range(3)]
    positions = [some((2 * rank, 3), seed=rank) for rank in range(3)]
    with staithe.reader(stream, derive="x = positions[:, 0]; y = positions[:, 1]") as steps:
        for rank, out in enumerate(outs):
            with out.step() as step:
                step.put("positions", positions[rank])
                step.put("mass", np.full(2 * rank, 10.0))
        step = next(steps)

        def blocks(text: str) -> list[Any]:
            derived = step.derive(text)
            assert derived.local
            return [(block.rank, block.data) for block in derived.blocks]

        for text, of in {
            "x": lambda p, m: p[:, 0],
            "x * mass": lambda p, m: p[:, 0] * m,
            "positions[-2:]": lambda p, m: p[-2:],
            "positions - positions[:, :1]": lambda p, m: p - p[:, :1],
            "stack(x, y, mass, axis=-1)": lambda p, m: np.stack((p[:, 0], p[:, 1], m), axis=-1),
            "concatenate((x, 2 * mass[::2]))": lambda p, m: np.concatenate((p[:, 0], 2 * m[::2])),
        }.items():
            got = blocks(text)
            assert [rank for rank, _ in got] == [0, 1, 2]
            for (rank, block), p in zip(got, positions, strict=True):
                np.testing.assert_array_equal(block, of(p, np.full(2 * rank, 10.0)))
        for text, words in {
            "positions[0]": r"shape \(0, 3\), and no index 0 in dimension 0 \(the local arrays of rank 0\)",
            "positions * mass": r"do not go together \(the local arrays of rank 0\)",
            "stack(x, positions)": "they do not go together",
        }.items():
            with pytest.raises(staithe.InvalidArgument, match=words):
                step.derive(text)
    for out in outs:
        out.__exit__(ValueError, None, None)  # each would wait for the others to close


def test_names_of_dimensions_and_units(stream: str) -> None:
    with staithe.writer(stream) as out, staithe.reader(stream) as steps:
        with out.step() as step:
            step.put("v", some((4, 5, 3)), unit="m/s", attrs={"dims": ["y", "x", "of"], "why": "x"})
            step.put("T", some((4, 5)), attrs={"dims": "y x"})
        step = next(steps)
        for text, unit, dims in (
            ("v[..., 0]", "", ["y", "x"]),
            ("v [K] = v[0]", "K", ["x", "of"]),
            ("v[:, None]", "", None),
            ("T[:, 0] * v[0, 0, 0]", "", ["y"]),
            ("v[0, 0, 0]", "", None),
            ("concatenate(v[..., :2], v[..., 2:], axis=-1)", "", ["y", "x", "of"]),
            ("stack(T, T)", "", None),
        ):
            derived = step.derive(text)
            assert (derived.unit, dict(derived.attrs)) == (unit, {"dims": dims} if dims else {})


@settings(max_examples=examples(250))
@given(data=st.data(), shape=shapes, count=st.integers(1, 4))
def test_stacks_are_numpys(written: Write, data: st.DataObject, shape: tuple[int, ...], count: int) -> None:
    """But for what is broadcast first, as NumPy does not."""
    names = "abcd"[:count]
    arrays = {
        name: some(tuple(data.draw(st.sampled_from([1, n])) for n in shape), seed=i) for i, name in enumerate(names)
    }
    common = np.broadcast_shapes(*(array.shape for array in arrays.values()))
    axis = data.draw(st.integers(-len(shape) - 1, len(shape)))
    wanted = np.stack([2 * np.broadcast_to(array, common) for array in arrays.values()], axis=axis)
    parts = ", ".join(f"2 * {name}" for name in names)
    inner = f"({parts})" if data.draw(st.booleans()) and count > 1 else parts
    derived = written(**arrays).derive(f"stack({inner}, axis={axis})")
    assert_same(derived, wanted)
    key = data.draw(hnp.basic_indices(wanted.shape, allow_newaxis=False))
    np.testing.assert_array_equal(derived[key], wanted[key])
    np.testing.assert_array_equal(derived.reduce("sum", axis=0), wanted.sum(axis=0))


@settings(max_examples=examples(250))
@given(data=st.data(), shape=shapes, count=st.integers(1, 4))
def test_concatenations_are_numpys(written: Write, data: st.DataObject, shape: tuple[int, ...], count: int) -> None:
    axis = data.draw(st.integers(-len(shape), len(shape) - 1))
    arrays = {}
    for i, name in enumerate("abcd"[:count]):
        own = list(shape)
        own[axis] = data.draw(st.integers(1, 9))
        arrays[name] = some(tuple(own), data.draw(st.sampled_from(["i8", "f8"])), seed=i)
    wanted = np.concatenate([*arrays.values()], axis=axis)
    derived = written(**arrays).derive(f"x = concatenate({', '.join(arrays)}, axis={axis})")
    assert_same(derived, wanted)
    key = data.draw(hnp.basic_indices(wanted.shape, allow_newaxis=False))
    np.testing.assert_array_equal(derived[key], wanted[key])


def test_the_dtype_of_what_is_merged(written: Write) -> None:
    """What all have in common; else that which they would be computed in together."""
    step = written(i=some((5,), "i4"), j=some((5,), "i2"), f=some((5,), "f4"), h=some((5,), "f2"), t=some((5,), "?"))
    i, j, f = (step[name][...] for name in "ijf")
    for names, dtype in {"i, i": "i4", "i, j": "i8", "h, h": "f2", "h, f": "f4", "i, f": "f8", "t, j": "i8"}.items():
        derived = step.derive(f"stack({names})")
        assert derived.dtype == dtype
        np.testing.assert_array_equal(derived[...], np.stack([step[name][...] for name in names.split(", ")]))
    np.testing.assert_array_equal(step.derive("stack((i + j) / 2, f,)")[...], np.stack([(i + j) / 2, f]))
    np.testing.assert_array_equal(step.derive("stack((i, 0,), axis=1)")[...], np.stack([i, np.zeros(5, int)], axis=1))
    np.testing.assert_array_equal(step.derive("stack((i, 0))")[...], np.stack([i, np.zeros(5, int)]))


@pytest.mark.parametrize("name", ["steps.zarr", "steps.h5"])
def test_in_files(tmp_path: Path, name: str, stream: str) -> None:
    """Parts of steps are recorded, and parts of a recording are read."""
    t = some((200, 300))
    with (
        staithe.writer(stream) as out,
        staithe.reader(stream, derive="Ts = T[::4, ::4]; uv = stack(T[0], T[1])") as steps,
        staithe.Recorder(tmp_path / name, variables=["Ts", "uv"]) as recorder,
    ):
        with out.step() as step:
            step.put("T", t, attrs={"dims": ["y", "x"]})
        recorder.append(next(steps))
    with staithe.reader(str(tmp_path / name)) as steps:
        step = next(steps)
        np.testing.assert_array_equal(step["Ts"][...], t[::4, ::4])
        assert step["Ts"].attrs["dims"] == ["y", "x"]
        np.testing.assert_array_equal(step["uv"][...], t[:2])
        assert_same(step.derive("Ts[1:] - Ts[:-1]"), t[4::4, ::4] - t[:-4:4, ::4])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("T[20]", r"expression 'T\[20\]': 'T\[20\]': 'T' has the shape \(20, 5\), and no index 20 in dimension 0"),
        ("T[0, -6]", r"'T' has the shape \(20, 5\), and no index -6 in dimension 1"),
        ("2 * T[::2][10]", r"'T\[::2\]\[10\]': 'T\[::2\]' has the shape \(10, 5\), and no index 10"),
        ("T[0, 0, 0]", r"'T' has the shape \(20, 5\), fewer dimensions than the 3 that are selected from"),
        ("(T * 2)[0, 0, 0]", r"'\(T \* 2\)\[0, 0, 0\]': the whole has the shape \(20, 5\), fewer dimensions than"),
        ("T[..., ...]", "at character 2: '...' stands for all dimensions that are left, and only once"),
        ("T[::-1]", "at character 3: the step of '::-1' is -1: elements are taken forwards"),
        ("T[::0]", "the step of '::0' is 0"),
        ("T[1.5]", r"at character 3: '1.5' is no subscript: .* as in 'v \[m/s\] = 2 \* u'"),
        ("T[]", "at character 3: '' is no subscript"),
        ("T[1,,2]", "at character 5: '' is no subscript"),
        ("T[u]", "'u' is no subscript"),
        ("T[1:2:3:4]", "'1:2:3:4' is no subscript"),
        ("T[99999999999999999999]", "is no subscript"),
        ("T[0", "the bracket is never closed"),
        ("T[" + "0," * 30 + "]", "no array has as many dimensions"),
        ("T[" + "None," * 8 + "]", "no array has 10 dimensions"),
        ("T[1:] - T", r"'T\[1:\]' has the shape \(19, 5\), 'T' \(20, 5\): they do not go together"),
        ("T" + "[0:]" * 2000, "more than 1000 operations"),
        ("stack(T, T, axis [m]=1)", "'m' is no subscript"),
        ("2 * stack(T, T)", "is a variable of its own"),
        ("stack(T, T) + 1", "is a variable of its own"),
        ("stack(T, T)[0]", "is a variable of its own"),
        ("stack(stack(T, T), T)", "is a variable of its own"),
        ("stack()", "it merges 1 to 1000 arrays"),
        ("stack(" + "T," * 2000 + ")", "it merges 1 to 1000 arrays"),
        ("stack(T, T, axis=3)", "there is no axis 3 among 3 dimensions"),
        ("stack(T, T, axis=x)", "at character 18: an axis is a whole number"),
        ("stack(T, T, along=1)", "the only argument that has a name is axis"),
        ("stack((T, T) * axis=1)", r"at character 14: '\*' is not expected here"),
        ("stack((T, T) axis=1)", "'axis' is not expected here"),
        ("stack((T, T), T)", "at character 13: beside the arrays in parentheses there is only an axis"),
        ("stack(T, T[:3])", r"one has the shape \(20, 5\), another \(3, 5\)"),
        ("concatenate(T, T[0])", r"one has the shape \(20, 5\), another \(5\)"),
        ("concatenate(T[0, 0], T[0, 0])", "there is no axis 0 among 0 dimensions"),
        ("stack(1, 2)", "it names no variable"),
    ],
)
def test_what_is_wrong_is_said(written: Write, text: str, message: str) -> None:
    step = written(T=some((20, 5)))
    with pytest.raises(staithe.InvalidArgument, match=message) as error:
        step.derive(text)
    assert len(str(error.value)) < 600


def test_nothing_is_made_of_definitions_that_merge() -> None:
    with pytest.raises(staithe.InvalidArgument, match="by its name in later ones, nothing is computed of it"):
        staithe.reader("nobody writes this", derive="v = stack(a, b); w = v[0]", timeout=60)
