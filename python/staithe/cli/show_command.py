"""`staithe show`."""

from __future__ import annotations

import json

from rich.console import Console
from rich.text import Text

from ..errors import NotFound
from ..workflow import stats
from .names import chosen, is_pattern, none_of
from .shown import shown
from .tables import Table, print_table
from .units import NOTHING, duration, known, rate, size


def show_streams(name: str, as_json: bool, address: str | None = None) -> None:
    """Prints what the director of the stream says of it, or of all streams that the name fits as a pattern.

    As JSON: one object for a name, a list for a pattern.
    """
    if not is_pattern(name):
        description = described(name, address)
        print(json.dumps(description, indent=2)) if as_json else _show(description)
        return
    live = stats.describe_live(address)
    descriptions = chosen(live, [name])
    if as_json:
        print(json.dumps(descriptions, indent=2))
    elif not descriptions:
        raise none_of([name], live, address)
    else:
        for number, description in enumerate(descriptions):
            print("\n" if number else "", end="")
            _show(description)


def _show(description: stats.Description) -> None:
    stream = stats.StreamStats.of(description)
    console = Console(highlight=False)
    for label, text in _facts(stream, description):
        console.print(Text.assemble((f"{label:<9}", "bold"), shown(text)), soft_wrap=True)
    print()
    print_table(_variables(description), console)
    print()
    print_table(_readers(stream), console)
    if (ways := _ways(description)).rows:
        print()
        print_table(ways, console)


def described(name: str, address: str | None) -> stats.Description:
    """What the director of a stream says of it; NotFound names those that are like it."""
    try:
        return stats.describe(name, address=address)
    except NotFound as error:
        if "://" in name:
            raise
        raise none_of([name], stats.describe_live(address), address) from error


def _facts(stream: stats.StreamStats, description: stats.Description) -> list[tuple[str, str]]:
    queue = description["queue"]
    ranks = "1 rank" if stream.ranks == 1 else f"{stream.ranks} ranks"
    return [
        ("stream", f"{stream.name} ({stream.state}, placement {stream.placement})"),
        ("writer", f"{stream.program}, {ranks}, pid {stream.pid} on {description['host']}"),
        *_server(stream, description),
        ("open", f"since {duration(max(0.0, description['now'] - stream.started))}"),
        ("steps", f"{stream.steps}, {size(stream.bytes)}"),
        (
            "queue",
            f"{stream.queue_steps} of {stream.queue_limit} steps, "
            f"{size(stream.queue_bytes)} of {size(queue['limit_bytes'])}",
        ),
        ("stall", f"{duration(stream.stall_seconds)} waited for readers"),
        *_overflow(stream),
    ]


def _server(stream: stats.StreamStats, description: stats.Description) -> list[tuple[str, str]]:
    if stream.server is None:
        return []
    kept = description["kept"]
    return [("server", f"{stream.server}, has {kept['steps']} steps for readers to come, {size(kept['bytes'])}")]


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


def _state(reader: stats.ReaderStats) -> str:
    if reader.silent_seconds is not None:
        return f" (silent for {duration(reader.silent_seconds)})"
    return " (paused)" if reader.paused else ""


def _ways(description: stats.Description) -> Table:
    """How members get blocks of other hosts, and why so."""
    table = Table(
        ("reader", "host", "blocks from", "connections", "congestion", "data", "rate", "way"),
        numbers=("connections", "data", "rate"),
    )
    for group in description["readers"]:
        for member in group.get("members", ()):
            for holder in member.get("network", ()):
                table.add(
                    f"{group['program']} rank {member['rank']}",
                    member["host"],
                    f"rank {holder['rank']} on {holder['host']}",
                    known(holder["connections"]),
                    holder["congestion_control"] or NOTHING,
                    NOTHING if holder["bytes"] is None else size(holder["bytes"]),
                    rate(holder["bytes_per_second"] or None),
                    holder["way"] or NOTHING,
                )
    return table.without_empty("connections", "congestion", "data", "rate")


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
            f"{reader.policy or NOTHING}{_state(reader)}",
            duration(reader.waiting_seconds),
            duration(reader.holding_seconds),
        )
    return table
