"""Throughput against the speed of the link, as lines: a panel a field, a line for each way that values may go."""

import math
from pathlib import Path

import matplotlib as mpl
from matplotlib.figure import Figure

from .machine import Machine
from .results import OURS, Table

# Colours that those who see red and green alike can tell apart (Okabe and Ito); what is chosen stands out.
COLOURS = ("#0072B2", "#999999", "#56B4E9", "#E69F00", "#D55E00", "#CC79A7")
PANEL = 3.6  # inches


def draw(path: Path, machine: Machine, table: Table) -> None:
    """Of a table whose rows are called "5 Gbit/s, field: way"; the first way is ours."""
    mpl.rcParams["svg.hashsalt"] = "staithe"  # the same numbers give the same file
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
                links, rates, "o-", color=COLOURS[number], label=way, linewidth=1 if number else 2.5, markersize=4
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
    figure.text(1.0, 0.0, f"{machine.processor}, {machine.date}", ha="right", va="bottom", fontsize=6, color="#666666")
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None, dpi=150)
