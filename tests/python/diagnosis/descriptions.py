"""What directors tell of streams, made up."""

from __future__ import annotations

from typing import Any

Description = dict[str, Any]


def member(program: str, pid: int, rank: int = 0, **changes: Any) -> Description:
    """A rank of a reader group, at work."""
    entry = {"rank": rank, "program": program, "pid": pid, "host": "node7", "version": "0.1.0"}
    return entry | {"waiting_seconds": None, "silent_seconds": None, "held": 0, "holding_seconds": None} | changes


def writer(program: str, pid: int, rank: int = 0, **changes: Any) -> Description:
    """A writer rank, at work."""
    entry = {"rank": rank, "program": program, "pid": pid, "host": "node7", "version": "0.1.0"}
    return entry | {"waiting_seconds": None, "silent_seconds": None, "joined": True, "finished": False} | changes


def group(program: str, *members: Description, ranks: int | None = None) -> Description:
    """A reader group; `ranks` is its size, if not all are here."""
    return {
        "program": program,
        "pid": members[0]["pid"],
        "ranks": len(members) if ranks is None else ranks,
        "joined": 1.0,
        "steps": 0,
        "lag": 0,
        "members": list(members),
    }


def stream(name: str, writers: list[Description], *readers: Description, **changes: Any) -> Description:
    """A stream in which all goes well."""
    described = {
        "name": name,
        "program": writers[0]["program"],
        "pid": writers[0]["pid"],
        "host": "node7",
        "state": "open",
        "queue": {"steps": 0, "limit_steps": 8, "bytes": 0, "limit_bytes": 1 << 20},
        "writers": writers,
        "readers": list(readers),
        "joining": [],
        "incomplete": None,
        "closing_seconds": None,
        "expected_readers": 1,
        "readers_seen": max(1, len(readers)),
    }
    return described | changes
