"""The group of this process, where an MPI launcher started it."""

from __future__ import annotations

import os

from .faults import CommandError

TYPE_CHECKING = False  # as typing has it, which takes a while to import
if TYPE_CHECKING:
    from typing import Any

# The number of ranks, and which one this is, as the launchers of MPICH, Open MPI and Slurm tell it.
_SIZES = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")
_RANKS = ("PMI_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID")


def launched_rank() -> tuple[int, int]:
    """The rank and the number of ranks, without MPI; (0, 1) for a process on its own."""
    for rank, size in zip(_RANKS, _SIZES, strict=True):
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return 0, 1


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
