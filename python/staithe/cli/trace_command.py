"""`staithe trace`."""

from __future__ import annotations

from pathlib import Path

from ..workflow import TraceSummary, merge
from .shown import shown


def merge_traces(directory: Path, output: Path) -> None:
    """Puts the traces in a directory together as one file."""
    print(traced(merge(directory, output)))


def traced(summary: TraceSummary) -> str:
    """What a trace holds, and what to do with it."""
    lost = f", {summary.lost} more were lost" if summary.lost else ""
    return (
        f"trace: {summary.spans} spans of {summary.processes} processes{lost}; "
        f"open {shown(str(summary.file))} in https://ui.perfetto.dev"
    )
