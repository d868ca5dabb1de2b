"""Memory of all processes where four writers, two servers and four readers share a version after the other.

What must be held: the blocks that are staged, and the writers' own blocks and the readers' own parts, which have the
size of a version each. Staged are the versions of the queue and those that are being put: one, or two where a writer is
ahead of the others. Counted is what comes on top of the imports, each at its peak.
"""

import threading
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..contenders.base import Contender
from ..contenders.staithe import Staithe
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB
from .servers_redistribution import ServersRedistribution

STAGED = "staged"
INTERVAL = 0.005  # seconds between looks


class ServersMemory(ServersRedistribution):
    name = "servers_memory"
    title = "Memory of all processes and segments: 4 writers × 2 servers × 4 readers, queue of two versions"
    note = "Peak over what must be held: the blocks in the servers at their peak, and the programs' own arrays."
    better: Better = "lower"

    def trials(self, quick: bool) -> list[Trial]:
        return [
            replace(trial, case=self.name, watch_memory=True)
            for trial in super().trials(quick)
            if trial.contender == "staithe"
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        if not isinstance(contender, Staithe) or seat.rank > 0:
            return super().write(contender, seat)
        most, ended = 0, threading.Event()

        def look() -> None:
            nonlocal most
            while not ended.wait(INTERVAL):
                most = max(most, sum(contender.held_bytes()))

        looking = threading.Thread(target=look)
        looking.start()
        try:
            super().write(contender, seat)
        finally:
            ended.set()
            looking.join()
        return {STAGED: most}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (trial.point,)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        must_be = outcome.writers[0][STAGED] + 2 * trial.settings["size"] * MIB
        return {trial.point: outcome.peak_bytes / must_be}

    def unit(self, row: str) -> str:
        return "× what must be"

    def better_of(self, row: str) -> Better:
        return "lower"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(1.05, sense="at most"),)


CASE = ServersMemory()
