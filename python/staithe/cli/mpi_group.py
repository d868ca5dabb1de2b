"""The group of this process, where an MPI launcher started it."""

from __future__ import annotations

import os
from typing import Any

from .faults import CommandError

# The number of ranks, as the launchers of MPICH, Open MPI and Slurm tell it.
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")


def world() -> Any | None:
    """mpi4py's COMM_WORLD; None for a process on its own."""
    size = next((os.environ[name] for name in _SIZES if name in os.environ), "1")
    if size == "1":
        return None
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise CommandError(f"{size} ranks need mpi4py to form a group; pip install mpi4py") from error
    return MPI.COMM_WORLD
