"""Groups: the ranks that together write or read a stream."""

from __future__ import annotations

import operator
import os
import time
from typing import NamedTuple, TypeAlias

from ._core import host_number, make_group_contact, take_group_contact
from .errors import InvalidArgument
from .typing import Communicator


class Group(NamedTuple):
    """One rank of a group of `size`. Equal to the plain tuple (rank, size), and taken where that is."""

    rank: int = 0
    """This rank, counted from 0."""
    size: int = 1
    """How many ranks there are."""


GroupLike: TypeAlias = tuple[int, int] | Communicator | None
"""A group as users give it: (rank, size), an mpi4py communicator, or None for a single process."""


def resolve(group: GroupLike) -> tuple[int, int, str]:
    """Rank, size, and a text that tells this group from others of the same program.

    Collective over a communicator: all its ranks must come here. Those on other hosts than rank 0 learn how to find it.
    """
    if group is None:
        return 0, 1, ""
    if isinstance(group, tuple):
        try:
            rank, size = map(operator.index, group)
        except (TypeError, ValueError):
            raise _refusal(group) from None
        return rank, size, ""
    if not hasattr(group, "Get_rank"):
        raise _refusal(group)
    rank = group.Get_rank()
    stamp, host = group.bcast((f"{os.getpid()}.{time.time_ns()}", host_number()))
    if group.allreduce(int(host != host_number())) > 0:
        contact = group.bcast(make_group_contact() if rank == 0 else None)
        if rank != 0:
            take_group_contact(contact)
    return rank, group.Get_size(), stamp


def _refusal(group: object) -> InvalidArgument:
    return InvalidArgument(f"a group is (rank, size), an mpi4py communicator or None, not {group!r}")
