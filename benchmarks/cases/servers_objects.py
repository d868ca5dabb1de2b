"""Large objects, put to a server and got back, on one machine; each is put in place of the last.

The limit is np.copyto between pages that are there already. `got` copies what is kept into an array of one's own;
`looked at` is what Staithe and the limit need where a look is enough, without a copy.
"""

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import numpy as np

from ..contenders.base import Contender, ObjectStore
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, check

PUT, GOT, LOOK = "put", "got", "looked at"
WARMUP = 3


class ServersObjects(Case):
    name = "servers_objects"
    title = "Large objects in a space of a server on the same machine"
    note = "Limit: memcpy of as much. Looked at: where it lies, without a copy; every page is read before it is timed."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=f"{size} MiB",
                settings={"items": size * MIB // 8, "calls": 5 if quick else 20, "server": True},
                readers=0,
            )
            for size in (64,)
            for contender in ("limit", "staithe", "redis")
        ]

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return self.keep(contender.objects(seat), seat.settings)

    def keep(self, objects: ObjectStore, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        source, own = np.ones(settings["items"]), np.ones(settings["items"])
        seconds: dict[str, list[float]] = {PUT: [], GOT: [], LOOK: []}

        def timed(kind: str, call: Callable[[], object]) -> None:
            began = time.perf_counter()
            call()
            seconds[kind].append(time.perf_counter() - began)

        for number in range(WARMUP + settings["calls"]):
            source[-1] = number
            timed(PUT, lambda: objects.put("x", source))
            check(number, float(objects.get("x").sum()), source.size - 1 + number)
            timed(GOT, lambda: np.copyto(own, objects.get("x")))
            check(number, own[-1], number)
            timed(LOOK, lambda: objects.get("x"))
        return {kind: median(each[WARMUP:]) for kind, each in seconds.items()}

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return tuple(f"{kind}, {trial.point}" for kind in (PUT, GOT, LOOK))

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        seconds = outcome.writers[0] if outcome.writers else outcome.program
        size = 8 * trial.settings["items"] / 1e9
        reached = {PUT: size / seconds[PUT], GOT: size / seconds[GOT], LOOK: 1e3 * seconds[LOOK]}
        return {f"{kind}, {trial.point}": value for kind, value in reached.items()}

    def unit(self, row: str) -> str:
        return "ms" if row.startswith(LOOK) else "GB/s"

    def better_of(self, row: str) -> Better:
        return "lower" if row.startswith(LOOK) else "higher"

    def targets(self, row: str) -> tuple[Target, ...]:
        if row.startswith(LOOK):
            return (Target(1.0, sense="at most"),)
        return Target(0.8, "limit"), Target(5.0, "redis")


CASE = ServersObjects()
