"""Views: without a copy, read-only, and alive as long as someone holds them."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest

import staithe


def test_what_lies_in_one_block_is_a_view(pair: Any) -> None:
    x = pair.send(x=np.arange(100.0).reshape(10, 10))["x"]
    whole = x[...]
    assert np.shares_memory(whole, x[2:4, ::-1])
    assert np.shares_memory(whole, x[3])
    assert np.shares_memory(whole, x.blocks[0].data)
    assert np.shares_memory(whole, x.read(share="process")[0].data)
    assert not whole.flags.owndata
    assert whole.base is not None


def test_what_lies_in_several_blocks_is_a_new_array(pair: Any) -> None:
    with pair.out.step() as step:
        step.put("x", [0, 1], offset=0, shape=4)
        step.put("x", [2, 3], offset=2, shape=4)
    x = next(pair.reader)["x"]
    whole = x[...]
    assert whole.flags.owndata
    assert not x[2:].flags.owndata, "this part lies in one block"


def test_a_view_cannot_be_written_to(pair: Any) -> None:
    view = pair.send(x=np.arange(4))["x"][...]
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.flags.writeable = True
    with pytest.raises(ValueError, match="WRITEABLE"):
        view[1:].flags.writeable = True


def test_a_view_outlives_step_reader_writer_and_stream(stream: str) -> None:
    out = staithe.writer(stream)
    reader = staithe.reader(stream)
    expected = np.arange(100_000.0)
    with out.step() as step:
        step.put("x", expected)
    view = next(reader)["x"][10:]
    part = view[::7]
    del view, step
    reader.close()
    out.close()
    del reader, out
    gc.collect()
    with staithe.writer(stream) as again, staithe.reader(stream) as other:
        for _ in range(3):
            with again.step() as step:
                step.put("x", np.zeros(100_000))
            assert next(other)["x"][0] == 0
        np.testing.assert_array_equal(part, expected[10::7])


def test_views_keep_their_values_while_the_writer_goes_on(pair: Any) -> None:
    kept = []
    for i in range(6):
        kept.append(pair.send(x=np.full(1000, i))["x"][...])
    assert pair.reader.stats()["pinned"] == 6
    assert [view.mean() for view in kept] == list(range(6))
    kept.clear()
    pair.send(x=0).release()
    assert pair.reader.stats()["pinned"] == 0


def test_a_step_is_released_by_the_next_one(pair: Any) -> None:
    first = pair.send(x=[1, 2])
    x = first["x"]
    block = x.blocks[0]
    pair.send(x=[3, 4])
    for touch in (
        lambda: first["x"],
        lambda: first.attrs,
        lambda: len(first),
        lambda: x[...],
        lambda: x.shape,
        lambda: block.data,
    ):
        with pytest.raises(staithe.Closed, match="released"):
            touch()
    assert "released" in repr(first)
    assert "released" in repr(x)
    assert first.index == 0
    assert pair.reader.stats()["pinned"] == 1


def test_a_step_can_be_released_early(pair: Any) -> None:
    step = pair.send(x=[1, 2])
    view = step["x"][...]
    step.release()
    step.release()
    assert view.tolist() == [1, 2]
    with pytest.raises(staithe.Closed):
        step["x"]


def test_names_and_objects_of_variables(pair: Any) -> None:
    step = pair.send(x=1, y=2)
    assert step["x"] is step["x"]
    assert step["x"].name == "x"
    with pytest.raises(staithe.NotFound, match="no variable 'z'; it has 'x', 'y'"):
        step["z"]


@pytest.mark.parametrize("blocks", [1, 4])
def test_what_a_selection_gives_is_read_only_whatever_the_decomposition(pair: Any, blocks: int) -> None:
    array = np.arange(40.0).reshape(8, 5)
    with pair.out.step() as step:
        for first in range(0, 8, 8 // blocks):
            step.put("x", array[first : first + 8 // blocks], offset=(first, 0), shape=array.shape)
    x = next(pair.reader)["x"]
    keys: list[Any] = [..., slice(None, None, 2), (slice(None), 3), 0, staithe.Box((1, 1), (6, 2)), (0, 0, ...)]
    given = [x[key] for key in keys] + [x.read(), x.read(share="block"), np.asarray(x), next(iter(x)), x.__array__()]
    for selection in given:
        assert not selection.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            selection += 1
    mine = np.empty_like(array)
    for own in (x.read(out=mine), x[...].copy(), np.array(x), np.array(x, "f4"), x.__array__(copy=True)):
        own += 1
        np.testing.assert_array_equal(own, array + 1)
    np.testing.assert_array_equal(x[...], array)
    with pytest.raises(staithe.InvalidArgument, match=r"read-only.*\.copy\(\)"):
        x.read(np.s_[0], out=x[0])
