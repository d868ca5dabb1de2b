"""`staithe show`."""

from __future__ import annotations

import json
import time

from rich.console import Console

from ..errors import NotFound
from ..workflow import stats
from ..workflow.problems import hint
from .faults import CommandError
from .tables import Table, print_table
from .units import NOTHING, duration, known, size


def show_stream(name: str, as_json: bool) -> None:
    """Prints what the stream's director says of it."""
    description = _describe(name)
    if as_json:
        print(json.dumps(description, indent=2))
        return
    stream = stats.StreamStats.of(description)
    console = Console(highlight=False)
    for label, text in _facts(stream, description):
        console.print(f"[bold]{label:<9}[/bold]", end="")
        console.print(text, markup=False, soft_wrap=True)
    print()
    print_table(_variables(description), console)
    print()
    print_table(_readers(stream), console)


def _describe(name: str) -> stats.Description:
    try:
        return stats.describe(name)
    except NotFound as error:
        live = [stream["name"] for stream in stats.describe_live()]
        known = hint(name, live) if live else f"there are none in {stats.run_directory()}"
        raise CommandError(f"no live stream '{name}'; {known}") from error


def _facts(stream: stats.StreamStats, description: stats.Description) -> list[tuple[str, str]]:
    queue = description["queue"]
    ranks = "1 rank" if stream.ranks == 1 else f"{stream.ranks} ranks"
    return [
        ("stream", f"{stream.name} ({stream.state}, placement {stream.placement})"),
        ("writer", f"{stream.program}, {ranks}, pid {stream.pid} on {description['host']}"),
        ("open", f"since {duration(max(0.0, time.time() - stream.started))}"),
        ("steps", f"{stream.steps}, {size(stream.bytes)}"),
        (
            "queue",
            f"{stream.queue_steps} of {stream.queue_limit} steps, "
            f"{size(stream.queue_bytes)} of {size(queue['limit_bytes'])}",
        ),
        ("stall", f"{duration(stream.stall_seconds)} waited for readers"),
        *_overflow(stream),
    ]


def _overflow(stream: stats.StreamStats) -> list[tuple[str, str]]:
    if stream.overflow is None:
        return []
    dropped = f"{known(stream.dropped)} steps dropped"
    spilled = f"{known(stream.spilled_steps)} spilled, {size(stream.spilled_bytes or 0)}"
    return [("overflow", f"{stream.overflow}: {dropped}, {spilled}")]


def _variables(description: stats.Description) -> Table:
    table = Table(("variable", "dtype", "shape", "unit", "blocks"), numbers=("blocks",))
    for variable in description["variables"]:
        shape = variable["shape"]
        table.add(
            variable["name"],
            variable["dtype"],
            "local" if shape is None else _shape(shape),
            variable["unit"] or NOTHING,
            str(variable["blocks"]),
        )
    return table


def _shape(shape: list[int]) -> str:
    return " x ".join(str(extent) for extent in shape) or "scalar"


def _readers(stream: stats.StreamStats) -> Table:
    table = Table(
        ("reader", "pid", "ranks", "steps", "lag", "dropped", "policy", "waits", "holds"),
        numbers=("pid", "ranks", "steps", "lag", "dropped", "waits", "holds"),
    )
    for reader in stream.readers:
        table.add(
            reader.program,
            str(reader.pid),
            str(reader.ranks),
            str(reader.steps),
            str(reader.lag),
            known(reader.dropped),
            f"{reader.policy or NOTHING}{' (paused)' if reader.paused else ''}",
            duration(reader.waiting_seconds),
            duration(reader.holding_seconds),
        )
    return table
