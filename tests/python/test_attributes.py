"""What attributes may hold, and as what it comes back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import staithe
from staithe.typing import Attribute


def round_trip(pair: Any, value: Attribute) -> Any:
    with pair.out.step() as step:
        step.attrs["a"] = value
    return next(pair.reader).attrs["a"]


@pytest.mark.parametrize(
    ("value", "back"),
    [
        (None, None),
        (True, True),
        (7, 7),
        (-(2**63), -(2**63)),
        (2**63 - 1, 2**63 - 1),
        (0.1, 0.1),
        ("größe", "größe"),
        ("a\0b", "a\0b"),
        ([], []),
        ((1, "a", [None]), [1, "a", [None]]),
        ({}, {}),
        ({"a": {"b": [1.5]}}, {"a": {"b": [1.5]}}),
        (np.int16(3), 3),
        (np.uint64(3), 3),
        (np.float32(0.5), 0.5),
        (np.float16(0.5), 0.5),
        (np.longdouble(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("s"), "s"),
        (np.array(2), 2),
        (np.array([1, 2]), [1, 2]),
        (np.array([1, 2], "f16"), [1.0, 2.0]),
        (np.array([[1.5], [2.5]]), [[1.5], [2.5]]),
        (np.array(["a"]), ["a"]),
        ({"a": np.float64(1)}, {"a": 1.0}),
    ],
)
def test_values(pair: Any, value: Any, back: Any) -> None:
    result = round_trip(pair, value)
    assert result == back
    assert type(result) is type(back)


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
def test_infinities(pair: Any, value: float) -> None:
    assert round_trip(pair, value) == value


def test_not_a_number(pair: Any) -> None:
    assert np.isnan(round_trip(pair, float("nan")))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (2**63, "64 bits"),
        (np.uint64(2**63), "64 bits"),
        (1j, "cannot be of type complex"),
        (np.complex64(1), "cannot be of type complex"),
        (np.clongdouble(1), "cannot be of type"),
        (b"bytes", "cannot be of type bytes"),
        (object(), "cannot be of type object"),
        ({1: 2}, "named by strings"),
        ([1, {"b": {2}}], "attribute 'a.b' cannot be of type set"),
        (np.array([object()]), "cannot be of type object"),
    ],
)
def test_what_no_attribute_can_hold(pair: Any, value: Any, message: str) -> None:
    with pair.out.step() as step, pytest.raises(staithe.InvalidArgument, match=message):
        step.attrs["a"] = value


def test_the_message_names_the_variable(pair: Any) -> None:
    with pair.out.step() as step:
        with pytest.raises(staithe.InvalidArgument, match="variable 'x': attribute 'a' cannot be of type bytes"):
            step.put("x", [1.0], attrs={"a": b"bytes"})
        with pytest.raises(staithe.InvalidArgument, match="variable 'y': attrs must be a dict"):
            step.loan("y", count=3, attrs=3)


def test_a_list_that_holds_itself_is_refused(pair: Any) -> None:
    value: list[Any] = []
    value.append(value)
    with pair.out.step() as step, pytest.raises(RecursionError):
        step.attrs["a"] = value


def test_attributes_of_the_stream(stream: str) -> None:
    attrs: Mapping[str, Attribute] = MappingProxyType({"units": "lj", "dt": np.float64(0.005), "box": np.arange(3)})
    with staithe.writer(stream, attrs=attrs) as out, staithe.reader(stream) as reader:
        assert reader.attrs == {"units": "lj", "dt": 0.005, "box": [0, 1, 2]}
        with pytest.raises(TypeError, match="does not support item assignment"):
            reader.attrs["units"] = "si"  # type: ignore[index]
        assert out.name == reader.name == stream


def test_what_was_read_is_handed_on_but_not_changed(pair: Any) -> None:
    with pair.out.step() as step:
        step.attrs["a"] = {"b": 1}
        step.put("x", 1, attrs={"c": [2]})
    read = next(pair.reader)
    for attrs in (read.attrs, read["x"].attrs):
        with pytest.raises(TypeError, match="does not support item assignment"):
            attrs["a"] = 1
        assert json.loads(json.dumps(dict(attrs))) == attrs
    with pair.out.step() as step:
        step.attrs.update(read.attrs)
        step.attrs["of x"] = read["x"].attrs
    assert next(pair.reader).attrs == {"a": {"b": 1}, "of x": {"c": [2]}}


_plain = st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | st.text()
_values = st.recursive(_plain, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@given(attrs=st.dictionaries(st.text(), _values))
def test_any_tree_of_plain_values_comes_back(attrs: dict[str, Any]) -> None:
    with staithe.writer("attributes") as out, staithe.reader("attributes") as reader:
        with out.step() as step:
            step.attrs.update(attrs)
        assert next(reader).attrs == attrs
