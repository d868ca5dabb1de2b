"""Values that follow from the variable, the step and the place in the whole array: anyone can check any part.

The element at index i of the flattened array (C order) is (i + 31 variable + 17 step) mod 127: a small integer,
exact in every dtype. Nothing is computed per element. What a box holds is a strided view of one short ramp 0, 1, …,
126, 0, …, since a step along a dimension adds the same number modulo 127 everywhere.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import DTypeLike, NDArray

PERIOD = 127


@lru_cache
def ramp(length: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    return (np.arange(length) % PERIOD).astype(dtype)


def values(variable: int, step: int, shape: Sequence[int], part: Sequence[slice], dtype: DTypeLike) -> NDArray[Any]:
    """What `part` of a variable of this shape holds at a step; read-only."""
    picked = [range(*along.indices(length)) for along, length in zip(part, shape, strict=True)]
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    start = sum(along.start * stride for along, stride in zip(picked, strides, strict=True))
    hops = [along.step * stride % PERIOD for along, stride in zip(picked, strides, strict=True)]
    counts = [len(along) for along in picked]
    phase = (start + 31 * variable + 17 * step) % PERIOD
    reach = sum((count - 1) * hop for count, hop in zip(counts, hops, strict=True))
    ...
