"""`staithe serve`."""

from __future__ import annotations

import os
import resource
import select

from .. import _core
from ..budget import set_limits
from ..log_lines import follow_logging
from ..sizes import parse_bytes
from ..workflow.signals import SignalInbox
from .faults import CommandError
from .mpi_group import launched_rank


def serve(
    name: str,
    rank: int | None,
    size: int | None,
    memory: str | None,
    listen: str | None,
    spill: str | None,
    spill_bytes: str | None,
    cores: int | None,
    replicas: int,
) -> None:
    """Runs a server until a signal ends it; says when programs can find it."""
    follow_logging()
    rank, size = _place(rank, size)
    if memory is not None:
        set_limits(memory=memory)
    # Each program that has put something takes one.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    most_spilled = None if spill_bytes is None else parse_bytes(spill_bytes)
    # By a descriptor: a lock is not woken by a signal that comes just before it sleeps, or to another thread.
    with SignalInbox() as inbox:
        server = _core.open_server(name, rank, size, listen, spill, most_spilled, cores, replicas)
        which = f"'{name}'" if size == 1 else f"'{name}', rank {rank} of {size},"
        print(f"server {which} (pid {os.getpid()}) keeps spaces for programs of this user: Ctrl-C ends it", flush=True)
        select.select([inbox.fileno(), server.fileno()], [], [])
        if server.is_dismissed():
            print(f"server {which} was drained, and ends", flush=True)
        del server


def _place(rank: int | None, size: int | None) -> tuple[int, int]:
    """Which of how many servers this is: as the user says, or else the launcher."""
    if (rank is None) != (size is None):
        raise CommandError("one of several servers has a --rank and a --size: give both, or none")
    return (rank, size) if rank is not None and size is not None else launched_rank()
