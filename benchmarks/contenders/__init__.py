"""Staithe, its peers and the limit, one file each, behind one interface (base.py)."""

from functools import cache
from importlib import import_module

from .base import Contender

# The order of the tables' columns.
NAMES = (
    "limit",
    "iperf3",
    "socket_pair",
    "staithe",
    "iceoryx2",
    "mpi",
    "zeromq",
    "sst",
    "ray",
    "flight",
    "redis",
    "dragon",
    "h5py",
    "zarr",
    "tensorstore",
    "bp5",
)


@cache
def contender_named(name: str) -> Contender:
    """The contender of that name; its own libraries are not loaded yet."""
    module = import_module(f"{__name__}.{name}")
    contender = module.CONTENDER
    assert isinstance(contender, Contender)
    return contender
