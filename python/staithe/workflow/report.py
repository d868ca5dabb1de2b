"""What is left of a run when it is over: how programs ended, and what went through its streams."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .launch import RunDirectories
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
    """The end of a run.

    `streams` has the totals of those that the workflow names and of those that it does not; `opened` which program
    opened which stream, also where nothing is known of its totals.
    """

    outcome: Outcome
    seconds: float
    streams: tuple[StreamReport, ...]
    opened: Mapping[str, str]
    trace: TraceSummary | None = None

    def stream(self, name: str) -> StreamReport | None:
        """The totals of one stream, None if they are not known."""
        return next((stream for stream in self.streams if stream.name == name), None)


def stream_reports(
    names: Iterable[str], directories: RunDirectories, samples: Mapping[str, Sample]
) -> tuple[tuple[StreamReport, ...], dict[str, str]]:
    """The totals of the streams of a workflow and of all others, as their writers left them or as they were last seen;
    and who opened which."""
    names = tuple(names)
    opened = {name: sample.stats.program for name, sample in samples.items()} | _opened(directories)
    reports = []
    for name in (*names, *sorted(opened.keys() - set(names))):
        report = _closed(name, directories.summaries / f"{name}.json")
        if report is None and name in samples:
            report = StreamReport(name, samples[name].stats, None)
        if report is not None:
            reports.append(report)
    return tuple(reports), opened


def _opened(directories: RunDirectories) -> dict[str, str]:
    """The writers of streams, by what they left when they closed them, or by their contacts if they never did."""
    opened = {}
    for file in (*directories.contacts.glob("*.stream.contact"), *directories.summaries.glob("*.json")):
        try:
            opened[file.name.removesuffix(".stream.contact").removesuffix(".json")] = str(
                json.loads(file.read_text())["program"]
            )
        except (OSError, ValueError, KeyError, TypeError):
            continue
    return opened


def _closed(name: str, file: Path) -> StreamReport | None:
    try:
        stats = StreamStats.of(json.loads(file.read_text()))
        if stats.ended is None:
            return None
        return StreamReport(name, stats, max(0.0, stats.ended - stats.started))
    except (OSError, ValueError, KeyError, TypeError):
        return None
