"""Rates from counters: how fast a stream goes now, not on average since its start."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from .stats import StreamStats

_WINDOW_SECONDS = 3.0


@dataclass(frozen=True)
class Rates:
    """Steps and bytes a second, and the part of the time that the writer waited for its readers."""

    steps: float
    bytes: float
    stall: float


class RateMeter:
    """The rates of one stream over the last seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, StreamStats]] = deque()

    def update(self, stats: StreamStats, now: float) -> Rates | None:
        """Takes a sample; None until there are two of the same writer."""
        if self._samples and self._samples[-1][1].started != stats.started:
            self._samples.clear()
        self._samples.append((now, stats))
        while len(self._samples) > 2 and now - self._samples[1][0] >= _WINDOW_SECONDS:
            self._samples.popleft()
        before, first = self._samples[0]
        elapsed = now - before
        if elapsed <= 0.0:
            return None
        return Rates(
            steps=(stats.steps - first.steps) / elapsed,
            bytes=(stats.bytes - first.bytes) / elapsed,
            stall=min(1.0, max(0.0, (stats.stall_seconds - first.stall_seconds) / elapsed)),
        )
