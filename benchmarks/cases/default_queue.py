"""Steps of all sizes between two programs that say nothing of a queue: what users get who have read one page.

The limit is a pair of processes by hand that was told everything: two slots (64 for small steps), and for `put` each
way to copy that the processor has, of which the best counts. For `loan` it computes in place.
"""

import platform

from ..harness.native import program
from ..harness.results import Target
from ..harness.trial import Trial
from .base import MIB
from .field import FieldRate

KIB = 1 << 10
# Bytes a step: steps that count.
STEPS = {
    KIB: 20_000,
    32 * KIB: 20_000,
    MIB: 2_000,
    8 * MIB: 250,
    64 * MIB: 30,
    256 * MIB: 10,
    1024 * MIB: 5,
}
# Until every side knows what is fastest, and all slots are warm.
WARMUP = {size: max(12, steps // 4) if size < 1024 * MIB else 4 for size, steps in STEPS.items()}
COOLDOWN = 2
SMALL = 32 * KIB
# Beside NumPy's, which is "": of cpp/hand_copies.cpp.
COPIES = ("string", "plain", "streaming", "interleaved") if platform.machine() == "x86_64" else ()


class DefaultQueue(FieldRate):
    name = "default_queue"
    title = "Steps of all sizes at the default queue: 1 writer, 1 reader, float64, the reader sums every value"
    note = "Limit: by hand, the best of all ways to copy (put); in place (loan)."

    def trials(self, quick: bool) -> list[Trial]:
        sizes = [size for size in STEPS if not quick or KIB < size < 256 * MIB]
        by_hand = [("limit", copy) for copy in ("", *COPIES)]
        puts = [self._trial("put", size, *who) for size in sizes for who in (*by_hand, ("staithe", ""))]
        loans = [self._trial("loan", size, *who) for size in sizes for who in (by_hand[0], ("staithe", ""))]
        return puts + loans

    def _trial(self, kind: str, size: int, contender: str, copy: str) -> Trial:
        return Trial(
            case=self.name,
            contender=contender,
            point=f"{kind}, {size // MIB} MiB" if size >= MIB else f"{kind}, {size // KIB} KiB",
            settings={
                "kind": kind,
                "items": size // 8,
                "queue": 64 if size <= SMALL else 2,
                "default_queue": True,
                "reserve": False,
                **({"copy": (str(program("libhand_copies.so")), copy)} if copy else {}),
                "warmup": WARMUP[size],
                "steps": STEPS[size],
                "cooldown": COOLDOWN,
            },
        )

    def targets(self, row: str) -> tuple[Target, ...]:
        return (Target(0.95, "limit"),)


CASE = DefaultQueue()
