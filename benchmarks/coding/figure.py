"""Two pictures: how much is lost for how few bits, and how fast for how small."""

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from ..harness.figure import save
from ..harness.machine import Machine
from .coders import LIMIT, title_of
from .measure import Cell

# Colours that those who see red and green alike can tell apart (Okabe and Ito), and darker ones for what has no loss. A
# codec of ours that wraps a peer has the peer's colour.
COLOURS = {
    "dq": "#0072B2",
    "sz3": "#009E73",
    "zfp": "#E69F00",
    "sperr": "#D55E00",
    "zstd -1": "#CC79A7",
    "shuffle+lz4": "#56B4E9",
    "bitshuffle+lz4": "#1F4E6B",
    "shuffle+zstd": "#F0E442",
    "bitshuffle+zstd": "#8A8218",
    "shuffle+zlib": "#999999",
    "bitshuffle+zlib": "#444444",
}
ELSE = "#000000"
MARKERS = {"fast": "o", "dense": "s", "": "^"}
LEGEND = "● fast, ■ dense, ▲ peers"
COLUMNS = 4


def draw_rates(path: Path, machine: Machine, cells: Sequence[Cell]) -> None:
    """PSNR against bits a value: a panel a field, a line a coder, a point a bound."""
    kept = [cell for cell in cells if cell.worst <= 1]
    names = list(dict.fromkeys(cell.field for cell in kept))
    figure = Figure(figsize=(12, 1 + 2.7 * math.ceil(len(names) / COLUMNS)), layout="constrained")
    for place, name in enumerate(names):
        axes = figure.add_subplot(math.ceil(len(names) / COLUMNS), COLUMNS, place + 1)
        of_field = [cell for cell in kept if cell.field == name]
        for coder, points in groupby(of_field, lambda cell: cell.coder):
            line = [(cell.bits, cell.psnr) for cell in points if math.isfinite(cell.psnr)]
            family, marker = _look(coder)
            axes.plot(*zip(*line, strict=True), marker=marker, ms=3, lw=1, color=COLOURS.get(family, ELSE))
        axes.set_xscale("log")
        _describe(axes, name, "bits a value", "PSNR, dB")
    _finish(path, figure, machine, kept)


def draw_speeds(path: Path, machine: Machine, cells: Sequence[Cell]) -> None:
    """GB/s against the ratio: a panel a bound and a way, a point a field."""
    measured = [cell for cell in cells if cell.encoding and cell.coder != LIMIT]
    shares = list(dict.fromkeys(cell.share for cell in measured))
    figure = Figure(figsize=(12, 1 + 4.2 * len(shares)), layout="constrained")
    for line, share in enumerate(shares):
        for way, label in enumerate(("in", "out")):
            axes = figure.add_subplot(len(shares), 2, 2 * line + way + 1)
            for cell in measured:
                if cell.share == share:
                    family, marker = _look(cell.coder)
                    marker = marker if cell.worst <= 1 else "x"
                    axes.plot(cell.ratio, cell.speeds[way], marker, ms=4, color=COLOURS.get(family, ELSE))
            limits = [
                cell.speeds[way] for cell in cells if cell.coder == LIMIT and cell.share == share and cell.encoding
            ]
            for limit in limits:
                axes.axhline(limit, lw=0.3, color="#999999")
            axes.set_xscale("log")
            axes.set_yscale("log")
            title = f"{label}, {title_of(share)} (a point a field; ×: the bound is broken; grey: memcpy)"
            _describe(axes, title, "ratio", "GB/s")
    _finish(path, figure, machine, measured)


def _look(coder: str) -> tuple[str, str]:
    """What the colour stands for, and the marker."""
    for mode, marker in MARKERS.items():
        if mode and coder.endswith(f" {mode}"):
            return coder.removesuffix(f" {mode}"), marker
    return (coder.lower() if coder.lower() in COLOURS else coder), MARKERS[""]


def _describe(axes: Axes, title: str, across: str, up: str) -> None:
    axes.set_title(title, fontsize=8, loc="left")
    axes.set_xlabel(across, fontsize=7)
    axes.set_ylabel(up, fontsize=7)
    axes.tick_params(labelsize=6, which="both")
    axes.grid(visible=True, lw=0.3, color="#dddddd")
    axes.spines[["top", "right"]].set_visible(False)


def _finish(path: Path, figure: Figure, machine: Machine, cells: Sequence[Cell]) -> None:
    families = dict.fromkeys(_look(cell.coder)[0] for cell in cells)
    patches = [mpl.patches.Patch(color=COLOURS.get(name, ELSE), label=name) for name in families]
    figure.legend(handles=patches, title=LEGEND, loc="outside upper center", ncols=min(len(patches), 6), frameon=False)
    save(figure, path, machine)
