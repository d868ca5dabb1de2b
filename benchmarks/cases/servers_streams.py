"""Large steps from one writer to one reader by way of a server on the same machine, beside the same without it.

The limit is that of `throughput`: two processes by hand, with one memcpy into shared memory that both have touched. The
server moves no bytes, so it has no core of its own. Redis has one program that puts and gets in turn, since its server
does one of both at a time anyway.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import ObjectStore
from ..harness.results import LIMIT, Target
from ..harness.trial import Outcome, Trial
from .base import MIB, check
from .field import FieldRate
from .throughput import COOLDOWN, SLOW, STEPS, WARMUP

SIZE = 64
PRODUCER, SERVERS = f"at placement producer, {SIZE} MiB", f"by a server, {SIZE} MiB"


class ServersStreams(FieldRate):
    name = "servers_streams"
    title = (
        "Large steps by way of a server on the same machine: 1 writer, 1 reader, float64, the reader sums every value"
    )
    note = (
        "Limit: two slots of pre-faulted shared memory by hand, one copy in. At placement producer: without a server."
    )

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=point,
                settings={
                    "kind": "put",
                    "items": SIZE * MIB // 8,
                    "queue": 2,
                    "warmup": WARMUP,
                    "steps": max(6, STEPS[SIZE] // 4) if contender in (*SLOW, "redis") else STEPS[SIZE],
                    "cooldown": COOLDOWN,
                    "server": point == SERVERS,
                },
                environment={"STAITHE_PLACEMENT": "servers"} if point == SERVERS else {},
            )
            for point, contenders in ((PRODUCER, ("staithe",)), (SERVERS, (LIMIT, "staithe", "ray", "redis")))
            for contender in contenders
        ]

    def keep(self, objects: ObjectStore, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        field = np.ones(settings["items"])
        for step in range(settings["warmup"] + settings["steps"]):
            if step == settings["warmup"]:
                began = time.perf_counter()
            field[step] += 1.0
            objects.put("x", field)
            check(step, float(objects.get("x").sum()), field.size + step + 1)
        return {"seconds": time.perf_counter() - began}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        return super().measures(trial, Outcome(readers=(outcome.program,)) if outcome.program else outcome)

    def targets(self, row: str) -> tuple[Target, ...]:
        if row == PRODUCER:
            return ()
        return Target(0.85, PRODUCER), Target(5.0, "ray"), Target(5.0, "redis")


CASE = ServersStreams()
