"""`staithe serve`."""

from __future__ import annotations

import os
import resource
import select

from .. import _core
from ..log_lines import follow_logging
from ..signals import SignalInbox
from ..sizes import parse_bytes
from .faults import CommandError
from .mpi_group import launched_rank
from .options import Option
from .shown import print_line

OPTIONS = (
    Option("name", str, "What programs find it by; else 'staithe', and of a device 'remote'."),
    Option(
        "device",
        bool,
        "Encode what programs of this host send to others, and keep nothing: with --name, --listen and --cores alone.",
        default=False,
    ),
    Option("memory", str, "The most that it keeps, such as 4GiB; no limit if not given.", metavar="AMOUNT"),
    Option("listen", str, "Where programs of other hosts reach it, such as 0.0.0.0:7700.", metavar="HOST:PORT"),
    Option(
        "spill",
        str,
        "Of this server, or all of its name: for what memory has no room for, and for what is put with persist=True, "
        "which outlives them there.",
        metavar="FOLDER",
    ),
    Option("spill_bytes", str, "The most that lies there for want of memory, such as 100GiB.", metavar="AMOUNT"),
    Option(
        "cores",
        int,
        "How many work at a time for programs of other hosts, or of a device encode; else as many as there are.",
        least=1,
    ),
    Option(
        "replicas",
        int,
        "In how many servers of the name everything lies: with 2, any may be gone.",
        default=1,
        least=1,
        most=2,
    ),
    Option("rank", int, "Which of several servers of one name this is, from 0; else as mpiexec or srun says."),
    Option("size", int, "How many servers of the name there are: they keep spaces together."),
)


def serve(
    *,
    name: str | None,
    device: bool,
    memory: str | None,
    listen: str | None,
    spill: str | None,
    spill_bytes: str | None,
    cores: int | None,
    replicas: int,
    rank: int | None,
    size: int | None,
) -> None:
    """Keep spaces and streams for other programs, or encode for them, until Ctrl-C or SIGTERM."""
    follow_logging()
    if device:
        if any(value is not None for value in (memory, spill, spill_bytes, rank, size)) or replicas != 1:
            raise CommandError("a device keeps nothing: it takes --name, --listen and --cores alone")
        _encode_for_others(name or "remote", listen, cores)
        return
    name = name or "staithe"
    rank, size = _place(rank, size)
    if memory is not None:
        _core.set_limits(memory=parse_bytes(memory))
    # Each program that has put something takes one.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    most_spilled = None if spill_bytes is None else parse_bytes(spill_bytes)
    # By a descriptor: a lock is not woken by a signal that comes just before it sleeps, or to another thread.
    with SignalInbox() as inbox:
        server = _core.open_server(name, rank, size, listen, spill, most_spilled, cores, replicas)
        which = f"'{name}'" if size == 1 else f"'{name}', rank {rank} of {size},"
        print_line(f"server {which} (pid {os.getpid()}) keeps spaces for programs of this user: Ctrl-C ends it")
        select.select([inbox.fileno(), server.fileno()], [], [])
        if server.is_dismissed():
            print_line(f"server {which} was drained, and ends")
        del server


def _encode_for_others(name: str, listen: str | None, cores: int | None) -> None:
    with SignalInbox() as inbox:
        device = _core.open_device(name, listen, cores)
        print_line(f"device '{name}' (pid {os.getpid()}) encodes for programs of this user: Ctrl-C ends it")
        select.select([inbox.fileno()], [], [])
        del device


def _place(rank: int | None, size: int | None) -> tuple[int, int]:
    """Which of how many servers this is: as the user says, or else the launcher."""
    if (rank is None) != (size is None):
        raise CommandError("one of several servers has a --rank and a --size: give both, or none")
    return (rank, size) if rank is not None and size is not None else launched_rank()
