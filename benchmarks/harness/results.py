"""What was measured, set against its targets: tables of rows of cells. Plain values; nothing here runs anything."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import Literal

OURS, LIMIT = "staithe", "limit"
# Of the network, which hands over no steps; and by hand.
NO_PEERS = (OURS, LIMIT, "iperf3", "socket_pair")
Better = Literal["higher", "lower"]


@dataclass
class Cell:
    """One contender's values, one a repeat (NaN where a repeat failed), and why there are none."""

    values: list[float] = field(default_factory=list)
    failure: str = ""

    @property
    def measured(self) -> list[float]:
        return [value for value in self.values if not math.isnan(value)]

    @property
    def median(self) -> float:
        return median(self.measured) if self.measured else math.nan


@dataclass(frozen=True)
class Target:
    """Our value, or its ratio to another's, is at least or at most so much."""

    bound: float
    against: str = ""  # a contender, "peers" (every one), a row of ours, or nothing: our value itself
    sense: Literal["at least", "at most"] = "at least"

    def text(self, unit: str) -> str:
        sign = "≥" if self.sense == "at least" else "≤"
        if not self.against:
            return f"{sign} {f'{self.bound:,.0f}' if self.bound >= 100 else f'{self.bound:g}'} {unit}"
        return f"{sign} {self.bound:g} × {'every peer' if self.against == 'peers' else self.against}"

    def met(self, value: float) -> bool:
        return value >= self.bound if self.sense == "at least" else value <= self.bound


@dataclass(frozen=True)
class Verdict:
    target: Target
    value: float  # NaN: there was nothing to compare

    @property
    def word(self) -> str:
        if math.isnan(self.value):
            return "not measured"
        return "met" if self.target.met(self.value) else "missed"


@dataclass
class Row:
    """One line of a table: what each contender reached at one point."""

    label: str
    unit: str
    better: Better
    cells: dict[str, Cell]
    targets: tuple[Target, ...] = ()
    ours_elsewhere: Mapping[str, Cell] = field(default_factory=dict)  # in the other rows, by their labels

    @property
    def peers(self) -> list[str]:
        return [name for name in self.cells if name not in NO_PEERS]

    @property
    def best_peer(self) -> str | None:
        measured = [name for name in self.peers if self.cells[name].measured]
        pick = max if self.better == "higher" else min
        return pick(measured, key=lambda name: self.cells[name].median) if measured else None

    def ratio(self, other: str | None) -> float:
        """Ours over the other's: the median over the repeats, each of which ran both in turn."""
        cells = {**self.ours_elsewhere, **self.cells}
        if other is None or other not in cells or OURS not in cells:
            return math.nan
        pairs = zip(cells[OURS].values, cells[other].values, strict=False)
        ratios = [ours / theirs for ours, theirs in pairs if not math.isnan(ours + theirs) and theirs]
        return median(ratios) if ratios else math.nan

    def verdicts(self) -> list[Verdict]:
        return [Verdict(target, self._value_for(target)) for target in self.targets]

    def _value_for(self, target: Target) -> float:
        if not target.against:
            return self.cells[OURS].median if OURS in self.cells else math.nan
        return self.ratio(self.best_peer if target.against == "peers" else target.against)


@dataclass
class Table:
    """A case's results."""

    case: str
    title: str
    note: str
    rows: list[Row] = field(default_factory=list)

    @property
    def contenders(self) -> list[str]:
        names: dict[str, None] = {}
        for row in self.rows:
            names.update(dict.fromkeys(row.cells))
        return list(names)

    @property
    def failures(self) -> Mapping[str, str]:
        """Per contender, the first reason why a cell of it is empty."""
        found: dict[str, str] = {}
        for row in self.rows:
            for name, cell in row.cells.items():
                if cell.failure and name not in found:
                    found[name] = cell.failure
        return found


def number(value: float) -> str:
    """Three digits that count, at least."""
    if math.isnan(value):
        return "–"
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"
