"""Histograms that are counted where the elements lie."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any, SupportsIndex, cast

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidArgument


def histogram_of(
    variable: str,
    reduce: Callable[[str], Any],
    reduce_all: Callable[[str], Any],
    is_empty: bool,
    bins: object,
    bounds: object,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The counts of the bins, and the values between which they lie.

    Args:
        variable: its name, for messages.
        reduce: makes the reduction of that text.
        reduce_all: the same, along all dimensions.
        is_empty: whether there are no elements.
        bins: how many.
        bounds: the least and greatest value of all bins; None: of the elements.

    Raises:
        InvalidArgument: such bins cannot be had.
    """
    count = _whole_number(bins)
    if count is None:
        raise InvalidArgument(
            f"variable '{variable}': bins={bins!r}: give how many, of equal width. For others derive what has equal "
            f'ones, as step.derive("log10({variable})"), or take np.histogram of the array'
        )
    least, greatest = _bounds_of_elements(variable, reduce_all, is_empty) if bounds is None else _pair(variable, bounds)
    if least == greatest:  # as np.histogram
        least, greatest = least - 0.5, greatest + 0.5
    counts = reduce(f"histogram({count}, {least!r}, {greatest!r})")
    return counts, np.linspace(least, greatest, count + 1)


def _whole_number(bins: object) -> int | None:
    try:
        return None if isinstance(bins, (bool, np.bool_)) else operator.index(cast("SupportsIndex", bins))
    except TypeError:
        return None


def _bounds_of_elements(variable: str, reduce: Callable[[str], Any], is_empty: bool) -> tuple[float, float]:
    if is_empty:  # as np.histogram
        return 0.0, 1.0
    least, greatest = float(reduce("min")), float(reduce("max"))
    if not (math.isfinite(least) and math.isfinite(greatest)):
        raise InvalidArgument(
            f"variable '{variable}' has elements from {least} to {greatest}, between which no bins are: say between "
            "which values, range=(least, greatest)"
        )
    return least, greatest


def _pair(variable: str, bounds: object) -> tuple[float, float]:
    try:
        least, greatest = map(float, cast("Any", bounds))
    except (TypeError, ValueError) as error:
        raise InvalidArgument(
            f"variable '{variable}': range={bounds!r}: give the least and greatest value of all bins"
        ) from error
    return least, greatest
