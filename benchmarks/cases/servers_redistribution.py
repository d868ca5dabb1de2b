"""Four writers hold rows of a two-dimensional array, two servers keep it together, four readers want columns of it.

The limit is that of `redistribution`: one process that does the same strided copy in its own memory. The contenders'
processes, ten with the servers, share two cores. Balance: the greatest of the bytes that a server holds at the end, as
a share of their mean.
"""

from collections.abc import Mapping
from typing import Any

from ..contenders.base import Contender
from ..contenders.staithe import Staithe
from ..harness.results import LIMIT, Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .redistribution import SHAPES, STEPS, WRITERS, Redistribution

SERVERS, READERS = 2, 4
BALANCE = "greatest share of a server"


class ServersRedistribution(Redistribution):
    name = "servers_redistribution"
    title = "Redistribution in a space: 4 writers with rows × 2 servers × 4 readers with columns"
    readers = READERS

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=f"{size} MiB",
                # The servers' memory is touched for the first time in the first steps.
                settings={
                    "size": size,
                    "queue": 2,
                    "warmup": 8,
                    "steps": STEPS[size],
                    "cooldown": 2,
                    "servers": SERVERS,
                },
                writers=0 if contender == LIMIT else WRITERS,
                readers=1 if contender == LIMIT else READERS,
            )
            for size in ((64,) if quick else SHAPES)
            for contender in (LIMIT, "staithe", "mpi")
        ]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        super().write(contender, seat)
        if not isinstance(contender, Staithe) or seat.rank > 0:
            return {}
        held = contender.held_bytes()
        return {BALANCE: max(held) * len(held) / sum(held)}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (trial.point, f"{trial.point}, {BALANCE}") if trial.contender == "staithe" else (trial.point,)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        measured = dict(super().measures(trial, outcome))
        if trial.contender == "staithe":
            measured[f"{trial.point}, {BALANCE}"] = outcome.writers[0][BALANCE]
        return measured

    def unit(self, row: str) -> str:
        return "× mean" if row.endswith(BALANCE) else super().unit(row)

    def better_of(self, row: str) -> Better:
        return "lower" if row.endswith(BALANCE) else "higher"

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(1.1, sense="at most"),) if row.endswith(BALANCE) else (Target(0.7, LIMIT),)


CASE = ServersRedistribution()
