"""The other way round: a variable of a step as an xarray.Variable."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

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


class Stored:
    """A variable of a step, and what its attributes say of it. Any program may have written them."""

    def __init__(self, name: str, variable: Variable) -> None:
        self.name = name
        self.variable = variable
        self.attrs = dict(variable.attrs)
        self.is_text = (
            variable.dtype == np.uint8 and self.attrs.get("_Encoding") == "utf-8" and variable.shape[-1:] > (0,)
        )
        self.dims = self._dims()
        self.is_coordinate = self.dims == (name,)
        if self.attrs.get("coordinate") is True:
            del self.attrs["coordinate"]
            self.is_coordinate = True

    def _dims(self) -> tuple[str, ...]:
        ndim = self.variable.ndim
        names = self.attrs.get("dims")
        if isinstance(names, str):
            names = names.split()
        if isinstance(names, list) and len(names) == ndim == len({name for name in names if isinstance(name, str)}):
            del self.attrs["dims"]
        else:
            names = [f"{self.name}_dim_{axis}" for axis in range(ndim)]
        return tuple(names[: ndim - self.is_text])

    def decode(self, isel: Mapping[str, Any], *, decode_times: bool) -> xarray.Variable:
        """The selected elements, as they were put; without a copy where they lie in one block."""
        import xarray

        key = tuple(isel.get(dim, slice(None)) for dim in self.dims)
        dims = [dim for dim, item in zip(self.dims, key, strict=True) if isinstance(item, slice)]
        data = np.asarray(self.variable[(*key, ...)])
        attrs = dict(self.attrs)
        if self.is_text:
            del attrs["_Encoding"]
            data = _texts(data)
        unit = self.variable.unit
        if decode_times and self._is_time():
            for name in ("dtype", "calendar", "_FillValue"):
                attrs.pop(name, None)
            return xarray.Variable(dims, data.view(self.attrs["dtype"]), attrs)
        if unit:
            attrs["units"] = unit
        decoded = xarray.Variable(dims, data, attrs)
        return self._decode_dates(decoded) if decode_times and re.match(r"\w+ since -?\d", unit) else decoded

    def _is_time(self) -> bool:
        dtype = self.attrs.get("dtype")
        return (
            self.variable.dtype == np.int64
            and isinstance(dtype, str)
            and _UNITS_OF_TIMES.get(dtype) == self.variable.unit
        )

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


def _texts(characters: NDArray[np.uint8]) -> NDArray[Any]:
    width = characters.shape[-1]
    encoded = np.ascontiguousarray(characters).view(f"S{width}")
    return np.asarray(np.char.decode(encoded.reshape(characters.shape[:-1]), "utf-8"))
