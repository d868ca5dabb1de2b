"""Quantities of pint keep their unit, as a text that pint understands."""

from __future__ import annotations

from typing import Any

import numpy as np
import pint
import pytest
import xarray as xr

import staithe

UREG: Any = pint.UnitRegistry()


@pytest.mark.parametrize(
    "unit", ["m/s**2", "degC", "delta_degF", "", "kg * m**2 / s**3 / A", "angstrom", "percent", "1/s", "m**0.5", "µm"]
)
@pytest.mark.parametrize("values", [3, 2.5, np.arange(3.0), np.arange(4, dtype="i2").reshape(2, 2).T])
def test_a_quantity_comes_back(pair: Any, unit: str, values: Any) -> None:
    quantity = UREG.Quantity(values, unit)
    p = pair.send(p=quantity)["p"]
    back = UREG.Quantity(p[...], p.unit)
    assert back.units == quantity.units
    np.testing.assert_array_equal(back.magnitude, values)
    assert p.dtype == np.asarray(values).dtype


@pytest.mark.parametrize("style", ["~P", ".3f~", "Lx", "H"])
def test_the_registrys_format_does_not_matter(pair: Any, style: str) -> None:
    ureg: Any = pint.UnitRegistry()
    ureg.formatter.default_format = style
    assert pair.send(p=ureg.Quantity(1.0, "m/s"))["p"].unit == "meter / second"


def test_a_unit_that_is_given_must_agree(pair: Any) -> None:
    quantity = UREG.Quantity([1.0, 2.0], "m/s")
    with pair.out.step() as step:
        step.put("p", quantity, unit="m/s", attrs={"a": 1})
        for unit in ("km/s", "nonsense", "3 m/s", "m (", "m/", "m**m", "kelvin", ""):
            with pytest.raises(staithe.InvalidArgument, match=r"'q': its values are in meter / second, not in"):
                step.put("q", quantity, unit=unit)
    p = next(pair.reader)["p"]
    assert (p.unit, p.attrs, p[...].tolist()) == ("m/s", {"a": 1}, [1.0, 2.0])


def test_what_put_takes_besides(pair: Any) -> None:
    masked = UREG.Quantity(np.ma.array([1.0, 2.0], mask=[0, 1]), "m")
    with pair.out.step() as step:
        with pytest.raises(staithe.InvalidArgument, match="masked"):
            step.put("m", masked)
        step.put("m", masked, fill=-1)
        step.put("part", UREG.Quantity([1, 2], "m"), offset=0, shape=2)
    step = next(pair.reader)
    assert (step["m"][...].tolist(), step["m"].unit) == ([1.0, -1.0], "meter")
    assert not step["part"].local


def test_in_data_arrays(pair: Any) -> None:
    array = xr.DataArray(
        UREG.Quantity(np.arange(3.0), "pascal"),
        dims="x",
        coords={"height": ("x", UREG.Quantity([1, 2, 3], "km")), "one": ((), UREG.Quantity(np.array(2.0), "s"))},
    )
    step = pair.send(p=array)
    assert {name: step[name].unit for name in step} == {"p": "pascal", "height": "kilometer", "one": "second"}
    back = step.to_xarray("p")
    assert [back[name].attrs["units"] for name in ("height", "one")] == ["kilometer", "second"]
    assert (UREG.Quantity(back.values, back.attrs["units"]) == array.data).all()


def test_attributes_of_data_arrays_must_agree(pair: Any) -> None:
    array = xr.DataArray(UREG.Quantity([1.0], "Pa"), dims="x", attrs={"units": "Pa"})
    assert pair.send(p=array)["p"].unit == "Pa"
    with pair.out.step() as step, pytest.raises(staithe.InvalidArgument, match="'q': its values are in pascal"):
        step.put("q", array.assign_attrs(units="hPa"))
