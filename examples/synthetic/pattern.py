"""Values that follow from the variable, the step and the place in the whole array: any part can be checked.

The element at index i of the flattened array (in C order) is (i + 31 variable + 17 step) mod 127: a small
integer, exact in every dtype. Going along a dimension adds the same number modulo 127 everywhere, so what any
box holds is a strided view of one short ramp 0, 1, …, 126, 0, 1, …, and nothing is computed per element.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import DTypeLike, NDArray

PERIOD = 127


def phase(variable: int, step: int) -> int:
    """Where the values of this variable and step are in `patterns`."""
    return (31 * variable + 17 * step) % PERIOD


def patterns(shape: Sequence[int], part: Sequence[slice], dtype: DTypeLike) -> NDArray[Any]:
    """What `part` of an array of this shape holds in each phase: a read-only view of shape (127, *part's)."""
    picked = [range(*along.indices(length)) for along, length in zip(part, shape, strict=True)]
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    origin = sum(along.start * stride for along, stride in zip(picked, strides, strict=True)) % PERIOD
    counts = [len(along) for along in picked]
    hops = [along.step * stride % PERIOD for along, stride in zip(picked, strides, strict=True)]
    reach = sum(max(count - 1, 0) * hop for count, hop in zip(counts, hops, strict=True))
    values = ramp(reach + 2 * PERIOD, np.dtype(dtype))[origin:]
    return as_strided(values, (PERIOD, *counts), [values.itemsize * hop for hop in (1, *hops)], writeable=False)


@lru_cache(maxsize=8)
def ramp(length: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    return np.resize(np.arange(PERIOD).astype(dtype), length)
