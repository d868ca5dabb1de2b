"""What a stream's director says of it, typed. The one place where the launcher and the CLI ask the core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Description = Mapping[str, Any]


@dataclass(frozen=True)
class ReaderStats:
    """One reader group of a stream."""

    program: str
    pid: int
    ranks: int
    steps: int
    lag: int
    # None: its director does not say.
    dropped: int | None = None
    policy: str | None = None
    paused: bool | None = None
    waiting_seconds: float | None = None
    holding_seconds: float | None = None
    silent_seconds: float | None = None

    @classmethod
    def of(cls, reader: Description) -> ReaderStats:
        """A reader group in the map that `staithe.describe` returns."""
        members = reader.get("members", ())
        return cls(
            program=reader["program"],
            pid=reader["pid"],
            ranks=reader["ranks"],
            steps=reader["steps"],
            lag=reader["lag"],
            dropped=reader.get("dropped"),
            policy=reader.get("overflow"),
            paused=reader.get("paused"),
            waiting_seconds=_longest(members, "waiting_seconds"),
            holding_seconds=_longest(members, "holding_seconds"),
            silent_seconds=_longest(members, "silent_seconds"),
        )


@dataclass(frozen=True)
class StreamStats:
    """A stream's counters since it was opened."""

    name: str
    program: str
    pid: int
    ranks: int
    placement: str
    state: str
    started: float
    steps: int
    bytes: int
    queue_steps: int
    queue_limit: int
    queue_bytes: int
    stall_seconds: float
    readers: tuple[ReaderStats, ...]
    host: str = ""
    ended: float | None = None
    # None: its director does not say.
    dropped: int | None = None
    spilled_steps: int | None = None
    spilled_bytes: int | None = None
    overflow: str | None = None
    # How many reader groups have ever joined.
    readers_seen: int | None = None
    # The one that directs it and has its steps; None: the writer does.
    server: str | None = None

    @classmethod
    def of(cls, description: Description) -> StreamStats:
        """The counters in the map that `staithe.describe` returns."""
        queue = description["queue"]
        return cls(
            name=description["name"],
            program=description["program"],
            pid=description["pid"],
            host=description.get("host", ""),
            ranks=description["ranks"],
            placement=description["placement"],
            state=description["state"],
            started=description["started"],
            steps=description["steps"],
            bytes=description["bytes"],
            queue_steps=queue["steps"],
            queue_limit=queue["limit_steps"],
            queue_bytes=queue["bytes"],
            stall_seconds=description["stall_seconds"],
            readers=tuple(map(ReaderStats.of, description["readers"])),
            ended=description.get("ended"),
            dropped=description.get("dropped"),
            spilled_steps=description.get("spilled_steps"),
            spilled_bytes=description.get("spilled_bytes"),
            overflow=description.get("overflow"),
            readers_seen=description.get("readers_seen"),
            server=description.get("server"),
        )


def _longest(members: Iterable[Description], what: str) -> float | None:
    return max((member[what] for member in members if member[what] is not None), default=None)


def describe(name: str, timeout: float = 5.0, address: str | None = None) -> Description:
    """What a stream's director says of it. Raises staithe.NotFound, or staithe.Timeout if it does not answer."""
    import staithe

    return staithe.describe(name if address is None else f"staithe://{address}/{name}", timeout=timeout)


def describe_live(address: str | None = None) -> list[Description]:
    """All live streams that can be found, or that a process at the address knows of; less those that do not answer."""
    import staithe

    return sorted(staithe.streams(address), key=lambda stream: str(stream["name"]))


def describe_servers(address: str | None = None, timeout: float = 5.0) -> Iterator[Description]:
    """What the servers that can be found, or those at the address alone, say of themselves.

    One that does not say gets its name and the "error", an exception.
    """
    from .. import _core
    from ..errors import Error

    for name in _core.server_names(address):
        try:
            yield _core.describe_server(name if address is None else f"staithe://{address}/{name}", timeout)
        except Error as error:  # it has just ended, or is stuck
            yield {"name": name, "error": error}


def describe_devices(address: str | None = None, timeout: float = 5.0) -> list[Description]:
    """What the processes that encode for others say of themselves; one that does not has an "error"."""
    from .. import _core

    return [*_core.describe_devices(address, timeout)]


def where(address: str | None = None) -> str:
    """Where streams are looked for, for messages."""
    return run_directory() if address is None else f"what the process at {address} knows of"


def run_directory() -> str:
    """Where this user's streams are looked for. Raises staithe.InvalidArgument if STAITHE_RUN_DIR is mistyped."""
    from .. import _core

    return _core.run_directory()
