"""What our codecs ought to reach on each field, beside memcpy and SZ3."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .coders import LIMIT, SZ3
from .measure import Cell

Sense = Literal["≥", "≤"]


@dataclass(frozen=True)
class Verdict:
    """A target, and what was reached."""

    text: str
    met: bool
    reached: float
    unit: str


def at_least(bound: float, reached: float, unit: str) -> Verdict:
    return Verdict(f"≥ {bound:g} {unit}", reached >= bound, reached, unit)


def at_most(bound: float, reached: float, unit: str) -> Verdict:
    return Verdict(f"≤ {bound:g} {unit}", reached <= bound, reached, unit)


# GB/s in and out; the same as a share of memcpy's will do, too.
FAST_SPEED = {"positions": (2.0, 2.0)}
FAST_SPEED_ELSE = (4.5, 5.0)
FAST_OF_LIMIT = 0.3
FAST_OF_SZ3 = 15.0
DENSE_SPEED, DENSE_SPEED_FINE = 2.0, 1.0
# Ratios as shares of SZ3's.
FAST_RATIO = {"turbulence": 0.75, "smooth": 0.4}
DENSE_RATIO = {"turbulence": 0.95, "positions": 0.95, "smooth": 0.75}
DENSE_RATIO_FINE = 0.9
COARSE, FINE = 1e-3, 1e-5


def verdicts(cell: Cell, others: Sequence[Cell]) -> tuple[Verdict, ...]:
    """Of a cell, given all those of the same field and bound."""
    if not cell.encoding:
        return ()
    by_name = {other.coder: other for other in others}
    found: list[Verdict] = []
    if cell.coder == "dq fast" and cell.share == COARSE:
        wanted = FAST_SPEED.get(cell.kind, FAST_SPEED_ELSE)
        of_limit = _against(cell, by_name.get(LIMIT))
        for way, speed, least, share in zip(("in", "out"), cell.speeds, wanted, of_limit, strict=True):
            enough = speed >= least or share >= FAST_OF_LIMIT
            found.append(Verdict(f"{way} ≥ {least:g} GB/s or {FAST_OF_LIMIT:g} × memcpy", enough, speed, "GB/s"))
        for way, faster in zip(("in", "out"), _against(cell, by_name.get(SZ3)), strict=True):
            found.append(at_least(FAST_OF_SZ3, faster, f"× SZ3 {way}"))
        found += _ratio(cell, by_name.get(SZ3), FAST_RATIO.get(cell.kind))
    elif cell.coder == "dq dense" and cell.share in (COARSE, FINE):
        fine = cell.share == FINE
        least = DENSE_SPEED_FINE if fine else DENSE_SPEED
        found += [at_least(least, speed, f"GB/s {way}") for way, speed in zip(("in", "out"), cell.speeds, strict=True)]
        found += _ratio(cell, by_name.get(SZ3), DENSE_RATIO_FINE if fine else DENSE_RATIO.get(cell.kind))
    return tuple(found)


def _against(cell: Cell, other: Cell | None) -> tuple[float, float]:
    nothing = (float("nan"), float("nan"))
    return cell.times_faster(other) if other and other.encoding else nothing


def _ratio(cell: Cell, sz3: Cell | None, least: float | None) -> list[Verdict]:
    if least is None or sz3 is None or not sz3.encoding:
        return []
    return [at_least(least, cell.ratio / sz3.ratio, "× SZ3's ratio")]
