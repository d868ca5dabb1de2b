"""A version that was put in very many small blocks, beside one of the same shape that was put in one.

It is read at once, and when the server has made few blocks of them. Memory is the server's own, without the memory for
blocks: what it must remember of each.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..contenders.base import Array, Contender, untyped
from ..contenders.staithe import Staithe
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, check

ITEMS = 128  # of a block: 1 KiB
MANY, ONE, PUTS, INDEX = "read, many blocks", "read, one block", "puts", "memory of the server, a block"
EARLY, MERGING = "read at once, many blocks", "until they are merged"
REPEATS = 3  # of the reads


class ServersBlocks(Case):
    name = "servers_blocks"
    title = "One version in very many blocks of 1 KiB, in a space of a server on the same machine"
    note = (
        "100,000 blocks (20,000 in a quick run). Read: all of it, into an array of one's own; at once, and after the "
        "server has merged its blocks."
    )
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
            if block == blocks - 1:  # before it is complete, and looked at
                rate = block / (time.perf_counter() - began)
                index = (own_memory(contender.server.pid) - before) / block
            space.put("many", values * block, offset=block * seat.items, shape=shape, version=0)
        expected = np.repeat(np.arange(float(blocks)), seat.items)
        began = time.perf_counter()
        early = _read(space, "many", expected, repeats=1)
        while space.versions("many")[0].blocks > blocks // 1000:
            time.sleep(0.001)
        merging = time.perf_counter() - began
        many, one = _read(space, "many", expected), _read(space, "one", np.ones(shape))
        seconds = {EARLY: early, MERGING: merging, MANY: many, ONE: one}
        return {PUTS: rate, INDEX: index} | {kind: 1e3 * each for kind, each in seconds.items()}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (PUTS, EARLY, MERGING, MANY, ONE, INDEX)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return outcome.writers[0]

    def unit(self, row: str) -> str:
        return {PUTS: "1/s", INDEX: "B"}.get(row, "ms")

    def better_of(self, row: str) -> Better:
        return "higher" if row == PUTS else "lower"

    def targets(self, row: str) -> tuple[Target, ...]:
        targets = {MANY: Target(1.5, ONE, "at most"), INDEX: Target(200, sense="at most")}
        return (targets[row],) if row in targets else ()


def _read(space: Any, name: str, expected: Array, repeats: int = REPEATS) -> float:
    """The shortest time of some."""
    own = np.empty_like(expected)
    seconds = []
    for _ in range(repeats):
        own.fill(-1.0)
        began = time.perf_counter()
        space.get(name, out=own)
        seconds.append(time.perf_counter() - began)
        check(0, float(np.abs(own - expected).sum()), 0.0)
    return min(seconds)


def own_memory(pid: int) -> int:
    """Bytes of anonymous pages: blocks lie in shared ones."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith("Pss_Anon"))


CASE = ServersBlocks()
