"""Spaces and streams as Datasets of xarray: ``xr.open_dataset("campaign", engine="staithe")``, and ``ds.staithe.put``.

xarray finds the engine by itself. The accessor is there once a Dataset was opened so, or this module imported.
"""

from __future__ import annotations

from .backend import StaitheBackend
from .putting import DatasetAccessor

__all__ = ["DatasetAccessor", "StaitheBackend"]
