"""The other way round: a variable of a step as an xarray.Variable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidArgument
from .encoding import EPOCH, TICKS

if TYPE_CHECKING:
    import xarray

    from .._core import Variable

_UNITS_OF_TIMES = {f"datetime64[{tick}]": f"{name} since {EPOCH}" for tick, name in TICKS.items()} | {
    f"timedelta64[{tick}]": name for tick, name in TICKS.items()
}


class Described(Protocol):
    """What is known of a variable of a step, or of a version of one of a space, before its elements are looked at."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of its elements."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Of the whole."""

    @property
    def unit(self) -> str:
        """Of its elements."""

    @property
    def attrs(self) -> Mapping[str, Any]:
        """Any program may have written them."""


class Labels:
    """What the attributes of a variable say of it."""

    def __init__(self, name: str, described: Described) -> None:
        self.name = name
        self.described = described
        self.attrs = dict(described.attrs)
        self.is_text = (
            described.dtype == np.uint8 and self.attrs.get("_Encoding") == "utf-8" and described.shape[-1:] > (0,)
        )
        self.dims = self._dims()
        self.is_coordinate = self.dims == (name,)
        if self.attrs.get("coordinate") is True:
            del self.attrs["coordinate"]
            self.is_coordinate = True

    def _dims(self) -> tuple[str, ...]:
        ndim = len(self.described.shape)
        names = self.attrs.get("dims")
        if isinstance(names, str):
            names = names.split()
        if isinstance(names, list) and len(names) == ndim == len({name for name in names if isinstance(name, str)}):
            del self.attrs["dims"]
        else:
            names = [f"{self.name}_dim_{axis}" for axis in range(ndim)]
        return tuple(names[: ndim - self.is_text])

    @property
    def is_time(self) -> bool:
        """Whether the elements are those of a NumPy array of times, as `encode` has put them."""
        dtype = self.described.attrs.get("dtype")
        return (
            self.described.dtype == np.int64
            and isinstance(dtype, str)
            and _UNITS_OF_TIMES.get(dtype) == self.described.unit
        )

    def attrs_of(self, *, decode_times: bool) -> dict[str, Any]:
        """Those of the xarray.Variable, whose texts are decoded."""
        attrs = dict(self.attrs)
        if self.is_text:
            del attrs["_Encoding"]
        if decode_times and self.is_time:
            for name in ("dtype", "calendar", "_FillValue"):
                attrs.pop(name, None)
        elif self.described.unit:
            attrs["units"] = self.described.unit
        return attrs


class Stored(Labels):
    """A variable of a step, with its elements."""

    def __init__(self, name: str, variable: Variable) -> None:
        super().__init__(name, variable)
        self.variable = variable

    def decode(self, isel: Mapping[str, Any], *, decode_times: bool) -> xarray.Variable:
        """The selected elements, as they were put; without a copy where they lie in one block."""
        import xarray

        key = tuple(isel.get(dim, slice(None)) for dim in self.dims)
        dims = [dim for dim, item in zip(self.dims, key, strict=True) if isinstance(item, slice)]
        data = np.asarray(self.variable[(*key, ...)])
        if self.is_text:
            data = texts_of(data)
        attrs = self.attrs_of(decode_times=decode_times)
        if decode_times and self.is_time:
            return xarray.Variable(dims, data.view(self.attrs["dtype"]), attrs)
        decoded = xarray.Variable(dims, data, attrs)
        is_date = decode_times and re.match(r"\w+ since -?\d", self.variable.unit)
        return self._decode_dates(decoded) if is_date else decoded

    def _decode_dates(self, variable: xarray.Variable) -> xarray.Variable:
        """As open_dataset does it, and copied: what another program wrote, or of another calendar."""
        import xarray

        try:
            decoded = xarray.conventions.decode_cf_variable(
                self.name, variable, mask_and_scale=False, decode_timedelta=False
            )
            return decoded.load()
        except ValueError as error:
            raise InvalidArgument(f"variable {self.name!r}: {error}; decode_times=False leaves it as it is") from error


def texts_of(characters: NDArray[Any]) -> NDArray[Any]:
    """Characters of UTF-8, along the last dimension, as texts."""
    width = characters.shape[-1]
    encoded = np.ascontiguousarray(characters).view(f"S{width}")
    return np.asarray(np.char.decode(encoded.reshape(characters.shape[:-1]), "utf-8"))
