"""Large steps from one writer to one reader on another host, on a core each.

The limits are iperf3 on one connection, which sends the same 128 KiB again and again to nobody who looks at them, and a
socket pair by hand, from memory into memory. Who only fetches has writers that compute in place where they can.
Processor time is that of all threads and of the kernel for them, as iperf3 counts its own.
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..contenders.base import Contender
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .base import MIB, Case, Stopwatch, check

NETWORK: Mapping[str, Any] = {"writers": ("alpha",), "readers": ("beta",)}
# MiB a step: steps that count.
STEPS = {1: 1500, 8: 300, 64: 40, 256: 12}
SLOW = {"sst", "ray"}
CONTENDERS = ("socket_pair", "staithe", "mpi", "zeromq", "sst", "ray", "flight")


def write_steps(contender: Contender, seat: Seat) -> Mapping[str, Any]:
    """A field that is computed once, of which a value changes; for who sums nothing, it is computed in place."""
    writer = contender.writer(seat)
    field = np.ones(seat.items)
    watch = Stopwatch(seat)
    for step in range(seat.steps):
        if seat.settings["sums"]:
            field[0] = step + 1.0
            writer.put({"x": field})
        else:
            with writer.lend("x", seat.items) as lent:
                if step < seat.warmup:  # memory that nobody has written may be one page of zeros, and stay in the cache
                    lent.fill(1.0)
                lent[0] = step + 1.0
            del lent
        watch.done()
    writer.close()
    return {"processor_seconds": watch.processor_seconds}


def read_steps(contender: Contender, seat: Seat) -> Mapping[str, Any]:
    """Sums every value, or looks at a single one."""
    reader = contender.reader(seat)
    watch = Stopwatch(seat)
    for step in range(seat.steps):
        x = reader.next()["x"]
        if seat.settings["sums"]:
            check(step, float(x.sum()), seat.items + float(step))
        else:
            check(step, float(x[0]), step + 1.0)
        del x
        watch.done()
        time.sleep(seat.settings.get("pause", 0.0))
    return {
        "seconds": watch.seconds,
        "processor_seconds": watch.processor_seconds,
        "slow_steps": watch.slow_steps(),
    }


def field_trial(case: str, contender: str, point: str, size: int, **others: Any) -> Trial:
    """Steps of so many MiB."""
    steps = others.pop("steps", None) or STEPS[size]
    network = others.pop("network", NETWORK)
    settings = {"size": size, "items": size * MIB // 8, "queue": 2, "sums": False, "warmup": 4, "cooldown": 2}
    return Trial(
        case=case,
        contender=contender,
        point=point,
        settings=settings | {"steps": max(6, steps // 4) if contender in SLOW else steps} | others,
        network=network,
    )


class HostsThroughput(Case):
    name = "hosts_throughput"
    title = "Between hosts, large steps: 1 writer, 1 reader, float64"
    note = "iperf3: one connection, no steps, the same 128 KiB. socket_pair: by hand, from memory into memory."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            field_trial(self.name, contender, f"{what}, {size} MiB", size, sums=what == "sum")
            for what in ("fetch", "sum")
            for size in ((8, 64) if quick else STEPS)
            for contender in ("iperf3", *CONTENDERS)
            if what == "fetch" or contender != "iperf3"
            if size == 64 or contender != "ray"  # which takes long to start
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return write_steps(contender, seat)

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        return read_steps(contender, seat)

    def rows(self, trial: Trial) -> tuple[str, ...]:
        # Ray's stores, which are processes of their own, do its work.
        sides = ("sender", "receiver") if trial.point.startswith("fetch") and trial.contender != "ray" else ()
        return (trial.point, *(f"{trial.point}: {side}'s processor time" for side in sides))

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        if outcome.program:
            rate = outcome.program["bytes_per_second"]
            busy = [outcome.program[f"{side}_seconds_per_byte"] for side in ("writer", "reader")]
        else:
            total = 8 * trial.settings["items"] * trial.settings["steps"]
            rate = total / outcome.readers[0]["seconds"]
            busy = [ranks[0]["processor_seconds"] / total for ranks in (outcome.writers, outcome.readers)]
        return dict(zip(self.rows(trial), (rate / 1e9, *(1e9 * each for each in busy)), strict=False))

    def better_of(self, row: str) -> Better:
        return "lower" if "processor" in row else "higher"

    def unit(self, row: str) -> str:
        return "s/GB" if "processor" in row else "GB/s"

    def targets(self, row: str) -> tuple[Target, ...]:
        if "processor" in row:
            return Target(1.1, "iperf3", "at most"), Target(1.1, "socket_pair", "at most")
        if "fetch" in row:
            return Target(0.9, "iperf3"), Target(0.95, "socket_pair")
        return Target(0.95, "socket_pair"), Target(1.5, "peers")


CASE = HostsThroughput()
