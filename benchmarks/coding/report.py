"""The results on the terminal, as Markdown and as JSON."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table as Grid

from ..harness.machine import Machine
from ..harness.markdown import insert, line
from ..harness.results import number
from .coders import LIMIT, SZ3, title_of
from .extras import Row
from .fields import FIELDS
from .measure import Cell
from .targets import Verdict, verdicts

HEADS = (
    "field",
    "coder",
    "in, GB/s",
    "out, GB/s",
    "in and out ÷ memcpy",
    "in and out ÷ SZ3",
    "ratio",
    "ratio ÷ SZ3",
    "target",
)
NOTE = "GB/s of the array's bytes on one core. †: an error is larger than the bound."


@dataclass
class Results:
    """Of one run."""

    machine: Machine
    cells: list[Cell]  # those of a bound together, and within it those of a field
    extras: list[Row]
    failures: dict[str, str]  # fields that could not be had

    def bounds(self) -> list[tuple[float, list[Cell]]]:
        return [(share, list(cells)) for share, cells in groupby(self.cells, lambda cell: cell.share)]


@dataclass(frozen=True)
class Line:
    """One row of a table: its cells as text, and what is asked of it."""

    cells: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    ours: bool


def lines_of(cells: Sequence[Cell]) -> list[Line]:
    """Of the cells within one bound."""
    found = []
    for _, group in groupby(cells, lambda cell: cell.field):
        others = list(group)
        by_name = {cell.coder: cell for cell in others}
        limit, sz3 = by_name.get(LIMIT), by_name.get(SZ3)
        for place, cell in enumerate(others):
            label = cell.field if place == 0 else ""
            if cell.failure:
                found.append(Line((label, cell.coder, cell.failure, *[""] * 5), (), False))
                continue
            broken = " †" if cell.worst > 1 else ""
            texts = (
                label,
                cell.coder,
                *(number(speed) for speed in cell.speeds),
                _pair(cell, limit),
                _pair(cell, sz3),
                number(cell.ratio) + broken,
                number(cell.ratio / sz3.ratio) if sz3 and cell.coder != LIMIT else "",
            )
            found.append(Line(texts, verdicts(cell, others), cell.coder.endswith(("fast", "dense"))))
    return found


def _pair(cell: Cell, other: Cell | None) -> str:
    if other is None or other is cell or not other.encoding:
        return ""
    return " and ".join(number(times) for times in cell.times_faster(other))


def show(console: Console, results: Results) -> None:
    for share, cells in results.bounds():
        grid = Grid(title=f"[bold]{title_of(share).capitalize()}[/bold]\n[dim]{NOTE}[/dim]", title_justify="left")
        for head in HEADS:
            grid.add_column(head, justify="left" if head in ("field", "coder", "target") else "right")
        for row in lines_of(cells):
            style = "bold" if row.ours else ""
            grid.add_row(*map(escape, row.cells), "\n".join(map(_coloured, row.verdicts)), style=style)
        console.print(grid)
    grid = Grid(title="[bold]Threads, boxes, probe[/bold]", title_justify="left")
    for head in ("", "measured", "target"):
        grid.add_column(head)
    for extra in results.extras:
        grid.add_row(extra.label, extra.text, "\n".join(map(_coloured, extra.verdicts)))
    console.print(grid)
    for name, reason in results.failures.items():
        console.print(f"  [yellow]{name}[/yellow]: {escape(reason)}", highlight=False)
    all_verdicts = [verdict for row in _all_verdicts(results) for verdict in row]
    met = sum(verdict.met for verdict in all_verdicts)
    console.print(f"Targets: [green]{met} met[/green], [red]{len(all_verdicts) - met} missed[/red]")


def _all_verdicts(results: Results) -> list[tuple[Verdict, ...]]:
    found = [row.verdicts for _, cells in results.bounds() for row in lines_of(cells)]
    return found + [extra.verdicts for extra in results.extras]


def _coloured(verdict: Verdict) -> str:
    colour = "green" if verdict.met else "red"
    return f"[{colour}]{escape(_plain(verdict))}[/{colour}]"


def _plain(verdict: Verdict) -> str:
    return f"{verdict.text}: {'met' if verdict.met else 'missed'} ({number(verdict.reached)})"


def write_markdown(path: Path, results: Results) -> None:
    machine = results.machine
    parts = [f"{machine.line}.\n{machine.versions_line}.\n", f"{NOTE} Fields:\n"]
    parts[-1] += "".join(f"\n- {field.name}: {field.origin}" for field in FIELDS) + "\n"
    for share, cells in results.bounds():
        rows = [line(list(HEADS)), line(["---", "---", *["--:"] * 6, "---"])]
        for row in lines_of(cells):
            texts = [f"**{text}**" if row.ours and place == 1 else text for place, text in enumerate(row.cells)]
            rows.append(line([*texts, "<br>".join(map(_emphasised, row.verdicts))]))
        parts.append(f"### {title_of(share).capitalize()}\n\n" + "\n".join(rows) + "\n")
    if results.extras:
        rows = [line(["", "measured", "target"]), line(["---"] * 3)]
        rows += [line([e.label, e.text, "<br>".join(map(_emphasised, e.verdicts))]) for e in results.extras]
        parts.append("### Threads, boxes, probe\n\n" + "\n".join(rows) + "\n")
    parts += [f"{name}: {reason}\n" for name, reason in results.failures.items()]
    insert(path, "transforms", "\n".join(parts))


def _emphasised(verdict: Verdict) -> str:
    return _plain(verdict).replace("missed", "**missed**")


def write_json(path: Path, results: Results) -> None:
    document = {
        "machine": asdict(results.machine),
        "cells": [
            {**asdict(cell), "targets": [asdict(verdict) for verdict in row.verdicts]}
            for _, cells in results.bounds()
            for cell, row in zip(cells, lines_of(cells), strict=True)
        ],
        "extras": [asdict(extra) for extra in results.extras],
        "failures": results.failures,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(_without_nan(document), indent=1) + "\n")


def _without_nan(value: Any) -> Any:
    """JSON has none, nor infinities."""
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    return value
