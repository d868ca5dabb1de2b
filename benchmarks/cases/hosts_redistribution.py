"""Four writers on two hosts hold rows of a two-dimensional array, four readers on two others want columns of it.

The limit is iperf3 on two connections at once, one from each writers' host to a readers' host: the links together.
MPI's ranks exchange parts of every pair, as alltoallw does. All share two cores here. Whether some processes have more
to carry than others is seen where each has a host, and a cable, of its own.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from ..contenders.base import Contender
from ..harness.results import Better, Target
from ..harness.trial import Outcome, Seat, Trial
from .redistribution import Redistribution

NETWORK = {"writers": ("alpha", "beta"), "readers": ("gamma", "delta")}
STEPS = {64: 16, 256: 6}
RANKS = 4
APART = {f"{role}s": tuple(f"{role}{rank}" for rank in range(RANKS)) for role in ("writer", "reader")}
SPREAD = "bytes of a process, most over mean"


class HostsRedistribution(Redistribution):
    name = "hosts_redistribution"
    title = "Between hosts, redistribution: 4 writers with rows × 4 readers with columns, on 2 + 2 hosts"
    note = "Of all readers together. iperf3: two connections, from each writers' host to a readers' host."

    def trials(self, quick: bool) -> list[Trial]:
        return [
            Trial(
                case=self.name,
                contender=contender,
                point=point,
                settings={
                    "size": size,
                    "queue": 2,
                    "warmup": 3,
                    "steps": STEPS[size],
                    "cooldown": 2,
                    "connections": 2,
                },
                writers=RANKS,
                readers=RANKS,
                network=network,
            )
            for size in ((64,) if quick else STEPS)
            for point, network, contenders in (
                (f"{size} MiB", NETWORK, ("iperf3", "staithe", "mpi")),
                (f"{size} MiB: {SPREAD}", APART, ("staithe", "mpi")),
            )
            for contender in contenders
        ]

    def repeats(self, quick: bool) -> int:
        return 1 if quick else 3

    def write(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        _, before = carried()
        result = super().write(contender, seat)
        _, after = carried()
        return {**result, "bytes": after - before}

    def read(self, contender: Contender, seat: Seat) -> Mapping[str, Any]:
        before, _ = carried()
        result = super().read(contender, seat)
        after, _ = carried()
        return {**result, "bytes": after - before}

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        if outcome.program:
            return {trial.point: outcome.program["bytes_per_second"] / 1e9}
        if trial.point.endswith(SPREAD):
            return {trial.point: max(_spread(outcome.writers), _spread(outcome.readers))}
        return super().measures(trial, outcome)

    def better_of(self, row: str) -> Better:
        return "lower" if row.endswith(SPREAD) else "higher"

    def unit(self, row: str) -> str:
        return "×" if row.endswith(SPREAD) else super().unit(row)

    def targets(self, row: str) -> tuple[Target, ...]:
        if row.endswith(SPREAD):
            return (Target(1.1, sense="at most"),)
        return Target(0.8, "iperf3"), Target(2.0, "mpi")


def carried() -> tuple[int, int]:
    """Bytes that this host's cable has brought and taken away so far."""
    cables = (line.split() for line in Path("/proc/self/net/dev").read_text().splitlines())
    [cable] = [words for words in cables if words[0] == "eth0:"]
    return int(cable[1]), int(cable[9])


def _spread(ranks: Sequence[Mapping[str, Any]]) -> float:
    carried = [float(rank["bytes"]) for rank in ranks]
    return max(carried) / fmean(carried)


CASE = HostsRedistribution()
