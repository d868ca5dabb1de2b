"""The results as one picture: a panel a case, a group of bars a row, a bar a contender."""

import math
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..contenders import NAMES
from .machine import Machine
from .results import LIMIT, OURS, Row, Table, number

LABELS = {
    LIMIT: "the limit, by hand",
    OURS: "Staithe",
    "iceoryx2": "iceoryx2",
    "mpi": "MPI (MPICH)",
    "sst": "ADIOS2 SST",
    "ray": "Ray",
}
# Colours that those who see red and green alike can tell apart (Okabe and Ito), ours the strongest.
COLOURS_APART = ("#0072B2", "#999999", "#56B4E9", "#E69F00", "#D55E00", "#CC79A7")
COLOURS = dict(zip(LABELS, (COLOURS_APART[1], COLOURS_APART[0], *COLOURS_APART[2:]), strict=True))
OTHERS = "#444444"
COLUMNS = 2
BAR = 0.8  # of the room of a row


def save(figure: Figure, path: Path, machine: Machine) -> None:
    """The same numbers give the same file."""
    mpl.rcParams["svg.hashsalt"] = "staithe"
    figure.text(1.0, 0.0, f"{machine.processor}, {machine.date}", ha="right", va="bottom", fontsize=6, color="#666666")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)


def draw(path: Path, machine: Machine, tables: list[Table]) -> None:
    tables = [table for table in tables if table.rows]
    lines = -(-len(tables) // COLUMNS)
    heights = [max(_bars(table) for table in tables[line * COLUMNS : (line + 1) * COLUMNS]) for line in range(lines)]
    figure = Figure(figsize=(12, 1.0 + sum(0.16 * bars + 0.9 for bars in heights)), layout="constrained")
    grid = figure.add_gridspec(lines, COLUMNS, height_ratios=[bars + 4 for bars in heights])
    for place, table in enumerate(tables):
        _panel(figure.add_subplot(grid[divmod(place, COLUMNS)]), table)
    seen = [name for name in NAMES if any(name in table.contenders for table in tables)]
    handles = [mpl.patches.Patch(color=COLOURS.get(name, OTHERS), label=LABELS.get(name, name)) for name in seen]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False)
    save(figure, path, machine)


def _rows(table: Table) -> list[Row]:
    """Those that share the first one's unit: one axis can show no more."""
    return [row for row in table.rows if row.unit == table.rows[0].unit]


def _bars(table: Table) -> int:
    return sum(len(row.cells) + 1 for row in _rows(table))


def _panel(axes: Axes, table: Table) -> None:
    rows = _rows(table)
    values = [cell.median for row in rows for cell in row.cells.values() if cell.median > 0]
    logarithmic = bool(values) and max(values) > 30 * min(values)
    if logarithmic:
        axes.set_xscale("log")
    position, ticks = 0.0, []
    for row in rows:
        first = position
        for name, cell in row.cells.items():
            if not math.isnan(cell.median):
                axes.barh(position, cell.median, BAR, color=COLOURS.get(name, OTHERS))
                axes.annotate(
                    number(cell.median), (cell.median, position), (3, 0), textcoords="offset points", va="center",
                    fontsize=6,
                )  # fmt: skip
            elif cell.failure:
                axes.annotate(
                    f"{name}: {cell.failure[:40]}", (0.0, position), (3, 0), xycoords=("axes fraction", "data"),
                    textcoords="offset points", va="center", fontsize=6, color="#666666",
                )  # fmt: skip
            position += 1
        ticks.append((first + position - 1) / 2)
        position += 1
    axes.set_yticks(ticks, [row.label for row in rows], fontsize=7)
    axes.set_ylim(position - 1.2, -1.0)
    axes.margins(x=0.15)
    axes.tick_params(axis="x", labelsize=7)
    axes.set_title(table.title, fontsize=8, loc="left")
    better = "more" if rows[0].better == "higher" else "less"
    axes.set_xlabel(f"{rows[0].unit} ({better} is better)", fontsize=7)
    axes.spines[["top", "right"]].set_visible(False)
