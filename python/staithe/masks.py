"""Masked arrays: what is masked must not go out as if it were data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidArgument


def has_mask(array: object) -> bool:
    """Whether it is a masked array, or a list of some: np.asarray would drop their masks without a word."""
    items = array if isinstance(array, list | tuple) else (array,)
    return any(isinstance(item, np.ma.MaskedArray) for item in items)


def filled(
    array: ArrayLike, fill: Any, what: str, advice: str = "give fill=VALUE, which then stands for them"
) -> tuple[NDArray[Any], Any]:
    """An array without a mask, and the plain value that stands in it for what was masked.

    Args:
        array: anything np.asarray takes.
        fill: that value; None if there is none.
        what: whose array it is, for messages.
        advice: what to do about elements that are masked.

    Raises:
        InvalidArgument: no array can be made of it; elements are masked and there is no fill, or it is no value of
            the array's dtype.
    """
    try:
        if isinstance(array, list | tuple) and has_mask(array):
            array = np.ma.stack([np.ma.asanyarray(item) for item in array])
        elements = np.asanyarray(array)
    except ValueError as error:
        raise InvalidArgument(f"{what} is no array, perhaps since its rows differ in length: {error}") from error
    if fill is not None:
        value = _of_dtype(fill, elements.dtype, what)
        plain = elements.filled(value) if isinstance(elements, np.ma.MaskedArray) else elements
        return plain, float(value.real) if value.dtype.kind in "fc" else value.item()
    if np.ma.is_masked(elements):
        masked = np.ma.getmaskarray(elements).sum()
        raise InvalidArgument(
            f"{what}: {masked} of its {elements.size} elements are masked, and masks are not "
            f"kept: {advice}, or hand over .data and .mask as two arrays"
        )
    return np.ma.getdata(elements), None


def _of_dtype(fill: Any, dtype: np.dtype[Any], what: str) -> Any:
    """The fill value as a scalar of that dtype. Rounded, if need be, but not another number."""
    given = np.asarray(fill)
    if given.ndim == 0 and given.dtype.kind in "biuf" and dtype.kind in "biufc":
        with np.errstate(all="ignore"):
            value = given.astype(dtype)[()]
        rounds = dtype.kind in "fc" and np.isfinite(value) == np.isfinite(given)
        if rounds or value.item() == given.item():
            return value
    raise InvalidArgument(f"{what}: fill={fill!r} is no value of its dtype, {dtype}")
