"""The results as Markdown, for the documentation."""

import math
from pathlib import Path

from .machine import Machine
from .results import LIMIT, OURS, Row, Table, number


def write(path: Path, machine: Machine, tables: list[Table], name: str) -> None:
    parts = [f"{machine.line}.\n{machine.versions_line}.\n"]
    parts += [_section(table) for table in tables]
    insert(path, name, "\n".join(parts))


def insert(path: Path, name: str, text: str) -> None:
    """A page that has the two lines `<!-- NAME: begin -->` and `<!-- NAME: end -->` keeps its own text around them."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    page = path.read_text() if path.exists() else ""
    if begin in page and end in page:
        before, rest = page.split(begin, 1)
        text = f"{before}{begin}\n{text}\n{end}{rest.split(end, 1)[1]}"
    path.write_text(text)


def _section(table: Table) -> str:
    names = table.contenders
    has_limit = LIMIT in names  # between hosts iperf3 and others are, and the targets say which
    ratios = ["÷ limit", "÷ best peer"] if has_limit else ["÷ best peer"]
    heads = ["", *(f"**{name}**" if name == OURS else name for name in names), *ratios, "target"]
    lines = [f"### {table.title}\n", f"{table.note}\n", line(heads)]
    lines.append(line(["---", *["--:"] * (len(names) + len(ratios)), "---"]))
    for row in table.rows:
        cells = [number(row.cells[name].median) if name in row.cells else "" for name in names]
        best = row.best_peer
        against_best = f"{number(row.ratio(best))} ({best})" if best and OURS in row.cells else ""
        against_limit = [number(row.ratio(LIMIT)) if LIMIT in row.cells else ""] if has_limit else []
        lines.append(line([f"{row.label}, {row.unit}", *cells, *against_limit, against_best, _targets(row)]))
    lines += [f"\n{name}: {reason}" for name, reason in table.failures.items()]
    return "\n".join(lines) + "\n"


def _targets(row: Row) -> str:
    return "<br>".join(
        f"{verdict.target.text(row.unit)}: "
        + (f"**{verdict.word}**" if verdict.word == "missed" else verdict.word)
        + ("" if math.isnan(verdict.value) else f" ({number(verdict.value)})")
        for verdict in row.verdicts()
    )


def line(cells: list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
