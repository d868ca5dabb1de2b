"""Large steps to a server on another host, and from there: what a writer puts, and what a reader gets, each alone.

The limits are iperf3 on one connection, which sends the same 128 KiB again and again, and a socket pair by hand, from
memory into memory. Writer and reader are the same process, one after the other; the server has a core of its own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Contender, untyped
from ..contenders.staithe import Staithe
from ..harness.results import Target
from ..harness.trial import Outcome, Seat, Trial
from .base import Case, Stopwatch, check
from .hosts_throughput import field_trial, read_steps, write_steps

SIZE = 64
PUT, GET = f"put, {SIZE} MiB", f"get, {SIZE} MiB"
TO_SERVER = {"writers": ("alpha",), "readers": ("beta",)}
FROM_SERVER = {"writers": ("beta",), "readers": ("alpha",)}


class ServersElsewhere(Case):
    name = "servers_elsewhere"
    title = "Large steps to a server on another host, and from there, float64"
    note = (
        "Put: until the server has them. Get: of steps that it keeps; nobody sums. One connection; ours: as many as "
        "are worth it. iperf3: no steps, the same 128 KiB. socket_pair: by hand, from memory into memory."
    )

    def trials(self, quick: bool) -> list[Trial]:
        steps = 10 if quick else 24  # as many are in the server's memory at last
        return [
            field_trial(
                self.name,
                contender,
                PUT if network is TO_SERVER else GET,
                SIZE,
                steps=steps,
                network=network,
                server=True,
                server_beside="reader",
            )
            for network in (TO_SERVER, FROM_SERVER)
            for contender in ("iperf3", "socket_pair", "staithe")
            if contender != "staithe" or network is TO_SERVER  # which does both
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        if not isinstance(contender, Staithe):
            return write_steps(contender, seat)
        put = _put(seat, "put", keep=seat.queue)
        _put(seat, "kept", keep=seat.steps)
        return {PUT: put, GET: _get(seat, "kept")}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        # Beside the server this one has nothing to do.
        return {} if isinstance(contender, Staithe) else read_steps(contender, seat)

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return (PUT, GET) if trial.contender == "staithe" else (trial.point,)

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        if outcome.program:
            return {trial.point: outcome.program["bytes_per_second"] / 1e9}
        seconds = outcome.writers[0] if trial.contender == "staithe" else {trial.point: outcome.readers[0]["seconds"]}
        total = 8e-9 * trial.settings["items"] * trial.settings["steps"]
        return {row: total / seconds[row] for row in self.rows(trial)}

    def unit(self, row: str) -> str:
        return "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        return Target(0.85, "iperf3"), Target(0.95, "socket_pair")


def _put(seat: Seat, stream: str, keep: int) -> float:
    """The seconds of the steps that count; the first ones touch the server's memory."""
    field = np.ones(seat.items)
    options = {"queue_steps": seat.queue, "queue_bytes": 1 << 40, "readers": 0, "keep": keep}
    with untyped("staithe").writer(stream, placement="servers", timeout=seat.trial.timeout, **options) as out:
        watch = Stopwatch(seat)
        for number in range(seat.steps):
            field[0] = number + 1.0
            with out.step() as step:
                step.put("x", field)
            watch.done()
    return watch.seconds


def _get(seat: Seat, stream: str) -> float:
    with untyped("staithe").reader(stream, timeout=seat.trial.timeout) as steps:
        watch = Stopwatch(seat)
        for step in steps:
            check(step.index, float(step["x"][...][0]), step.index + 1.0)
            watch.done()
    return watch.seconds


CASE = ServersElsewhere()
