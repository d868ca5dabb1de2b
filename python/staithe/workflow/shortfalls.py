"""Where a run was not what its workflow says, although every program may have ended well: streams that nobody opened,
and streams that nobody read."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from .model import Placement, Stream, Workflow
from .report import RunReport, StreamReport


def shortfalls(workflow: Workflow, report: RunReport) -> list[str]:
    """What a user must know of, each as a line. Of a run that failed only what may have been the reason."""
    if report.outcome.interrupted is not None:
        return []
    return [f"{workflow.file}: streams.{stream.name}: {what}" for stream, what in _all(workflow, report)]


def readers_missing(stream: Stream, report: StreamReport) -> int:
    """How many of the reader groups that the workflow declares have never joined."""
    # The analyses that run inline read the stream as one group, however many they are.
    declared = min(1, len(stream.readers)) if stream.placement is Placement.INLINE else len(stream.readers)
    seen = report.stats.readers_seen
    # The last look at a stream that was never closed may have been before they came.
    return 0 if seen is None or report.seconds is None else max(0, declared - seen)


def ended_unread(workflow: Workflow, report: RunReport) -> dict[str, str]:
    """The programs that ended well and never joined the stream that they were to read, and that stream. It is known of
    streams that nobody joined."""
    ended_well = {ending.program for ending in report.outcome.endings if ending.returncode == 0}
    return {
        reader: stream.name
        for stream in workflow.streams
        if (totals := report.stream(stream.name)) and readers_missing(stream, totals) == len(stream.readers)
        for reader in stream.readers
        if reader in ended_well
    }


def _all(workflow: Workflow, report: RunReport) -> Iterator[tuple[Stream, str]]:
    declared = {stream.name for stream in workflow.streams}
    undeclared = {name: program for name, program in report.opened.items() if name not in declared}
    for stream in workflow.streams:
        if stream.is_recording:
            continue
        totals, writer = report.stream(stream.name), workflow.process_of(stream.source)
        if stream.name not in report.opened:
            candidates = {name: program for name, program in undeclared.items() if program == writer}
            # A program may leave out what nobody reads.
            if candidates or (undeclared and stream.readers):
                yield stream, _misnamed(stream, candidates or undeclared)
            elif stream.readers and report.outcome.ok:
                yield (
                    stream,
                    f"{stream.source} ended without opening it, so {_list(stream.readers)} had nothing to read",
                )
        elif totals is not None and _lacked_readers(writer, report) and readers_missing(stream, totals):
            yield stream, _unread(stream, totals)


def _lacked_readers(writer: str, report: RunReport) -> bool:
    """Whether readers that never joined are what went wrong: nothing else did, or their writer failed of it."""
    culprit = report.outcome.culprit
    return culprit is None or (culprit.program == writer and culprit.lost_its_peer)


def _misnamed(stream: Stream, candidates: Mapping[str, str]) -> str:
    opened = ", ".join(f"{program} opened '{name}'" for name, program in candidates.items())
    close = difflib.get_close_matches(stream.name, candidates, n=1, cutoff=0.0)
    return f"nobody opened it, but {opened}, which the workflow does not name; did you mean '{close[0]}'?"


def _unread(stream: Stream, totals: StreamReport) -> str:
    steps = "1 step" if totals.stats.steps == 1 else f"{totals.stats.steps} steps"
    if not totals.stats.readers_seen:
        return (
            f"nobody read its {steps}: {_list(stream.readers)} never joined; "
            "check that 'streams' and the programs name the same stream"
        )
    missing = readers_missing(stream, totals)
    return (
        f"{missing} of its {len(stream.readers)} readers never joined and got none of its {steps}; "
        f"do all of {_list(stream.readers)} open '{stream.name}'?"
    )


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names)
