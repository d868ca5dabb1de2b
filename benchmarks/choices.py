"""Draws what was chosen for pieces of fields, and what came of it: `choices.py build/bench/choices.svg`, as root."""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY))

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks.cases.in_flight_choices import CASE
from benchmarks.cases.in_flight_links import AS_IT_IS, OWN
from benchmarks.cases.in_flight_predictions import values_of
from benchmarks.harness.figure import COLOURS_APART, save
from benchmarks.harness.launch import Launcher
from benchmarks.harness.machine import Machine, describe_machine

Pieces = list[dict[str, Any]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("figure", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))[:2]
    launcher = Launcher(cores)
    pieces_of: dict[str, Pieces] = {}
    for trial in CASE.trials(arguments.quick):
        outcome = launcher.run(trial)
        if outcome.failure:
            raise SystemExit(f"{trial.point}: {outcome.failure}")
        [writer] = outcome.writers
        pieces_of[trial.point] = writer["pieces"]
        print(f"{trial.point}: {len(writer['pieces'])} pieces, R² {determination(writer['pieces']):.2f}", flush=True)
    together = [piece for pieces in pieces_of.values() for piece in pieces]
    print(f"all: {len(together)} pieces, R² {determination(together):.2f}")
    draw(arguments.figure, pieces_of, describe_machine(cores, {}))


def determination(pieces: Pieces) -> float:
    """Which share of how the times of pieces vary was foreseen."""
    expected, measured = (np.array([piece[key] for piece in pieces]) for key in ("expected_us", "at_work_us"))
    coded = np.array([piece["codec"] != AS_IT_IS for piece in pieces])
    if coded.sum() < 2:
        return float("nan")
    squares = np.sum((measured - expected)[coded] ** 2)
    return float(1 - squares / np.sum((measured[coded] - measured[coded].mean()) ** 2))


def draw(path: Path, pieces_of: dict[str, Pieces], machine: Machine) -> None:
    ways = {piece["codec"] for pieces in pieces_of.values() for piece in pieces}
    known = [way for way in (OWN, AS_IT_IS) if way in ways]
    colours = dict(zip([*known, *sorted(ways.difference(known))], COLOURS_APART, strict=False))
    figure = Figure(figsize=(3.4 * len(pieces_of), 5.6), layout="constrained")
    grid = figure.add_gridspec(3, len(pieces_of), height_ratios=(1.0, 0.12, 1.0))
    for column, (field, pieces) in enumerate(pieces_of.items()):
        plane, strip, scatter = (figure.add_subplot(grid[row, column]) for row in range(3))
        values = values_of(field)
        plane.imshow(values[:, :, values.shape[2] // 2].T, aspect="auto", cmap="gray", extent=(0, 1, 0, 1))
        plane.set_title(field, fontsize=8, loc="left")
        plane.set_axis_off()
        _draw_choices(strip, pieces, values.nbytes, colours)
        _draw_times(scatter, pieces, colours)
    handles = [mpl.patches.Patch(color=colour, label=way) for way, colour in colours.items()]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, fontsize=8)
    save(figure, path, machine)


def _draw_choices(axes: Axes, pieces: Pieces, block: int, colours: dict[str, str]) -> None:
    """What was chosen how often for each part of the block, which lies below the plane as it does in memory."""
    for piece in pieces[-len(pieces) // 2 :]:
        axes.barh(
            0,
            piece["bytes"] / block,
            left=piece["first"] / block,
            color=colours[piece["codec"]],
            alpha=0.2,
            height=1,
            rasterized=True,
        )
    axes.set_xlim(0, 1)
    axes.set_axis_off()


def _draw_times(axes: Axes, pieces: Pieces, colours: dict[str, str]) -> None:
    coded = [piece for piece in pieces if piece["codec"] != AS_IT_IS]
    for piece in coded:
        axes.plot(
            piece["expected_us"] / 1e3,
            piece["at_work_us"] / 1e3,
            ".",
            color=colours[piece["codec"]],
            markersize=3,
            rasterized=True,
        )
    if coded:
        ends = [min(piece["at_work_us"] for piece in coded) / 1e3, max(piece["at_work_us"] for piece in coded) / 1e3]
        axes.plot(ends, ends, "-", color="#999999", linewidth=0.8)
    axes.set_xlabel("expected, ms", fontsize=7)
    axes.set_ylabel("at work on a piece, ms", fontsize=7)
    axes.tick_params(labelsize=7)
    axes.spines[["top", "right"]].set_visible(False)


if __name__ == "__main__":
    main()
