"""A step as an xarray.Dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InvalidArgument
from ..names import some
from .decoding import Stored

if TYPE_CHECKING:
    import xarray

    from .._core import Step


def to_xarray(
    step: Step, names: str | Iterable[str] | None, isel: Mapping[str, Any] | None, decode_times: bool
) -> xarray.Dataset | xarray.DataArray:
    """What Step.to_xarray does."""
    import xarray

    wanted = list(step) if names is None else [names] if isinstance(names, str) else list(names)
    chosen = {name: labels_in(step, name) for name in wanted}
    if names is not None:
        chosen |= _coordinates_of(step, chosen)
    isel = isel or {}
    if lists := [dim for dim, item in isel.items() if not isinstance(item, slice) and np.ndim(item)]:
        raise InvalidArgument(f"isel takes slices and integers, not a list along {lists[0]!r}: index what was read")
    known = dict.fromkeys(dim for stored in chosen.values() for dim in stored.dims)
    if unknown := [dim for dim in isel if dim not in known]:
        raise InvalidArgument(f"there is no dimension {unknown[0]!r} to select along: there are {some(list(known))}")
    variables = {name: stored.decode(isel, decode_times=decode_times) for name, stored in chosen.items()}
    try:
        dataset = xarray.Dataset(
            {name: variable for name, variable in variables.items() if not chosen[name].is_coordinate},
            {name: variable for name, variable in variables.items() if chosen[name].is_coordinate},
            step.attrs,
        )
    except ValueError as error:
        raise InvalidArgument(
            f"step {step.index} makes no xarray.Dataset: {error}; name the variables that go together"
        ) from error
    return dataset[names] if isinstance(names, str) else dataset


def labels_in(step: Step, name: str, called: str | None = None) -> Stored:
    """A variable of a step, whose name may be another one in a Dataset."""
    variable = step[name]
    if variable.local and len(variable.blocks) > 1:
        raise InvalidArgument(
            f"variable {name!r} is several local arrays, which make no xarray.DataArray: name the variables that you "
            f"want, or take the arrays of [block.data for block in step[{name!r}].blocks]"
        )
    return Stored(called or name, variable)


def _coordinates_of(step: Step, chosen: Mapping[str, Stored]) -> dict[str, Stored]:
    """The coordinates along their dimensions, as xarray's dataset[[...]] has it."""
    dims = {dim for stored in chosen.values() for dim in stored.dims}
    others = {
        name: Stored(name, variable)
        for name, variable in step.items()
        if name not in chosen and not (variable.local and len(variable.blocks) > 1)
    }
    return {name: stored for name, stored in others.items() if stored.is_coordinate and dims.issuperset(stored.dims)}
