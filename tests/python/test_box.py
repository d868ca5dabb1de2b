from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import staithe


def test_a_box_selects_what_its_slices_select() -> None:
    box = staithe.Box((1, 2), (2, 3))
    array = np.arange(30).reshape(5, 6)
    assert box.slices == (slice(1, 3), slice(2, 5))
    assert array[box.slices].shape == box.count
    assert (box.ndim, box.size) == (2, 6)


def test_numbers_of_any_kind_are_taken() -> None:
    assert staithe.Box(3, np.int64(4)) == staithe.Box([3], (4,))
    assert staithe.Box(np.array([1, 2]), [3, 4]).offset == (1, 2)
    assert staithe.Box((), ()).size == 1


def test_a_box_is_a_value() -> None:
    box = staithe.Box((0,), (1,))
    assert {box: "found"}[staithe.Box(0, 1)] == "found"
    assert repr(box) == "Box(offset=(0,), count=(1,))"
    with pytest.raises(dataclasses.FrozenInstanceError):
        box.offset = (1,)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("offset", "count", "message"),
    [
        ((0,), (1, 2), "as many offsets as counts"),
        ((-1,), (1,), "no negative numbers"),
        ((0,), (-1,), "no negative numbers"),
        ((0.5,), (1,), "whole number"),
        ("ab", "cd", "whole number"),
    ],
)
def test_impossible_boxes_are_refused(offset: object, count: object, message: str) -> None:
    with pytest.raises(staithe.InvalidArgument, match=message):
        staithe.Box(offset, count)  # type: ignore[arg-type]
