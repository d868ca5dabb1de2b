"""Quantities of pint: numbers and their unit, which travels as a text."""

from __future__ import annotations

import sys
from typing import Any

from ..errors import InvalidArgument


def is_quantity(array: object) -> bool:
    """Whether it is one of pint's. A program that has none has not imported pint."""
    quantity = getattr(sys.modules.get("pint"), "Quantity", None)
    return quantity is not None and isinstance(array, quantity)


def unit_of(quantity: Any, unit: str | None, what: str) -> str:
    """The unit as a text that pint understands: `unit`, if it is given, else in full words.

    Raises:
        InvalidArgument: `unit` is another one.
    """
    if unit is None:
        return format(quantity.units, "D")  # whatever the registry's own format is
    try:
        same = type(quantity.units)(unit) == quantity.units
    except Exception:  # pint's errors are of any kind
        same = False
    if not same:
        raise InvalidArgument(f"{what}: its values are in {quantity.units:D}, not in {unit!r}: convert them by .to()")
    return unit
