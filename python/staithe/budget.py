"""What this process may hold at most, over all its streams together, and what it holds."""

from __future__ import annotations

from dataclasses import dataclass

from . import _core
from .arguments import explained
from .sizes import parse_bytes


@dataclass(frozen=True)
class Limits:
    """The most that this process may hold of each resource; None: no limit but the streams' queues and the system's."""

    memory: int | None
    """Bytes that its writers' pools hold, used or kept for reuse; that it shares with devices, pins for a GPU or, as a
    device, keeps to encode for others; and that readers fetch of encoded blocks, until they are decoded."""
    descriptors: int | None
    """Open file descriptors."""
    connections: int | None
    """Connections to other processes: one for each that shares a stream with this one."""
    bytes_in_flight: int | None
    """Bytes of published steps that readers have not released, over all streams that it writes."""
    prefetch: int | None
    """Bytes of steps to come, fetched from other hosts before they are asked for; None: 256 MiB."""


@dataclass(frozen=True)
class Usage:
    """What this process holds of each resource that `Limits` names."""

    memory: int
    descriptors: int
    connections: int
    bytes_in_flight: int
    prefetch: int


@explained
def set_limits(
    *,
    memory: int | str | None = None,
    descriptors: int | None = None,
    connections: int | None = None,
    bytes_in_flight: int | str | None = None,
    prefetch: int | str | None = None,
) -> None:
    """Set what this process may hold at most; replaces what was set before.

    What is not given comes from STAITHE_LIMITS, a JSON map such as ``{"memory": "2 GiB", "connections": 100}``, else
    has no limit. At a limit a call waits, with its timeout, where readers or other streams may give something back;
    then it raises LimitReached. What is held already is not taken back.

    Args:
        memory: bytes that its writers' pools hold, used or kept for reuse; that it shares with devices, pins for a GPU
            or, as a device, keeps to encode for others; and that readers fetch of encoded blocks, until they are
            decoded. Or a text such as "8 GiB".
        descriptors: open file descriptors.
        connections: connections to other processes, one for each, however many streams they share; with one on another
            host, one more for each reader rank, and others while it fetches.
        bytes_in_flight: bytes of published steps that readers have not released, over all streams. A stream of which
            at most one step is in flight may always begin another.
        prefetch: bytes of steps to come that readers have fetched from other hosts before they are asked for; 256 MiB
            if nothing says so, and 0: none. Beyond it steps are fetched when they are read.

    Raises:
        InvalidArgument: a limit is negative or no amount, or STAITHE_LIMITS is wrong.
    """
    _core.set_limits(
        None if memory is None else parse_bytes(memory),
        descriptors,
        connections,
        None if bytes_in_flight is None else parse_bytes(bytes_in_flight),
        None if prefetch is None else parse_bytes(prefetch),
    )


def limits() -> Limits:
    """The limits that hold: those that were set, else those of STAITHE_LIMITS."""
    return Limits(*_core.limits())


def usage() -> Usage:
    """What this process holds now."""
    return Usage(*_core.usage())
