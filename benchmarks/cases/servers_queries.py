"""Where a condition holds in 10,000 blocks of 1 MiB, in a space of a server on the same machine.

The limit is NumPy over the same memory, block by block, where it lies: over the blocks that can match, and over all.
What a block has at least and at most is noted by the first query, which is not counted.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ..contenders.base import Array, Contender, untyped
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check, median_seconds

ITEMS = MIB // 8  # of a block
REPEATS = 5
TOP = 1e6
FEW, BY_HAND_FEW, BY_HAND_ALL = "1 % of the blocks can match", "NumPy over that 1 %", "NumPy over all"
BEYOND = "1 % of the blocks can match, beyond NumPy over these"
UNPRUNED, BY_HAND_UNPRUNED = "all of a tenth of the blocks can match", "NumPy over that tenth"


class ServersQueries(Case):
    name = "servers_queries"
    title = "Queries of a space of a server on the same machine"
    note = "10,000 blocks of 1 MiB (1,000 in a quick run). Each finds the same few values, and copies them out."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        settings = {"blocks": 1_000 if quick else 10_000, "server": True}
        return [Trial(case=self.name, contender="staithe", point=FEW, settings=settings, readers=0, timeout=300)]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        blocks = seat.settings["blocks"]
        space = untyped("staithe").space("queries", server="staithe", timeout=seat.trial.timeout)
        noise = np.random.default_rng(1).random(ITEMS)
        _put(space, "T", blocks, lambda block: _with_top(noise, block % 100 == 50))
        _put(space, "u", blocks // 10, lambda block: np.roll(noise, 7 * block))
        views, chances = _blocks_of(space, "T", blocks), _blocks_of(space, "u", blocks // 10)
        by_query, by_hand_few = _compared(space, f"T > {TOP / 2}", views[50::100], TOP / 2)
        threshold = float(np.sort(noise)[-3])  # two values of each block are above
        by_hand_all = _median_of(lambda: _by_hand(views, TOP / 2))
        unpruned, by_hand_unpruned = _compared(space, f"u > {threshold!r}", chances, threshold)
        return {
            FEW: by_query,
            BY_HAND_FEW: by_hand_few,
            BEYOND: by_query - by_hand_few,
            BY_HAND_ALL: by_hand_all,
            UNPRUNED: unpruned,
            BY_HAND_UNPRUNED: by_hand_unpruned,
        }

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (FEW, BY_HAND_FEW, BEYOND, BY_HAND_ALL, UNPRUNED, BY_HAND_UNPRUNED)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return {row: 1e3 * seconds for row, seconds in outcome.writers[0].items()}

    def unit(self, row: str) -> str:
        return "ms"

    def targets(self, row: str) -> tuple[Target, ...]:
        targets = {
            FEW: Target(0.05, BY_HAND_ALL, "at most"),
            BEYOND: Target(5, sense="at most"),
            UNPRUNED: Target(1.05, BY_HAND_UNPRUNED, "at most"),
        }
        return (targets[row],) if row in targets else ()


def _put(space: Any, name: str, blocks: int, values: Callable[[int], Array]) -> None:
    for block in range(blocks):
        space.put(name, values(block), offset=block * ITEMS, shape=blocks * ITEMS, version=0)


def _with_top(values: Array, has_top: bool) -> Array:
    values = values.copy()
    values[ITEMS // 2 : ITEMS // 2 + 2] += TOP * has_top
    return values


def _blocks_of(space: Any, name: str, blocks: int) -> list[Array]:
    """Each where it lies, its pages touched."""
    box = untyped("staithe").Box
    views = [space.get(name, box=box((block * ITEMS,), (ITEMS,))) for block in range(blocks)]
    for view in views:
        view[:: 4096 // 8].sum()
    return views


def _by_hand(blocks: Sequence[Array], threshold: float) -> Array:
    return np.concatenate([block[np.flatnonzero(block > threshold)] for block in blocks])


def _compared(space: Any, condition: str, blocks: Sequence[Array], threshold: float) -> tuple[float, float]:
    """The seconds of a query, and by hand over the blocks that can match."""
    found, expected = space.query(condition).values.sum(), _by_hand(blocks, threshold).sum()
    check(0, round(float(found), 3), round(float(expected), 3))
    return _median_of(lambda: space.query(condition).values), _median_of(lambda: _by_hand(blocks, threshold))


def _median_of(call: Callable[[], object]) -> float:
    return median_seconds(call, REPEATS, discarded=0)


CASE = ServersQueries()
