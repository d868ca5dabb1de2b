"""The tables at the end of `staithe run`."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from ..workflow import Ending, RunReport, Stream, StreamReport, Workflow, ended_unread, readers_missing
from .shown import shown
from .tables import Table, print_table
from .units import NOTHING, duration, rate, size


def print_summary(workflow: Workflow, report: RunReport, console: Console) -> None:
    """Prints how each program and server ended and what went through each stream."""
    title = f"{workflow.name}: {duration(report.seconds)}"
    console.print(Text(f"\n{shown(title)}\n", "bold"), soft_wrap=True)
    print_table(_programs(workflow, report), console)
    if workflow.streams or report.streams:
        console.print()
        print_table(_streams(workflow, report), console)
    console.print()


def _programs(workflow: Workflow, report: RunReport) -> Table:
    table = Table(("program", "ranks", "time", "end"), numbers=("ranks", "time"))
    unread = ended_unread(workflow, report)
    endings = {ending.program: ending for ending in report.outcome.endings}
    for name in [program.name for program in workflow.programs] + list(workflow.server_names):
        ending = endings.get(name)
        if ending is None:
            table.add(name, NOTHING, NOTHING, _without_process(workflow, name))
        else:
            ranks = NOTHING if ending.ranks is None else str(ending.ranks)
            table.add(name, ranks, duration(ending.seconds), _end(ending, unread.get(name)))
    return table


def _without_process(workflow: Workflow, program: str) -> str:
    if not workflow.runs_inside_another(workflow.program(program)):
        return "not started"
    writers = [stream.source for stream in workflow.streams if program in stream.readers]
    return f"inside {', '.join(writers)}"


def _end(ending: Ending, unread: str | None) -> str:
    if ending.returncode == 0 and not ending.failed:
        return "ok" if unread is None else f"ok, but never joined {unread}"
    return f"stopped ({ending.how})" if ending.stopped else ending.how


def _streams(workflow: Workflow, report: RunReport) -> Table:
    table = Table(
        ("stream", "from", "steps", "data", "data/s", "stall", "readers"),
        numbers=("steps", "data", "data/s", "stall"),
    )
    for stream in workflow.streams:
        totals = report.stream(stream.name)
        readers = f"{', '.join(stream.readers) or NOTHING}{_mark(stream, totals, report)}"
        source = shown(stream.file.name) if stream.file and stream.is_recording else stream.source
        table.add(stream.name, source, *_amounts(totals), readers)
    named = {stream.name for stream in workflow.streams}
    for totals in report.streams:
        if totals.name not in named:
            table.add(totals.name, totals.stats.program, *_amounts(totals), f"{NOTHING} (not in the workflow)")
    return table


def _amounts(totals: StreamReport | None) -> tuple[str, ...]:
    if totals is None:
        return (NOTHING,) * 4
    return (
        str(totals.stats.steps),
        size(totals.stats.bytes),
        rate(totals.bytes_per_second),
        duration(totals.stats.stall_seconds),
    )


def _mark(stream: Stream, totals: StreamReport | None, report: RunReport) -> str:
    """What is not as it should be."""
    if stream.is_recording:
        return ""
    if stream.name not in report.opened:
        return " (never opened)"
    if totals is None or totals.seconds is None:
        return " (not closed)"
    if totals.stats.readers_seen == 0 and stream.file is None:
        return " (nobody read it)"
    missing = readers_missing(stream, totals)
    return f" ({missing} never joined)" if missing else ""
