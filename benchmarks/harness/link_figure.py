"""Throughput against the speed of the link, as lines: a panel a field, a line for each way that values may go."""

import math
from pathlib import Path

from matplotlib.figure import Figure

from .figure import COLOURS_APART, save
from .machine import Machine
from .results import OURS, Table

PANEL = 3.6  # inches


def draw(path: Path, machine: Machine, table: Table) -> None:
    """Of a table whose rows are called "5 Gbit/s, field: way"; the first way is ours."""
    fields: dict[str, dict[str, list[tuple[float, float]]]] = {}
    for row in table.rows:
        link, rest = row.label.split(", ", 1)
        field, way = rest.split(": ")
        if not math.isnan(row.cells[OURS].median):
            ways = fields.setdefault(field, {})
            ways.setdefault(way, []).append((float(link.split()[0]), row.cells[OURS].median))
    figure = Figure(figsize=(PANEL * len(fields), PANEL + 0.6), layout="constrained")
    panels = figure.subplots(1, len(fields), sharey=True, squeeze=False)[0]
    for axes, (field, ways) in zip(panels, fields.items(), strict=True):
        for number, (way, points) in enumerate(ways.items()):
            links, rates = zip(*sorted(points), strict=True)
            axes.plot(
                links, rates, "o-", color=COLOURS_APART[number], label=way, linewidth=1 if number else 2.5, markersize=4
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xticks(links, [f"{link:g}" for link in links], fontsize=7)
        axes.minorticks_off()
        axes.tick_params(axis="y", labelsize=7)
        axes.set_title(field, fontsize=8, loc="left")
        axes.set_xlabel("link, Gbit/s", fontsize=7)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("values, GB/s (more is better)", fontsize=7)
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(labels), frameon=False, fontsize=8)
    save(figure, path, machine)
