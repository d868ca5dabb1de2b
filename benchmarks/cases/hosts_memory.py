"""Memory of both processes at its peak, and of the reader's alone, over the bytes of a step.

What must be held: the writer's array and its queue of two steps, as on one host, and the array that its reader asked
for. Beside these the reader may have the step that is fetched ahead.
"""

from collections.abc import Mapping

from ..harness.results import Target
from ..harness.trial import Outcome, Trial
from .hosts_throughput import NETWORK
from .memory import Memory

READERS = "the reader's"


class HostsMemory(Memory):
    name = "hosts_memory"
    title = "Between hosts, memory of both processes, queue of two steps"
    note = "Peak over the bytes of a step; buffers of the kernel are not counted."
    network = NETWORK
    kinds = ("put",)
    contenders = ("socket_pair", "staithe", "zeromq")

    def rows(self, trial: Trial) -> tuple[str, ...]:
        return trial.point, f"{trial.point}: {READERS}"

    def measures(self, trial: Trial, outcome: Outcome) -> Mapping[str, float]:
        peaks = (outcome.peak_bytes, outcome.readers_peak_bytes)
        step = 8 * trial.settings["items"]
        return {row: peak / step for row, peak in zip(self.rows(trial), peaks, strict=True)}

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(1.05 * (2 if row.endswith(READERS) else 5), sense="at most"),)


CASE = HostsMemory()
