"""`staithe transforms`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from rich.console import Console

from ..workflow import stats
from .show_command import described
from .shown import shown
from .tables import Table, print_table
from .units import NOTHING, percent, rate, size


def show_transforms(stream: str, as_json: bool, address: str | None) -> None:
    """Prints how the variables of a stream go to readers and servers of other hosts: encoded or as they are, and what
    that took."""
    links = list(_links(described(stream, address)))
    if as_json:
        print(json.dumps(links, indent=2))
        return
    measured = ("share", "data", "ratio", "encoded at", "expected", "off", "link")
    table = Table(("reader", "variable", "error", "within", "way", *measured), numbers=("within", *measured))
    for link in links:
        for variable in link["coded"]:
            total = sum(way["bytes"] for way in variable["ways"])
            for way in sorted(variable["ways"], key=lambda way: -way["bytes"]):
                if way["bytes"] > 0 or way["failures"] > 0:
                    table.add(*_cells(link, variable, way, total))
    if not table.rows:
        print(f"nothing of '{shown(stream)}' was encoded on its way to another host, or tried to be")
        return
    print_table(table, Console())


def _links(description: stats.Description) -> Iterator[dict[str, Any]]:
    """Of readers, and of writer ranks to servers, with what is known of each."""
    for group in description["readers"]:
        for member in group["members"]:
            for network in member["network"]:
                if network["coded"]:
                    yield {
                        "program": member["program"],
                        "rank": member["rank"],
                        "host": member["host"],
                        "link_bytes_per_second": network["link_bytes_per_second"],
                        "coded": network["coded"],
                    }
    for writer in description["writers"]:
        for server in writer["network"]:
            if server["coded"]:
                yield {
                    "program": "server",
                    "rank": None,
                    "host": server["host"],
                    "writer": writer["rank"],
                    "link_bytes_per_second": server["link_bytes_per_second"],
                    "coded": server["coded"],
                }


def _who(link: dict[str, Any]) -> str:
    if link["rank"] is None:
        return f"server on {link['host']}, of rank {link['writer']}"
    return f"{link['program']}.{link['rank']} on {link['host']}"


def _cells(link: dict[str, Any], variable: dict[str, Any], way: dict[str, Any], total: int) -> tuple[str, ...]:
    is_coded = way["codec"] is not None
    encoded = way["bytes"] - way["reused"]
    return (
        _who(link),
        variable["variable"],
        variable["error"],
        f"{way['within']:.3g}" if way["within"] else NOTHING,
        _name_of(way) if is_coded else "as it is",
        percent(way["bytes"] / total),
        size(way["bytes"]),
        f"{way['bytes'] / way['coded']:.3g}" if is_coded and way["coded"] else NOTHING,
        _speed(encoded, way["seconds"]) if is_coded else NOTHING,
        _speed(encoded, way["expected_seconds"]) if is_coded else NOTHING,
        percent(way["predictions"]["seconds_off"]) if way["predictions"] else NOTHING,
        rate(link["link_bytes_per_second"]),
    )


def _name_of(way: dict[str, Any]) -> str:
    mode = ", dense" if way["mode"] == "dense" else ""
    device = "" if way["device"] == "cpu" else f" on {way['device']}"
    failed = f", {way['failures']} failed" if way["failures"] else ""
    by_dq = f", {percent(way['fallback_tiles'] / way['tiles'])} by dq" if way["fallback_tiles"] else ""
    return f"{way['codec']}{mode}{device}{by_dq}{failed}"


def _speed(amount: int, seconds: float) -> str:
    return rate(amount / seconds) if seconds > 0 else NOTHING
