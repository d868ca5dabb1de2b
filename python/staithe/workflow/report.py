"""What is left of a run when it is over: how programs ended, and what went through its streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .sampler import Sample
from .stats import StreamStats
from .supervisor import Outcome
from .trace import TraceSummary


@dataclass(frozen=True)
class StreamReport:
    """The totals of one stream; `seconds` is its life, None if its writer never closed it."""

    name: str
    stats: StreamStats
    seconds: float | None

    @property
    def bytes_per_second(self) -> float | None:
        """The rate over the stream's life."""
        return self.stats.bytes / self.seconds if self.seconds else None


@dataclass(frozen=True)
class RunReport:
    """The end of a run."""

    outcome: Outcome
    seconds: float
    streams: tuple[StreamReport, ...]
    never_opened: tuple[str, ...]
    trace: TraceSummary | None = None


def stream_reports(
    names: Iterable[str], summaries: Path, samples: Mapping[str, Sample]
) -> tuple[tuple[StreamReport, ...], tuple[str, ...]]:
    """The streams' totals, as their writers left them or as they were last seen; and those never seen."""
    reports, never = [], []
    for name in names:
        report = _closed(name, summaries / f"{name}.json")
        if report is None and name in samples:
            report = StreamReport(name, samples[name].stats, None)
        if report is None:
            never.append(name)
        else:
            reports.append(report)
    return tuple(reports), tuple(never)


def _closed(name: str, file: Path) -> StreamReport | None:
    try:
        stats = StreamStats.of(json.loads(file.read_text()))
        if stats.ended is None:
            return None
        return StreamReport(name, stats, max(0.0, stats.ended - stats.started))
    except (OSError, ValueError, KeyError, TypeError):
        return None
