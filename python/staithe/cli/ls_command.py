"""`staithe ls`."""

from __future__ import annotations

import json
from collections.abc import Sequence

from rich.console import Console

from ..workflow import stats
from .names import chosen, none_of
from .shown import shown
from .tables import Table, print_table
from .units import NOTHING, size


def list_streams(patterns: Sequence[str], as_json: bool) -> None:
    """Prints the live streams of this user's run directory, those that one of the patterns fits if there are any."""
    live = stats.describe_live()
    descriptions = chosen(live, patterns)
    if as_json:
        print(json.dumps(descriptions, indent=2))
        return
    if not descriptions:
        if patterns:
            raise none_of(patterns, live)
        print(f"no live streams in {shown(stats.run_directory())}")
        return
    table = Table(
        ("stream", "program", "pid", "ranks", "steps", "data", "queue", "readers"),
        numbers=("pid", "ranks", "steps", "data", "queue"),
    )
    for stream in map(stats.StreamStats.of, descriptions):
        table.add(
            stream.name,
            stream.program,
            str(stream.pid),
            str(stream.ranks),
            str(stream.steps),
            size(stream.bytes),
            f"{stream.queue_steps}/{stream.queue_limit}",
            ", ".join(reader.program for reader in stream.readers) or NOTHING,
        )
    print_table(table, Console())
