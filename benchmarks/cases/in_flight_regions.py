"""How often the way that is chosen for a region is the best one, and how much time is lost where it is not.

What every way would have taken is measured for each region once the run is over: encoded and decoded on the same core.
Encoding, sending and decoding go on beside each other, so that no region has a best way of its own: what a way adds
counts by what the three stages are worth. These prices are those of the best that could have been had, by the linear
programme that makes the longest of the three stages as short as it can be: its dual variables. At these prices the
cheapest way of a region is its best, as others are that cost little more, and what all cost tells what is lost.
"""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..contenders.base import Contender, untyped
from ..harness.results import Better, Target
from ..harness.trial import Seat, Trial
from .in_flight_choices import InFlightChoices, once_learnt
from .in_flight_links import AS_IT_IS, ERROR, LINKS, OWN
from .in_flight_predictions import HALF_NOISE, field_of, values_of

MODES = {OWN: "fast", f"{OWN}, dense": "dense"}
WAYS = (AS_IT_IS, *MODES)
FIELDS = ("miranda", "gray-scott", "turbulence", "positions", HALF_NOISE)
TIE = 1.02
PAYLOAD = 1448 / 1514  # of a full Ethernet frame, what TCP carries in it
STEPS = {"1 Gbit/s": 60, "5 Gbit/s": 120}
BEST, LOST = "regions that went the best way", "time lost"
TARGETS = {BEST: (Target(0.99),), LOST: (Target(0.015, sense="at most"),)}

Costs = NDArray[np.float64]  # seconds, by regions, ways and stages


class InFlightRegions(InFlightChoices):
    name = "in_flight_regions"
    title = "Between hosts, error 1e-3 of the range: the ways of regions beside what would have been best for them"
    note = "Shares, of regions of 1 to 4 MiB. A way that takes 2 % more time than the best is as good."
    measured = (BEST, LOST)
    wanted = TARGETS

    def trials(self, quick: bool) -> list[Trial]:
        names = (HALF_NOISE,) if quick else FIELDS
        return [
            replace(self.trial(name, LINKS[link], steps=steps, shifts=1), point=f"{link}, {name}")
            for name in names
            for link, steps in STEPS.items()
        ]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        own, all_threads = time.thread_time(), time.process_time()
        pieces = self.pieces_written(contender, seat)
        of_others = (time.process_time() - all_threads) - (time.thread_time() - own)
        passing = (of_others - sum(at_work(piece) for piece in pieces)) / sum(piece["coded"] for piece in pieces)
        pieces = once_learnt(pieces)
        regions = Counter((piece["first"], piece["bytes"]) for piece in pieces)
        costs = costs_of(seat.settings["field"], pieces, list(regions), passing, seat.trial.network["rate"])
        counts = np.array(list(regions.values()), float)
        prices = prices_of(costs * counts[:, None, None])
        at_prices = dict(zip(regions, costs @ prices, strict=True))
        took = np.array([at_prices[piece["first"], piece["bytes"]][WAYS.index(piece["codec"])] for piece in pieces])
        best = np.array([at_prices[piece["first"], piece["bytes"]].min() for piece in pieces])
        return {BEST: float(np.mean(took <= TIE * best)), LOST: float(took.sum() / best.sum() - 1)}

    def better_of(self, row: str) -> Better:
        return "higher" if row.endswith(BEST) else "lower"


def at_work(piece: Mapping[str, Any]) -> float:
    return 0.0 if piece["codec"] == AS_IT_IS else piece["at_work_us"] / 1e6


def costs_of(
    field: str, pieces: list[dict[str, Any]], regions: list[tuple[int, int]], passing: float, rate: float
) -> Costs:
    """Of each region, at each stage: `passing` is what a byte on the link takes of the core at either end."""
    coded = np.array([[[0.0, size, 0.0] for _ in WAYS] for _, size in regions])  # to encode, bytes, to decode
    values = values_of(field)
    bound = ERROR * field_of(field).span(values)
    for number, (first, size) in enumerate(regions):
        part = region_of(values, first, size)
        for way, mode in MODES.items():
            coded[number, WAYS.index(way)] = coding_of(part, mode, bound, field_of(field).fill)
    # Beside all else that goes on it takes longer than by itself.
    alone = [coded[regions.index((piece["first"], piece["bytes"])), WAYS.index(piece["codec"]), 0] for piece in pieces]
    coded[..., 0] *= sum(map(at_work, pieces)) / sum(alone)
    encode, length, decode = np.moveaxis(coded, -1, 0)
    return np.stack([encode + passing * length, length / (PAYLOAD * rate / 8), decode + passing * length], axis=-1)


def region_of(values: NDArray[Any], first: int, size: int) -> NDArray[Any]:
    """With as many dimensions as it has: whole planes, or a row of values."""
    flat = values.reshape(-1)[first // values.itemsize : (first + size) // values.itemsize]
    plane = values[0].size
    return flat.reshape(-1, *values.shape[1:]) if flat.size % plane == 0 else flat


def coding_of(part: NDArray[Any], mode: str, bound: float, fill: float | None) -> tuple[float, float, float]:
    """The seconds of a processor to encode it, the bytes that come of it, the seconds to decode them."""
    codecs = untyped("staithe").codecs
    out = np.empty_like(part)
    encoding, decoding = [], []
    for _ in range(3):
        began = time.process_time()
        payload = codecs.encode(part, OWN, mode, abs=bound, fill=fill)
        encoded = time.process_time()
        codecs.decode(payload, out=out)
        encoding.append(encoded - began)
        decoding.append(time.process_time() - encoded)
    return min(encoding), len(payload), min(decoding)


def prices_of(costs: Costs) -> Costs:
    """What a second of each stage is worth where the ways are those by which the longest takes least: 1 in all."""
    regions, ways, stages = costs.shape
    shares = costs.reshape(regions * ways, stages).T
    of_regions = np.kron(np.eye(regions), np.ones(ways))
    solved = untyped("scipy.optimize").linprog(
        np.append(np.zeros(regions * ways), 1.0),  # the longest stage, which comes last
        A_ub=np.column_stack([shares, -np.ones(stages)]),
        b_ub=np.zeros(stages),
        A_eq=np.column_stack([of_regions, np.zeros(regions)]),
        b_eq=np.ones(regions),
    )
    return -np.asarray(solved.ineqlin.marginals)


CASE = InFlightRegions()
