"""Measures all coders on a field in turn, again and again, so that the machine's noise falls on everyone alike.

Time is that of the process's processor core, kernel included: nobody else uses this process, and on a shared machine
nobody pays for others. One core, as `transforms.py` pins it.
"""

import dataclasses
import math
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import median
from typing import TypeVar

import numpy as np

from .coders import Coder
from .fields import Array, Field

# A call that is quicker is made again and again for so long, in seconds.
SHORTEST = 0.01
T = TypeVar("T")


@dataclasses.dataclass
class Cell:
    """One coder on one field within one bound. Times are in seconds, one a repeat."""

    field: str
    kind: str
    share: float  # of the range: the bound; 0: exact
    coder: str
    nbytes: int = 0
    encoding: list[float] = dataclasses.field(default_factory=list)
    decoding: list[float] = dataclasses.field(default_factory=list)
    ratio: float = math.nan
    bits: float = math.nan  # a value
    psnr: float = math.nan
    worst: float = math.nan  # error, over the bound
    failure: str = ""

    @property
    def speeds(self) -> tuple[float, float]:
        """GB/s in and out."""
        return self._speed(self.encoding), self._speed(self.decoding)

    def times_faster(self, other: "Cell") -> tuple[float, float]:
        """Than the other, in and out: the median over the repeats that both took part in."""
        return _ratio(other.encoding, self.encoding), _ratio(other.decoding, self.decoding)

    def _speed(self, seconds: list[float]) -> float:
        return self.nbytes / median(seconds) / 1e9 if seconds else math.nan


def _ratio(theirs: list[float], ours: list[float]) -> float:
    ratios = [b / a for a, b in zip(ours, theirs, strict=False)]
    return median(ratios) if ratios else math.nan


def measure(
    source: Field, share: float, all_coders: Sequence[Coder], repeats: int, progress: Callable[[str], None]
) -> list[Cell]:
    """Raises Unavailable, if there is no such field here."""
    coders = [coder for coder in all_coders if coder.takes_part(share)]
    array = source.load()
    bound = share * source.span(array)
    out = np.zeros_like(array)
    cells = [
        Cell(source.name, source.kind, share, coder.name, array.nbytes, failure=coder.missing()) for coder in coders
    ]
    for repeat in range(-1, repeats):  # the first one warms up, and looks at what comes out
        for coder, cell in zip(coders, cells, strict=True):
            if cell.failure or repeat >= coder.most_repeats:
                continue
            if repeat < 0:
                try:
                    look(source, array, bound, coder, cell)
                except Exception as problem:  # a peer's own; the run goes on
                    cell.failure = f"{type(problem).__name__}: {problem}"
                continue
            payload, seconds = _timed(partial(coder.encode, array, bound, source.fill))
            cell.encoding.append(seconds)
            cell.decoding.append(_timed(partial(coder.decode, payload, out))[1])
        progress(f"{source.name}, {share:g}: {max(repeat + 1, 0)} of {repeats}")
    return cells


def look(source: Field, array: Array, bound: float, coder: Coder, cell: Cell) -> None:
    """Fills in what does not depend on time: size and error."""
    payload = coder.encode(array, bound, source.fill)
    cell.ratio = array.nbytes / coder.size(payload)
    cell.bits = 8 * array.itemsize / cell.ratio
    decoded = coder.decode(payload, np.zeros_like(array))
    if not bound:
        cell.worst = 0.0 if decoded.tobytes() == array.tobytes() else math.inf
        return
    counts = source.counts(array)
    error = decoded[counts].astype("f8") - array[counts].astype("f8")
    cell.worst = float(np.abs(error).max()) / bound
    mean_square = float(np.mean(error**2))
    cell.psnr = 10 * math.log10(source.span(array) ** 2 / mean_square) if mean_square else math.inf


def rate_distortion(source: Field, coders: Sequence[Coder], shares: Sequence[float]) -> Iterator[Cell]:
    """Size and error of all that lose something, within many bounds. Takes no times."""
    array = source.load()
    span = source.span(array)
    for coder in coders:
        if not coder.lossy or coder.missing():
            continue
        for share in shares:
            cell = Cell(source.name, source.kind, share, coder.name, array.nbytes)
            look(source, array, share * span, coder, cell)
            yield cell


def _timed(call: Callable[[], T]) -> tuple[T, float]:
    """What the call returned at last, and the seconds that it takes."""
    began = time.process_time()
    calls, seconds = 0, 0.0
    while seconds < SHORTEST:
        result = call()
        calls, seconds = calls + 1, time.process_time() - began
    return result, seconds / calls
