"""Mean, variance, skewness and kurtosis of the field "u", step by step: as a reader program

    staithe analyse moments.py laplace

or, without a change, in the simulation's own thread (laplace_inline.yaml). Gives moments.csv and moments.png.

Every rank takes the blocks that it has at hand, where they lie. The moments of parts merge into those of the
whole by one-pass formulas that lose no digits to cancellation (P. Pebay, Formulas for robust, one-pass
parallel computation of covariances and arbitrary-order statistical moments, SAND2008-6212, 2008).
"""

import csv
import math
from collections.abc import Mapping
from functools import reduce
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import staithe


class Moments(NamedTuple):
    """The mean of some values, and the sums of the powers of their differences from it."""

    n: int = 0
    mean: float = 0.0
    m2: float = 0.0
    m3: float = 0.0
    m4: float = 0.0

    def statistics(self) -> tuple[float, float, float, float]:
        """Mean, variance, skewness, kurtosis (3 for a Gaussian); a constant field lacks the last two."""
        variance = self.m2 / self.n
        if variance == 0:
            return self.mean, variance, math.nan, math.nan
        # Products, not powers: those of large numbers raise OverflowError in Python, where these become infinite.
        return (
            self.mean,
            variance,
            self.m3 / self.n / (variance * math.sqrt(variance)),
            self.m4 / self.n / (variance * variance),
        )


def moments_of(values: NDArray[Any]) -> Moments:
    """In pieces that stay in the cache, however large the array."""
    pieces = np.array_split(values.ravel(), values.size // 16384 + 1)
    return reduce(merge, map(moments_of_piece, pieces), Moments())


def moments_of_piece(values: NDArray[Any]) -> Moments:
    if values.size == 0:
        return Moments()
    with np.errstate(invalid="ignore", over="ignore"):  # of values that are no numbers, or infinite, so are the moments
        mean = values.mean(dtype=float)
        difference = values - mean
        square = difference**2
        powers = square, square * difference, square**2
        return Moments(values.size, float(mean), *(float(power.sum()) for power in powers))


def merge(a: Moments, b: Moments) -> Moments:
    """The moments of both together."""
    n = a.n + b.n
    if n == 0:
        return a
    ab, delta = a.n * b.n, (b.mean - a.mean) / n
    square = delta * delta
    m2 = a.m2 + b.m2 + square * n * ab
    m3 = a.m3 + b.m3 + square * delta * n * ab * (a.n - b.n) + 3 * delta * (a.n * b.m2 - b.n * a.m2)
    m4 = a.m4 + b.m4 + square * square * n * ab * (a.n**2 - ab + b.n**2)
    m4 += 6 * square * (a.n**2 * b.m2 + b.n**2 * a.m2) + 4 * delta * (a.n * b.m3 - b.n * a.m3)
    return Moments(n, a.mean + b.n * delta, m2, m3, m4)


NAMES = ("mean", "variance", "skewness", "kurtosis")


class FieldMoments(staithe.Analysis):
    def start(self, group: staithe.Group, attrs: Mapping[str, Any]) -> None:
        self.group = group
        self.title = attrs.get("title", "")
        self.rows: list[tuple[float, ...]] = []

    def step(self, step: staithe.Step) -> None:
        moments = [moments_of(block.data) for block in step["u"].read(share="process")]
        if self.group.size > 1:
            from mpi4py import MPI

            moments = list(chain.from_iterable(MPI.COMM_WORLD.allgather(moments)))
        self.rows.append((step.attrs["sweep"], *reduce(merge, moments).statistics()))

    def finish(self) -> None:
        if self.group.rank == 0 and self.rows:
            with Path("moments.csv").open("w", newline="") as file:
                csv.writer(file).writerows([("sweep", *NAMES), *self.rows])
            draw(np.array(self.rows), self.title, Path("moments.png"))


def draw(rows: NDArray[Any], title: str, path: Path) -> None:
    figure = Figure(figsize=(7.2, 5), layout="constrained")
    figure.suptitle(title, x=0.01, ha="left")
    for axes, name, values in zip(figure.subplots(2, 2, sharex=True).flat, NAMES, rows[:, 1:].T, strict=True):
        axes.plot(rows[:, 0], values, color="#1f6f9f")
        axes.set_title(name, loc="left", fontsize=10)
        axes.spines[["top", "right"]].set_visible(False)
    figure.supxlabel("sweep", fontsize=10)
    figure.savefig(path, dpi=160)
