"""Datasets of xarray, as Hypothesis makes them."""

from __future__ import annotations

import numpy as np
import xarray as xr
from hypothesis import strategies as st


@st.composite
def datasets(draw: st.DrawFn) -> xr.Dataset:
    """Of few small variables and coordinates, some without elements."""
    lengths = {dim: draw(st.integers(0, 5)) for dim in ("x", "y", "z")}
    some_dims = st.lists(st.sampled_from(sorted(lengths)), unique=True)
    dtypes = st.sampled_from(["?", "i2", "i8", "u1", "f4", "f8", "c16", "M8[s]", "M8[ns]", "m8[ms]", "U3"])

    def variable(dims: list[str], name: str) -> xr.Variable:
        shape = [lengths[dim] for dim in dims]
        values = np.random.default_rng(len(name) + sum(shape)).integers(0, 90, shape).astype(draw(dtypes))
        attrs = draw(st.dictionaries(st.sampled_from(["units", "long_name"]), st.sampled_from(["K", "m s-1", ""])))
        return xr.Variable(dims, values, attrs if values.dtype.kind not in "mM" else {})

    coords = {dim: variable([dim], dim) for dim in draw(some_dims)}
    coords |= {f"c{number}": variable(draw(some_dims), f"c{number}") for number in range(draw(st.integers(0, 2)))}
    data = {f"v{number}": variable(draw(some_dims), f"v{number}") for number in range(draw(st.integers(0, 3)))}
    return xr.Dataset(data, coords, draw(st.dictionaries(st.text(max_size=5), st.integers(0, 9), max_size=2)))
