"""`staithe ls`."""

from __future__ import annotations

import json
import socket
from collections.abc import Sequence

from rich.console import Console

from ..workflow import stats
from .names import chosen, none_of
from .shown import shown
from .tables import Table, print_table
from .units import NOTHING, size


def list_streams(patterns: Sequence[str], as_json: bool, address: str | None = None) -> None:
    """Prints the live streams that can be found, or that the process at the address knows of; those that one of the
    patterns fits if there are any."""
    live = stats.describe_live(address)
    descriptions = chosen(live, patterns)
    if as_json:
        print(json.dumps(descriptions, indent=2))
        return
    if not descriptions:
        if patterns:
            raise none_of(patterns, live, address)
        print(f"no live streams in {shown(stats.where(address))}")
        return
    table = Table(
        ("stream", "program", "pid", "host", "placement", "ranks", "steps", "data", "queue", "readers"),
        numbers=("pid", "ranks", "steps", "data", "queue"),
    )
    for stream in map(stats.StreamStats.of, descriptions):
        # Streams of this host alone are the usual case.
        elsewhere = stream.host if stream.host != socket.gethostname() else NOTHING
        table.add(
            stream.name,
            stream.program,
            str(stream.pid),
            elsewhere,
            _placement(stream),
            str(stream.ranks),
            str(stream.steps),
            size(stream.bytes),
            f"{stream.queue_steps}/{stream.queue_limit}",
            ", ".join(reader.program for reader in stream.readers) or NOTHING,
        )
    print_table(table.without_empty("host").without_empty("placement"), Console())


def _placement(stream: stats.StreamStats) -> str:
    """Where it is not the usual one."""
    if stream.server is not None:
        return f"{stream.placement}: {stream.server}"
    return NOTHING if stream.placement == "producer" else stream.placement
