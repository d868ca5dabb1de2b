"""Steps: numbers, attributes, what a step is as a mapping, abandoning, shapes that change."""

from __future__ import annotations

import gc
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import staithe


def test_a_step_is_a_mapping(pair: Any) -> None:
    step = pair.send(x=1, y=[2.0])
    assert isinstance(step, Mapping)
    assert (list(step), len(step)) == (["x", "y"], 2)
    assert "x" in step
    assert "z" not in step
    assert 1 not in step
    assert list(step.keys()) == ["x", "y"]
    assert [name for name, variable in step.items() if variable.ndim] == ["y"]
    assert [variable.name for variable in step.values()] == ["x", "y"]
    assert step.get("x") is step["x"]
    assert step.get("z") is None
    assert step.get("z", 3) == 3
    assert dict(step) == {"x": step["x"], "y": step["y"]}


def test_steps_are_numbered(pair: Any) -> None:
    assert [pair.send(x=i).index for i in range(4)] == [0, 1, 2, 3]


def test_an_empty_step_is_a_step(pair: Any) -> None:
    step = pair.send()
    assert (len(step), step.attrs, step.index) == (0, {}, 0)


def test_attributes_of_a_step(pair: Any) -> None:
    with pair.out.step() as step:
        step.attrs["time"] = 0.5
        step.attrs["time"] = 0.75
        step.attrs.update({"kind": "melt", "n": np.int32(3)})
    assert next(pair.reader).attrs == {"time": 0.75, "kind": "melt", "n": 3}
    assert pair.send().attrs == {}


def test_an_exception_abandons_the_step(pair: Any) -> None:
    def fail(step: staithe.WriteStep) -> None:
        with step:
            step.put("x", 1)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail(pair.out.step())
    step = pair.send(x=2)
    assert (step.index, step["x"][...]) == (1, 2), "the number of an abandoned step is not used again"


def test_ending_and_abandoning_by_hand(pair: Any) -> None:
    step = pair.out.step()
    step.put("x", 1)
    step.end()
    assert next(pair.reader)["x"][()] == 1
    step = pair.out.step()
    step.abandon()
    with pytest.raises(staithe.Closed, match=r"step 1 .* is over"):
        step.end()
    with pytest.raises(staithe.Closed):
        step.abandon()
    with pytest.raises(staithe.Closed):
        step.put("x", 1)
    with pytest.raises(staithe.Closed):
        step.attrs["a"] = 1
    assert step.index == 1
    assert "over" in repr(step)
    with pair.out.step() as step:
        step.end()
    with pair.out.step() as step:
        step.abandon()
    assert next(pair.reader).index == 2


def test_a_forgotten_step_is_abandoned(pair: Any) -> None:
    step = pair.out.step()
    step.put("x", 1)
    del step
    assert pair.send(x=2).index == 1


def test_one_step_at_a_time(pair: Any) -> None:
    with pair.out.step(), pytest.raises(staithe.InvalidArgument, match="end or abandon step 0"):
        pair.out.step()


def test_shapes_dtypes_and_variables_change_from_step_to_step(pair: Any) -> None:
    arrays = [np.arange(6).reshape(2, 3), np.zeros((0, 4), "f4"), np.ones(3, "c8"), np.array(True), np.ones((2, 2))]
    for repeat in range(2):
        for i, array in enumerate(arrays):
            step = pair.send(**{"x": array, f"only{i}": array})
            np.testing.assert_array_equal(step["x"][...], array)
            assert step["x"].dtype == array.dtype
            assert list(step) == ["x", f"only{i}"], repeat


def test_a_thousand_variables(pair: Any) -> None:
    names = [f"variable {i}" for i in range(1000)]
    for offset in range(3):
        step = pair.send(**{name: np.arange(i, i + 5) + offset for i, name in enumerate(names)})
        assert list(step) == names
        assert all(step[name][0] == i + offset for i, name in enumerate(names))


def test_names_are_unicode(pair: Any) -> None:
    step = pair.send(größe=1, 温度=2)
    assert list(step) == ["größe", "温度"]
    assert step["温度"][()] == 2


def test_steps_leave_nothing_behind(pair: Any) -> None:
    array = np.arange(100.0)

    def work() -> None:
        for i in range(300):
            with pair.out.step() as step:
                step.attrs["i"] = i
                step.put("x", array, unit="m", attrs={"a": [1, "b"]})
                step.put("y", array[::2], offset=50, shape=100)
                with step.loan("v", count=10) as v:
                    v[...] = i
                with pytest.raises(staithe.InvalidArgument):
                    step.put("z", "text")
            read = next(pair.reader)
            assert read["x"][...].sum() == read["x"][::-1].sum()
            assert read["x"].read(out=np.empty(100))[3] == read["x"][3] == 3
            assert (read["x"].attrs, read.attrs, len(read["y"].blocks)) == ({"a": [1, "b"]}, {"i": i}, 1)

    work()
    gc.collect()
    before = sys.getallocatedblocks()
    work()
    gc.collect()
    assert sys.getallocatedblocks() - before < 150
