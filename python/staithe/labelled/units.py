"""Variables in other units, by what pint knows of them."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument, NotFound
from ..names import printable

if TYPE_CHECKING:
    from .._core import Variable

# "m s-1", as the CF conventions write it.
_EXPONENT = re.compile(r"(?<=[A-Za-z])(?=[-+]?\d)")
# What lies between 0 and this does not get lost beside an offset.
_FAR = 100.0
# NaN, as expressions have it.
_NONE = "0.0 / 0.0"
# Of a factor, and of an offset: what is behind these digits comes of the way that it was computed.
_FACTOR, _OFFSET = ".15g", ".13g"


def conversion(variable: Variable, unit: str) -> str:
    """The text that derives a variable in that unit from one of its name, NaN where that has its fill value.

    Raises:
        NotFound: pint is not installed.
        InvalidArgument: the variable has no unit, or there is no such unit, or no factor and offset between the two.
    """
    try:
        import pint
    except ImportError as error:
        raise NotFound("units are converted by the package pint: pip install pint") from error
    name, own = variable.name, variable.unit
    shown = f"'{printable(name)}'"
    if not own:
        raise InvalidArgument(f"{shown} has no unit to convert from: give it one where it is put, as in unit='m/s'")
    quote = next((mark for mark in "'\"" if mark not in name), None)
    if quote is None:
        raise InvalidArgument(f"{shown} has both kinds of quotes in its name, which no expression can name")
    if "]" in unit or not unit.isprintable():
        raise InvalidArgument(f"'{printable(unit)}' is no unit: it has a bracket in it, or a control character")
    registry = pint.application_registry
    try:
        before, after = (_parsed(registry, text) for text in (own, unit))
        with np.errstate(all="ignore"):  # logarithms have no value at 0
            converted = [registry.Quantity(value, before).to(after).magnitude for value in (0.0, _FAR, 2 * _FAR)]
    except (pint.PintError, ValueError, TypeError) as error:
        raise InvalidArgument(
            f"{shown} has the unit '{printable(own)}', which cannot be converted to '{printable(unit)}': {error}"
        ) from error
    zero, far, farther = converted
    if not all(map(isfinite, converted)) or abs((farther - far) - (far - zero)) > 1e-9 * abs(far - zero):
        raise InvalidArgument(
            f"{shown} has the unit '{printable(own)}', which is none of '{printable(unit)}' by a factor and an offset"
        )
    factor, offset = float(format((far - zero) / _FAR, _FACTOR)), float(format(zero, _OFFSET))
    quoted = f"{quote}{name}{quote}"
    values = f"{quoted} * {factor!r}" + (f" + {offset!r}" if offset else "")
    fill = variable.attrs.get("_FillValue")
    if isinstance(fill, (int, float)):  # no value in any unit
        values = f"where({quoted} == {fill!r}, {_NONE}, {values})"
    return f"{quoted} [{unit}] = {values}"


def are_same(unit: str, other: str) -> bool:
    """Whether both texts mean the same unit, as far as pint knows; False where it is not installed."""
    try:
        import pint
    except ImportError:
        return False
    registry = pint.application_registry
    try:
        return bool(_parsed(registry, unit) == _parsed(registry, other))
    except (pint.PintError, ValueError, TypeError):
        return False


def _parsed(registry: Any, unit: str) -> Any:
    """The unit of a text. Raises ValueError if it is none: pint's own errors are of any kind, and some say nothing."""
    try:
        return registry.parse_units(unit)
    except Exception:
        try:
            return registry.parse_units(_EXPONENT.sub("**", unit))
        except Exception as error:
            raise ValueError(str(error) or f"pint makes no unit of '{printable(unit)}'") from error
