"""Puts arrays that know their dimensions and units, and the coordinates that they come with."""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import AlreadyExists, InvalidArgument
from ..names import some
from .encoding import encode
from .parts import Coordinates, Extents, Part, part_of, same
from .quantities import is_quantity, unit_of

if TYPE_CHECKING:
    import xarray

    from .._core import WriteStep


class Receiver(Protocol):
    """Takes the variables of a Dataset, as a WriteStep does."""

    @property
    def attrs(self) -> Any:
        """Of the Dataset, to be updated."""

    def put(
        self,
        name: str,
        array: Any,
        *,
        offset: Extents | None,
        shape: Extents | None,
        unit: str | None,
        attrs: dict[str, Any],
        fill: Any,
        error: str | None,
    ) -> None:
        """Puts a variable, or a part of it."""


def put(
    step: WriteStep,
    coordinates: Coordinates,
    name: str,
    array: Any,
    offset: Extents | None,
    shape: Extents | None,
    unit: str | None,
    attrs: Mapping[str, Any] | None,
    fill: Any,
    error: str | None,
) -> bool:
    """What WriteStep.put does with what is xarray's, or a quantity of pint; of any other array it says False."""
    if is_quantity(array):
        unit = unit_of(array, unit, f"variable {name!r}")
        step.put(name, array.magnitude, offset=offset, shape=shape, unit=unit, attrs=attrs, fill=fill, error=error)
        return True
    if "xarray" not in sys.modules:
        return False
    import xarray

    if isinstance(array, xarray.Dataset):
        raise InvalidArgument(f"variable {name!r} cannot be an xarray.Dataset: step.put_dataset puts its variables")
    if isinstance(array, xarray.Variable):
        array = xarray.DataArray(array)
    if not isinstance(array, xarray.DataArray):
        return False
    _check_indexes(array)
    variable = array.variable.copy(deep=False)
    variable.attrs.update(attrs or {})
    part = part_of(variable, name, offset, shape, coordinates.rank)
    is_coordinate = name in array.coords
    if is_coordinate and not same(variable, array.coords[name].variable):
        raise InvalidArgument(f"variable {name!r} has a coordinate of that name: put one of them under another")
    if not is_coordinate or coordinates.is_to_put(name, variable, name, variable.sizes, part):
        _put_variable(step, name, variable, part, is_coordinate=is_coordinate, unit=unit, fill=fill, error=error)
    _put_coordinates(step, coordinates, array, name, part)
    return True


def put_dataset(
    step: Receiver,
    coordinates: Coordinates,
    dataset: xarray.Dataset,
    offset: Mapping[Hashable, int] | None,
    shape: Mapping[Hashable, int] | None,
) -> None:
    """What WriteStep.put_dataset does."""
    if type(dataset).__name__ != "Dataset":
        raise InvalidArgument(f"put_dataset takes an xarray.Dataset, not {type(dataset).__name__}: put takes arrays")
    _check_indexes(dataset)
    part = None if offset is None and shape is None else Part(offset or {}, shape or {}, coordinates.rank)
    if part is not None:
        _check_dimensions(dataset, part)
    step.attrs.update(dataset.attrs)
    for name, array in _by_name(dataset.data_vars):
        if part is None or part.brings(array.variable, dataset.sizes):
            _put_variable(step, name, array.variable, part)
    _put_coordinates(step, coordinates, dataset, "the Dataset", part)


def _by_name(variables: Mapping[Any, xarray.DataArray]) -> Iterator[tuple[str, xarray.DataArray]]:
    for name, array in variables.items():
        if not isinstance(name, str):
            raise InvalidArgument(f"variables must be named by strings, not {name!r}")
        yield name, array


def _put_coordinates(
    step: Receiver, coordinates: Coordinates, of: xarray.DataArray | xarray.Dataset, owner: str, part: Part | None
) -> None:
    for name, array in _by_name(of.coords):
        if coordinates.is_to_put(name, array.variable, owner, of.sizes, part):
            try:
                _put_variable(step, name, array.variable, part, is_coordinate=True)
            except AlreadyExists as error:
                raise AlreadyExists(
                    f"{owner} has a coordinate {name!r}, and another variable has that name: rename one"
                ) from error


def _put_variable(
    step: Receiver,
    name: str,
    variable: xarray.Variable,
    part: Part | None,
    *,
    is_coordinate: bool = False,
    unit: str | None = None,
    fill: Any = None,
    error: str | None = None,
) -> None:
    encoded = encode(name, variable, is_coordinate=is_coordinate, unit=unit)
    offset: Extents | None = None
    shape: Extents | None = None
    if part is not None:
        offset = part.offset_of(variable) + (0,) * len(encoded.width)
        shape = part.shape_of(variable) + encoded.width
        if encoded.width and shape[:-1] != variable.shape:
            raise InvalidArgument(f"variable {name!r} is of texts, which cannot be put in parts: put them whole")
    step.put(
        name, encoded.data, offset=offset, shape=shape, unit=encoded.unit, attrs=encoded.attrs, fill=fill, error=error
    )


def _check_indexes(labelled: xarray.DataArray | xarray.Dataset) -> None:
    import xarray

    for name, index in labelled.xindexes.items():
        if isinstance(index, xarray.indexes.PandasMultiIndex):
            raise InvalidArgument(
                f"coordinate {name!r} is of a MultiIndex, which Staithe does not have: "
                f".reset_index({index.dim!r}) makes coordinates of its levels"
            )


def _check_dimensions(dataset: xarray.Dataset, part: Part) -> None:
    for dim in [*part.offset, *part.shape]:
        if dim not in dataset.sizes:
            dims = some([str(known) for known in dataset.sizes])
            raise InvalidArgument(f"the Dataset has no dimension {dim!r}: it has {dims}")
        if dim not in part.shape:
            raise InvalidArgument(f"offset along {dim!r} needs the length of the whole in shape, too")
