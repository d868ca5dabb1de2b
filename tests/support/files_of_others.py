"""What files of other programs have, whatever their format, and what staithe.reader has to make of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import staithe

FIELD = np.arange(4 * 6 * 10, dtype="f4").reshape(4, 6, 10)


def check_steps(path: Path, expected: NDArray[Any], name: str = "T") -> None:
    """Each whole, and a part of it."""
    steps = 0
    for i, step in enumerate(staithe.reader(str(path))):
        np.testing.assert_array_equal(step[name].read(), expected[i])
        np.testing.assert_array_equal(step[name][1:5, ::3], expected[i][1:5, ::3])
        assert step[name].dtype == expected.dtype
        steps += 1
    assert steps == len(expected)
