"""What streams and spaces hold of an xarray.Variable: numbers, a unit, and attributes that say what it was."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument
from .quantities import is_quantity, unit_of

if TYPE_CHECKING:
    import xarray

TICKS = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
"""The units of time that xarray has, as CF calls them."""

EPOCH = "1970-01-01"
NOT_A_TIME = -(2**63)  # as which NumPy keeps NaT


class Encoded(NamedTuple):
    """A variable as streams and spaces hold it."""

    data: Any  # what their `put` takes
    unit: str | None
    attrs: dict[str, Any]
    width: tuple[int, ...] = ()  # the lengths of dimensions that it has there alone


def encode(name: str, variable: xarray.Variable, *, is_coordinate: bool = False, unit: str | None = None) -> Encoded:
    """The variable as streams and spaces hold it; its numbers and times are not copied.

    Args:
        name: of the variable.
        variable: its data may be a quantity of pint.
        is_coordinate: whether it labels others.
        unit: given in addition: must agree with what the variable says of its unit.

    Raises:
        InvalidArgument: units differ, or an attribute has a name by which Staithe keeps what xarray knows.
    """
    what = f"variable {name!r}"
    if not all(isinstance(dim, str) for dim in variable.dims):
        raise InvalidArgument(f"{what}: its dimensions must be named by strings, not {variable.dims}")
    data, attrs = variable.data, dict(variable.attrs)
    encoded = _as_numbers(data.magnitude if is_quantity(data) else data)
    of_attrs = attrs.pop("units") if isinstance(attrs.get("units"), str) and attrs["units"] else None
    units = [said for said in (unit, of_attrs, encoded.unit) if said]
    if is_quantity(data):
        units = [unit_of(data, said, what) for said in units] or [unit_of(data, None, what)]
    elif len(set(units)) > 1:
        raise InvalidArgument(f"{what}: its unit is said to be {' and '.join(map(repr, units))}")
    own = encoded.attrs
    dims = [*variable.dims, *(f"string{length}" for length in encoded.width)]
    if dims:
        own["dims"] = dims
    if is_coordinate and variable.dims != (name,):
        own["coordinate"] = True
    if taken := sorted(attrs.keys() & own):
        raise InvalidArgument(
            f"{what}: by the attribute {taken[0]!r} Staithe keeps what xarray knows: give yours another name"
        )
    return encoded._replace(unit=units[0] if units else None, attrs=attrs | own)


def _as_numbers(data: Any) -> Encoded:
    kind = data.dtype.kind if isinstance(data.dtype, np.dtype) else "O"  # pandas has types of its own
    if kind in "mM":
        return _of_times(np.asarray(data))
    if kind in "UT" or (kind == "O" and all(isinstance(item, str) for item in np.asarray(data).flat)):
        return _of_texts(np.asarray(data, dtype="U"))
    if kind == "O" and data.size and type(np.asarray(data).flat[0]).__module__.startswith("cftime"):
        return _of_calendar(np.asarray(data))
    return Encoded(data, None, {})


def _of_times(times: NDArray[Any]) -> Encoded:
    """The same bytes as integers. The unit does not depend on the values: else it would change from step to step."""
    tick, _ = np.datetime_data(times.dtype)
    attrs = {"dtype": times.dtype.newbyteorder("=").name, "_FillValue": NOT_A_TIME}
    unit = TICKS[tick]
    if times.dtype.kind == "M":
        unit += f" since {EPOCH}"
        attrs["calendar"] = "proleptic_gregorian"
    return Encoded(times.astype(times.dtype.newbyteorder("="), copy=False).view("i8"), unit, attrs)


def _of_calendar(dates: NDArray[Any]) -> Encoded:
    """Dates of other calendars: what the package cftime has."""
    xarray = sys.modules["xarray"]
    encoding = {"units": f"microseconds since {EPOCH}", "dtype": np.dtype("i8")}
    flat = xarray.coders.CFDatetimeCoder().encode(xarray.Variable("all", dates.ravel(), encoding=encoding))
    return Encoded(flat.data.reshape(dates.shape), flat.attrs["units"], {"calendar": flat.attrs["calendar"]})


def _of_texts(texts: NDArray[Any]) -> Encoded:
    """UTF-8, filled up with zeros, as NetCDF files have characters."""
    encoded = np.asarray(np.char.encode(texts, "utf-8"))
    width = encoded.dtype.itemsize
    characters = np.ascontiguousarray(encoded).view("u1").reshape(*texts.shape, width)
    return Encoded(characters, None, {"_Encoding": "utf-8"}, (width,))
