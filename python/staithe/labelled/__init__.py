"""Arrays that know their dimensions, coordinates and units: xarray's, and quantities of pint.

Neither package is needed for anything else: nobody has such an array who has not imported them. What streams hold
are plain variables, with attributes that docs/formats/labels.md describes.
"""

from __future__ import annotations

from .parts import Coordinates
from .putting import put, put_dataset
from .reading import to_xarray

__all__ = ["Coordinates", "put", "put_dataset", "to_xarray"]
