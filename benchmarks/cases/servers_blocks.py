"""A version that was put in very many small blocks, beside one of the same shape that was put in one.

Memory is the server's own, without the memory for blocks: what it must remember of each.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..contenders.base import Contender, untyped
from ..contenders.staithe import Staithe
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, check

ITEMS = 128  # of a block: 1 KiB
MANY, ONE, PUTS, INDEX = "read, many blocks", "read, one block", "puts", "memory of the server, a block"
REPEATS = 3  # of the reads


class ServersBlocks(Case):
    name = "servers_blocks"
    title = "One version in very many blocks of 1 KiB, in a space of a server on the same machine"
    note = "100,000 blocks (20,000 in a quick run). Read: all of it, into an array of one's own."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        settings = {"items": ITEMS, "blocks": 20_000 if quick else 100_000, "server": True}
        return [Trial(case=self.name, contender="staithe", point=MANY, settings=settings, readers=0, timeout=120)]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        assert isinstance(contender, Staithe)
        space = untyped("staithe").space("blocks", server="staithe")
        blocks, values = seat.settings["blocks"], np.ones(seat.items)
        shape = blocks * seat.items
        space.put("one", np.ones(shape))
        before, began = own_memory(contender.server.pid), time.perf_counter()
        for block in range(blocks):
            space.put("many", values, offset=block * seat.items, shape=shape, version=0)
        rate = blocks / (time.perf_counter() - began)
        index = (own_memory(contender.server.pid) - before) / blocks
        return {PUTS: rate, INDEX: index} | {kind: 1e3 * _read(space, kind, shape) for kind in (MANY, ONE)}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (PUTS, MANY, ONE, INDEX)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return outcome.writers[0]

    def unit(self, row: str) -> str:
        return {PUTS: "1/s", INDEX: "B"}.get(row, "ms")

    def better_of(self, row: str) -> Better:
        return "higher" if row == PUTS else "lower"

    def targets(self, row: str) -> tuple[Target, ...]:
        targets = {MANY: Target(1.5, ONE, "at most"), INDEX: Target(200, sense="at most")}
        return (targets[row],) if row in targets else ()


def _read(space: Any, kind: str, items: int) -> float:
    """The shortest time of some."""
    own = np.ones(items)
    seconds = []
    for number in range(REPEATS):
        own[:] = number
        began = time.perf_counter()
        space.get("one" if kind == ONE else "many", out=own)
        seconds.append(time.perf_counter() - began)
        check(number, float(own.sum()), items)
    return min(seconds)


def own_memory(pid: int) -> int:
    """Bytes of anonymous pages: blocks lie in shared ones."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss_Anon"))


CASE = ServersBlocks()
