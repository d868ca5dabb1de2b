"""Spaces, whoever keeps them: what is put is got, as a model in NumPy has it."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from space_servers import KEEPERS, OpenSpace, kept_by
from writer_servant import LAYOUTS, lay_out

import staithe
from staithe import Box

DTYPES = ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "f16", "c8", "c16", "c32")


@pytest.fixture(scope="module", params=KEEPERS)
def open_space(request: pytest.FixtureRequest) -> Iterator[OpenSpace]:
    with kept_by(request.param) as opened:
        yield opened


def random_bits(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    """An array of any values, among them NaNs of all kinds."""
    generator = np.random.default_rng(seed)
    if dtype == "?":
        return generator.integers(0, 2, shape).astype("?")
    count = int(np.prod(shape, dtype=int))
    return np.frombuffer(generator.bytes(count * np.dtype(dtype).itemsize), dtype).reshape(shape)


def same_bits(got: NDArray[Any], expected: NDArray[Any]) -> bool:
    return (got.dtype, got.shape) == (expected.dtype, expected.shape) and got.tobytes() == expected.tobytes()


@st.composite
def boxes(draw: st.DrawFn, shape: tuple[int, ...]) -> Box:
    """A box in the shape; often empty, often all of it."""
    if draw(st.integers(0, 3)) == 0:
        return Box([0] * len(shape), shape)
    ends = [sorted(draw(st.tuples(st.integers(0, length), st.integers(0, length)))) for length in shape]
    return Box([begin for begin, _ in ends], [end - begin for begin, end in ends])


def shapes(most: int = 4) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(0, 6), max_size=most).map(tuple)


class Model:
    """A version, as it should be."""

    def __init__(self, shape: tuple[int, ...], dtype: str) -> None:
        self.elements: Any = np.zeros(shape, dtype)
        self.known: Any = np.zeros(shape, bool)
        self.is_complete = False

    def put(self, box: Box, block: NDArray[Any]) -> None:
        self.elements[*box.slices, ...] = block
        self.known[*box.slices, ...] = True
        self.is_complete = bool(self.known.all())


@given(shape=shapes(), dtype=st.sampled_from(DTYPES), layout=st.sampled_from((*LAYOUTS, "broadcast")), data=st.data())
def test_what_is_put_is_got(
    open_space: OpenSpace, shape: tuple[int, ...], dtype: str, layout: str, data: st.DataObject
) -> None:
    array = random_bits(shape, dtype, data.draw(st.integers(0, 99)))
    if layout == "broadcast" and array.size:
        array = np.broadcast_to(array[:1] if shape else array, shape)
    with open_space() as space:
        assert space.put("x", array if layout == "broadcast" else lay_out(array, layout), unit="K", n=3) == 0
        [version] = space.versions("x")
        assert (version.number, version.complete, version.shape) == (0, True, shape)
        assert (version.dtype, version.unit, version.attrs) == (array.dtype, "K", {"n": 3})
        assert (version.blocks, version.nbytes) == (1, array.nbytes)
        got = space.get("x")
        assert same_bits(got, array)
        assert not got.flags.writeable
        box = data.draw(boxes(shape))
        assert same_bits(space.get("x", version=0, box=box), array[*box.slices, ...])


class Told:
    """A space, a model of it, and arrays that were got of it."""

    def __init__(self, space: staithe.Space, data: st.DataObject) -> None:
        self.space = space
        self.draw = data.draw
        self.models: dict[int, Model] = {}
        self.held: list[tuple[NDArray[Any], bytes]] = []

    def put(self, seed: int) -> None:
        number = self.draw(st.integers(-2, 2))
        model = self.models.get(number)
        if model is None:
            model = Model(self.draw(shapes()), self.draw(st.sampled_from(DTYPES)))
        shape = model.elements.shape
        box = self.draw(boxes(shape))
        block = random_bits(box.count, model.elements.dtype.str, seed)
        at: dict[str, Any] = {"offset": box.offset, "shape": shape, "version": number}
        if model.is_complete and block.size:  # nothing may always be added
            with pytest.raises(staithe.AlreadyExists, match=f"version {number} of 'x' is complete"):
                self.space.put("x", block, **at)
            return
        complete = self.draw(st.integers(0, 9)) == 0
        put = self.space.put("x", lay_out(block, self.draw(st.sampled_from(LAYOUTS))), complete=complete, **at)
        assert put == number
        if not model.is_complete:
            model.put(box, block)
            model.is_complete |= complete
        self.models[number] = model

    def get(self, _: int) -> None:
        complete = [number for number, model in self.models.items() if model.is_complete]
        number = self.draw(st.sampled_from(sorted({*self.models, 7})))
        latest = self.draw(st.booleans())
        found = max(complete, default=None) if latest else number if number in complete else None
        version: Any = "latest" if latest else number
        if found is None:
            with pytest.raises(staithe.Timeout):
                self.space.get("x", version=version, timeout=0)
            return
        model = self.models[found]
        box = self.draw(boxes(model.elements.shape))
        if not model.known[*box.slices, ...].all():
            with pytest.raises(staithe.NotFound, match=f"version {found} of 'x' is complete, but nobody has put"):
                self.space.get("x", version=version, box=box)
            return
        got = self.space.get("x", version=version, box=box)
        assert same_bits(got, model.elements[*box.slices, ...])
        self.held.append((got, got.tobytes()))

    def remove(self, _: int) -> None:
        number = self.draw(st.sampled_from(sorted({*self.models, 7})))
        if self.models.pop(number, None) is None:
            with pytest.raises(staithe.NotFound):
                self.space.remove("x", number)
        else:
            self.space.remove("x", number)

    def check(self) -> None:
        assert self.space.names() == (["x"] if self.models else [])
        listed = {version.number: version.complete for version in self.space.versions("x")} if self.models else {}
        assert listed == {number: model.is_complete for number, model in self.models.items()}
        assert [*listed] == sorted(listed)
        for array, content in self.held:
            assert array.tobytes() == content


@given(actions=st.lists(st.sampled_from(["put", "put", "put", "put", "get", "get", "remove"])), data=st.data())
def test_blocks_of_versions_in_any_order(open_space: OpenSpace, actions: list[str], data: st.DataObject) -> None:
    """Blocks lie over each other, versions are removed and new ones put: what is got, and was got, is right."""
    with open_space() as space:
        told = Told(space, data)
        for seed, action in enumerate(actions):
            getattr(told, action)(seed)
            told.check()


@given(
    names=st.sets(st.text("ab/é?[*", min_size=1, max_size=5), min_size=1, max_size=6),
    pattern=st.text("ab/é?*", max_size=6),
)
def test_names_are_listed_by_pattern(open_space: OpenSpace, names: set[str], pattern: str) -> None:
    with open_space() as space:
        for name in names:
            space.put(name, 0)
        assert space.names() == sorted(names)
        # Of fnmatch's signs these two are meant.
        assert space.names(pattern) == [name for name in sorted(names) if fnmatch.fnmatchcase(name, pattern)]


@pytest.mark.parametrize(
    "name", ["..", "/a", "a/b/c", " ", "Größe", "温度", "\N{ROCKET}", "x" * 4096, "a\nb", "'", "*"]
)
def test_a_variable_may_be_called_anything(open_space: OpenSpace, name: str) -> None:
    with open_space() as space:
        space.put(name, [1, 2])
        assert space.names() == [name]
        assert space.get(name).tolist() == [1, 2]
        space.remove(name)
        assert space.names() == []


@pytest.mark.parametrize("number", [0, -1, 2**62, 2**63 - 1, -(2**63)])
def test_versions_have_any_number(open_space: OpenSpace, number: int) -> None:
    with open_space() as space:
        assert space.put("x", number, version=number) == number
        assert space.get("x", version=number) == number
        assert [version.number for version in space.versions("x")] == [number]


def test_versions_are_counted_up(open_space: OpenSpace) -> None:
    with open_space() as space:
        assert [space.put("x", 0) for _ in range(3)] == [0, 1, 2]
        assert space.put("x", 0, version=10) == 10
        assert space.put("x", 0) == 11
        assert space.put("y", 0, version=-5) == -5
        assert space.put("y", 0) == -4


def test_an_array_outlives_version_variable_and_space(open_space: OpenSpace) -> None:
    space = open_space()
    array = np.arange(100_000)
    space.put("x", array)
    whole, part = space.get("x"), space.get("x", box=Box([10], [20]))
    space.remove("x")
    for i in range(20):  # would take the place of what is held
        space.put("y", np.full(100_000, -i))
        space.remove("y")
    space.close()
    np.testing.assert_array_equal(whole, array)
    np.testing.assert_array_equal(part, array[10:30])


def test_the_newest_complete_versions_are_kept(open_space: OpenSpace) -> None:
    def numbers() -> list[int]:
        return [version.number for version in space.versions("x")]

    with open_space() as space:
        space.keep("x", 3)
        space.put("x", [0], offset=0, shape=2, version=0)  # never complete, and goes all the same
        for version in range(1, 10):
            space.put("x", [version] * 2, version=version)
        space.put("x", [10], offset=0, shape=2, version=10)  # may yet be complete
        assert numbers() == [7, 8, 9, 10]
        held = space.get("x", version=7)
        for version in range(10, 20):
            space.put("x", [version] * 2, version=version)
        assert numbers()[-3:] == [17, 18, 19]
        assert held.tolist() == [7, 7]
        space.keep("x", 1)
        assert numbers()[-1] == 19
        assert 18 not in numbers()


def test_one_block_is_seen_where_it_lies(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", np.arange(12_000.0).reshape(30, 400))  # small ones come with the answer
        first, second = space.get("x"), space.get("x", box=Box([1, 1], [2, 2]))
        assert np.shares_memory(first, second)
        space.put("y", np.asfortranarray(np.arange(12.0).reshape(3, 4)))
        assert space.get("y").strides == (8, 24)


def test_what_belongs_to_one_version_is_put_together(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", [1], offset=0, shape=2, version=0, a=1, b="first")
        space.put("x", [2], offset=1, shape=2, version=0, unit="K", b="last")
        [version] = space.versions("x")
        assert (version.unit, version.attrs, version.blocks) == ("K", {"a": 1, "b": "last"}, 2)


def test_two_spaces_of_a_name_are_one_and_others_are_not(open_space: OpenSpace) -> None:
    with open_space() as space, open_space(space.name) as same, open_space() as other:
        space.put("x", 3)
        assert same.get("x") == 3
        assert other.names() == []
        space.close()
        assert same.get("x") == 3


@pytest.mark.parametrize("array", [np.arange(4, dtype=">f4"), np.array(3, ">i8"), np.array([1 + 2j], ">c16")])
def test_big_endian_arrays_come_as_those_of_the_machine(open_space: OpenSpace, array: Any) -> None:
    with open_space() as space:
        space.put("x", array)
        assert same_bits(space.get("x"), array.astype(array.dtype.newbyteorder("=")))


def test_a_forked_child_is_told_to_open_its_own(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", np.zeros(10), version=0)
        space.put("x", np.zeros(10), version=1)
        space.remove("x", 0)  # so that there is memory to be used again
        held = space.get("x")
        receiving, sending = os.pipe()
        if (child := os.fork()) == 0:
            try:
                space.put("x", np.ones(10))
            except staithe.PeerLost as error:
                os.write(sending, str(error).encode())
            os._exit(0)
        os.close(sending)
        assert b"this one was forked off: open the space in the child" in os.read(receiving, 1000)
        os.close(receiving)
        os.waitpid(child, 0)
        assert not held.any()
        space.put("x", np.full(10, 2.0))
        assert space.get("x").sum() == 20


@given(
    shape=shapes(),
    dtype=st.sampled_from(DTYPES),
    layout=st.sampled_from([each for each in LAYOUTS if each != "swapped"]),
    data=st.data(),
)
def test_what_is_put_is_got_into_an_array(
    open_space: OpenSpace, shape: tuple[int, ...], dtype: str, layout: str, data: st.DataObject
) -> None:
    """Of any layout, whole or a box of it, of one block or several."""
    array = random_bits(shape, dtype, data.draw(st.integers(0, 99)))
    with open_space() as space:
        if shape and shape[0] > 1:
            space.put("x", array[:1], offset=(0,) * len(shape), shape=shape, version=0)
            space.put("x", array[1:], offset=(1,) + (0,) * (len(shape) - 1), shape=shape, version=0)
        else:
            space.put("x", array, version=0)
        box = data.draw(boxes(shape))
        wanted = array[*box.slices, ...]
        out = lay_out(np.zeros_like(wanted), layout)
        assert space.get("x", box=box, out=out) is out
        assert out.tobytes() == wanted.tobytes()


def test_an_array_to_get_into_must_take_all(open_space: OpenSpace) -> None:
    with open_space() as space:
        space.put("x", np.arange(6).reshape(2, 3))
        wide = np.zeros((2, 3), np.float64)
        space.put("y", np.arange(6, dtype=np.int32).reshape(2, 3))
        assert space.get("y", out=wide).tolist() == [[0, 1, 2], [3, 4, 5]]
        for out, message in (
            (np.zeros((3, 2), np.int64), "shape"),
            (np.zeros(6, np.int64), "shape"),
            (np.zeros((2, 3), np.int32), "not all of it can be written as i4"),
            (np.zeros((2, 3), ">i8"), "byte order"),
            (np.broadcast_to(np.int64(0), (2, 3)), "read-only"),
        ):
            with pytest.raises(staithe.InvalidArgument, match=message):
                space.get("x", out=out)
        with pytest.raises(staithe.InvalidArgument):
            space.get("x", out=[[0, 0, 0], [0, 0, 0]])  # type: ignore[arg-type]
        with pytest.raises(staithe.Timeout):
            space.get("x", version=7, timeout=0, out=wide)
