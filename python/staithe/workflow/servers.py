"""The servers of a run, as programs: `staithe serve`, once for each."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from .model import Program, Servers


def server_programs(servers: Servers | None) -> Iterator[Program]:
    """One for each rank, in that order. Together they have the name that `staithe serve` gives by itself, so that
    programs find them as they find one that was started by hand."""
    if servers is None:
        return
    options = {
        "--memory": servers.memory,
        "--spill": servers.spill,
        "--spill-bytes": servers.spill_bytes,
        "--cores": servers.cores,
    }
    given = [word for option, value in options.items() if value is not None for word in (option, str(value))]
    for rank, name in enumerate(servers.names):
        which = ("--rank", str(rank), "--size", str(servers.count))
        yield Program(
            name=name,
            command=(sys.executable, "-m", "staithe.cli", "serve", *which, *given),
            hosts=(servers.hosts[rank % len(servers.hosts)],) if servers.hosts else (),
        )
