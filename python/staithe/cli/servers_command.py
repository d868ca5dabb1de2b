"""`staithe servers`."""

from __future__ import annotations

import json
import math

from rich.console import Console

from ..workflow import stats
from .shown import shown
from .tables import Table, print_table
from .units import NOTHING, rate, size


def list_servers(as_json: bool, address: str | None) -> None:
    """Prints the servers that can be found, or those at an address alone, what they keep, and the devices."""
    descriptions, others = list(stats.describe_servers(address)), stats.describe_devices(address)
    if as_json:
        kinds = [("server", descriptions), ("device", others)]
        rows = [{**each, "kind": kind} for kind, all_of_them in kinds for each in all_of_them]
        print(json.dumps(rows, indent=2, default=str))
        return
    devices = _devices(others)
    if not descriptions and devices is None:
        print(f"no servers {f'at {address}' if address else f'in {shown(stats.run_directory())}'}")
        return
    tables = [_servers(descriptions), _streams(descriptions), devices]
    for number, table in enumerate(table for table in tables if table is not None):
        if number > 0:
            print()
        print_table(table, Console())


def _servers(descriptions: list[stats.Description]) -> Table | None:
    table = Table(
        ("server", "pid", "clients", "memory", "disk", "space", "variables", "versions", "blocks", "data"),
        numbers=("pid", "clients", "memory", "disk", "variables", "versions", "blocks", "data"),
    )
    for server in descriptions:
        if "error" in server:
            table.add(server["name"], *[NOTHING] * 4, str(server["error"]), *[NOTHING] * 4)
            continue
        first = (_name(server), str(server["pid"]), str(server["clients"]), _memory(server), _disk(server))
        for space, what in sorted(server["spaces"].items()) or [(NOTHING, None)]:
            counts = [str(what[key]) for key in ("variables", "versions", "blocks")] if what else [NOTHING] * 3
            table.add(*first, space, *counts, size(what["bytes"]) if what else NOTHING)
            first = ("",) * 5
    return table if table.rows else None


def _name(server: stats.Description) -> str:
    return f"{server['name']} (draining)" if server["draining"] else str(server["name"])


def _memory(server: stats.Description) -> str:
    most = server["memory_limit"]
    return size(server["memory"]) + ("" if most is None else f" of {size(most)}")


def _disk(server: stats.Description) -> str:
    persisted = server["persisted"]
    return NOTHING if persisted is None else size(persisted["bytes"] + server["spilled"])


def _streams(descriptions: list[stats.Description]) -> Table | None:
    table = Table(
        ("server", "stream", "state", "ranks", "steps", "kept", "readers", "memory"),
        numbers=("ranks", "steps", "kept", "readers", "memory"),
    )
    any_there = False
    for server in descriptions:
        for name, stream in sorted(server.get("streams", {}).items()):
            counts = [str(stream[key]) for key in ("ranks", "steps", "kept", "readers")]
            table.add(server["name"], name, stream["state"], *counts, size(stream["memory"]))
            any_there = True
    return table if any_there else None


def _devices(descriptions: list[stats.Description]) -> Table | None:
    table = Table(
        ("device", "pid", "cores", "clients", "parts", "data", "ratio", "encoded at"),
        numbers=("pid", "cores", "clients", "parts", "data", "ratio", "encoded at"),
    )
    for device in descriptions:
        name, pid = str(device["name"]), str(device.get("pid", NOTHING))
        if "error" in device:
            table.add(name, pid, str(device["error"]), *[NOTHING] * 5)
            continue
        # As it says itself, whatever its version: what it does not say, or no number is, nobody knows.
        cores, clients, parts, data, coded, seconds = (
            _number(device, key) for key in ("cores", "clients", "parts", "bytes", "coded", "seconds")
        )
        table.add(
            name,
            pid,
            *(NOTHING if count is None else str(count) for count in (cores, clients, parts)),
            NOTHING if data is None else size(int(data)),
            f"{data / coded:.3g}" if data and coded else NOTHING,
            rate(data / seconds) if data and seconds else NOTHING,
        )
    return table if table.rows else None


def _number(description: stats.Description, key: str) -> int | float | None:
    value = description.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) and value >= 0 else None
