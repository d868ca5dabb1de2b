"""What `put` takes, and what it refuses. All dtypes, layouts and decompositions: test_properties.py."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import staithe


def test_values_that_are_no_numbers_come_bit_by_bit(stream: str) -> None:
    bits = np.array([0x7FF8000000000001, 0xFFF0000000000000, 0x7FF0000000000000, 1 << 63, 1, 0x7FF0000000000001], "u8")
    odd = np.tile(bits, 50).view("f8").reshape(20, 15)  # two kinds of NaN, infinities, -0.0, the smallest denormal
    with staithe.writer(stream) as out, staithe.reader(stream) as reader:
        with out.step() as step:
            step.put("whole", odd)
            step.put("strided", odd[::-1, ::2])
            with step.loan("lent", count=odd.shape, dtype="f8") as lent:
                lent.view("u8")[...] = odd.view("u8")
        step_in = next(reader)
        for name, expected in (("whole", odd), ("strided", odd[::-1, ::2]), ("lent", odd)):
            np.testing.assert_array_equal(step_in[name][...].copy().view("u8"), np.array(expected).view("u8"))


@pytest.mark.parametrize(
    ("given", "dtype", "shape"),
    [
        (3.5, "f8", ()),
        (7, "i8", ()),
        (True, "bool", ()),
        (1 + 2j, "c16", ()),
        (np.float16(0.5), "f2", ()),
        (np.longdouble(1) / 3, "f16", ()),
        ([1, 2, 3], "i8", (3,)),
        ([[1.0, 2.0], [3.0, 4.0]], "f8", (2, 2)),
        ([], "f8", (0,)),
        (np.zeros((0, 3), "u2"), "u2", (0, 3)),
        (memoryview(b"abc"), "u1", (3,)),
        (np.broadcast_to(np.float32(2), (2, 3)), "f4", (2, 3)),
        (np.ones((1,) * 8, "c32"), "c32", (1,) * 8),
    ],
)
def test_everything_that_asarray_takes(pair: Any, given: Any, dtype: str, shape: tuple[int, ...]) -> None:
    x = pair.send(x=given)["x"]
    assert (x.dtype, x.shape, x.ndim) == (np.dtype(dtype), shape, len(shape))
    np.testing.assert_array_equal(x[...], np.asarray(given))
    assert x[...].dtype == np.dtype(dtype)


def test_a_payload_that_was_put_is_decoded(pair: Any) -> None:
    array = np.arange(100.0)
    step = pair.send(c=staithe.codecs.encode(array))
    np.testing.assert_array_equal(staithe.codecs.decode(step["c"]), array)
    assert staithe.codecs.inspect(step["c"]).shape == (100,)


def test_an_array_may_change_once_it_was_put(pair: Any) -> None:
    array = np.arange(5)
    with pair.out.step() as step:
        step.put("x", array)
        array[:] = 0
    assert next(pair.reader)["x"][...].tolist() == [0, 1, 2, 3, 4]


def test_fortran_order_is_kept(pair: Any) -> None:
    array = np.asfortranarray(np.arange(12).reshape(3, 4))
    read = pair.send(x=array)["x"][...]
    np.testing.assert_array_equal(read, array)
    assert read.flags.f_contiguous


def test_units_and_attributes(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", [1.0], unit="sigma", attrs={"kind": "position", "axes": ["x"]})
        step.put("y", [1.0])
    step = next(pair.reader)
    assert (step["x"].unit, step["x"].attrs) == ("sigma", {"kind": "position", "axes": ["x"]})
    assert (step["y"].unit, step["y"].attrs) == ("", {})


def test_blocks_of_one_rank_make_up_a_variable(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", [0, 1, 2], offset=0, shape=5)
        step.put("x", [3, 4], offset=[3], shape=np.array([5]))
    x = next(pair.reader)["x"]
    assert x[...].tolist() == [0, 1, 2, 3, 4]
    assert [block.box for block in x.blocks] == [staithe.Box(0, 3), staithe.Box(3, 2)]
    assert [block.rank for block in x.blocks] == [0, 0]


def test_a_shape_alone_means_offset_zero(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", [[1, 2]], shape=(1, 2))
    assert next(pair.reader)["x"].blocks[0].box == staithe.Box((0, 0), (1, 2))


@pytest.mark.parametrize(
    ("array", "keywords", "message"),
    [
        (np.array(["a"]), {}, "text goes into attributes"),
        (np.array([object()]), {}, "numeric dtype"),
        (np.array(["2020"], "M8[s]"), {}, r"view\('i8'\)"),
        (np.zeros(2, [("a", "f8")]), {}, "put each field"),
        (np.zeros((1,) * 9), {}, "9 dimensions"),
        ([1, 2], {"offset": 0}, "needs the shape"),
        ([1, 2], {"offset": 4, "shape": 5}, "does not lie in"),
        ([1, 2], {"offset": (0, 0), "shape": (5, 5)}, "numbers of dimensions differ"),
        (np.ones((3, 3)), {"offset": 1, "shape": 10}, "numbers of dimensions differ"),
        (np.ones((3, 3)), {"offset": 1, "shape": (10, 10)}, "numbers of dimensions differ"),
        (None, {}, "variable 'x' would be None"),
        (None, {"fill": 0}, "variable 'x' would be None"),
        ([[1, 2], [3]], {}, "variable 'x' is no array, perhaps since its rows differ in length"),
        ([1, 2], {"offset": -1, "shape": 5}, "does not lie in"),
        ([1, 2], {"offset": 0.5, "shape": 5}, "offset must be a whole number"),
        ([1, 2], {"offset": 0, "shape": "x"}, "shape must be made of whole numbers"),
        ([1, 2], {"attrs": [1]}, "attrs must be a dict"),
    ],
)
def test_what_cannot_be_put(pair: Any, array: Any, keywords: dict[str, Any], message: str) -> None:
    with pair.out.step() as step:
        with pytest.raises(staithe.InvalidArgument, match=message):
            step.put("x", array, **keywords)
        step.put("y", 1)
    assert list(next(pair.reader)) == ["y"], "a refused put leaves the step as it was"


def test_a_variable_is_put_once(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", [1, 2])
        with pytest.raises(staithe.AlreadyExists, match="'x' was already put"):
            step.put("x", [1, 2])


def test_blocks_must_not_overlap_or_disagree(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", [1, 2], offset=0, shape=5)
        with pytest.raises(staithe.InvalidArgument, match="overlap"):
            step.put("x", [1, 2], offset=1, shape=5)
        with pytest.raises(staithe.InvalidArgument, match="in the same step"):
            step.put("x", [1, 2], offset=2, shape=6)
        with pytest.raises(staithe.InvalidArgument, match="in the same step"):
            step.put("x", [1.0, 2.0], offset=2, shape=5)


def test_wrong_types_of_arguments_are_type_errors(pair: Any) -> None:
    with pair.out.step() as step:
        with pytest.raises(TypeError):
            step.put(1, [1])
        with pytest.raises(TypeError):
            step.put("x", [1], (0,))
