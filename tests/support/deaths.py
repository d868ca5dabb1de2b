"""Programs that are killed at one of their calls of the system, each in turn (kill_shim.c)."""

from __future__ import annotations

import random
from pathlib import Path

from compiled import kill_shim

import thoroughness

NEVER = 10**9


class Death:
    """That of a program, once `arm` has said at which moment."""

    def __init__(self, place: Path) -> None:
        self.file = place / "death"

    @property
    def environment(self) -> dict[str, str]:
        return {"LD_PRELOAD": str(kill_shim()), "KILL_SHIM": str(self.file)}

    def arm(self, moment: int) -> None:
        draft = self.file.with_suffix(".draft")
        draft.write_text(str(moment))
        draft.rename(self.file)

    def moments(self) -> int:
        """How many there were in a life that has ended well."""
        return int(self.file.with_suffix(".count").read_text())


def moments(count: int, what: str, tries: int) -> list[int]:
    """Some of so many."""
    return sorted(random.Random(f"{thoroughness.SEED} {what}").sample(range(1, count + 1), min(tries, count)))
