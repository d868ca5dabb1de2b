"""A finding: what is wrong, with whom, since when, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, order=True)
class Who:
    """A process that takes part in a stream; `rank` is its rank there, None where it has none."""

    program: str
    pid: int
    host: str
    rank: int | None = None

    @classmethod
    def of(cls, entry: Mapping[str, Any]) -> Who:
        """The process that a part of a stream's description names."""
        return cls(entry["program"], entry["pid"], entry["host"], entry.get("rank"))

    def __str__(self) -> str:
        rank = "" if self.rank is None else f" rank {self.rank}"
        return f"{self.program}{rank} (pid {self.pid} on {self.host})"


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. `seconds` is how long it has been so, None where nobody can tell."""

    kind: str
    what: str
    advice: str
    who: tuple[Who, ...] = ()
    seconds: float | None = None


def listed(names: list[str], most: int = 4) -> str:
    """`a, b and c`; of many only the first."""
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1]) if part)
