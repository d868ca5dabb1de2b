"""The tables at the end of `staithe run`."""

from __future__ import annotations

from rich.console import Console

from ..workflow import Ending, Program, RunReport, Workflow
from .tables import Table, print_table
from .units import NOTHING, duration, rate, size


def print_summary(workflow: Workflow, report: RunReport, console: Console) -> None:
    """Prints how each program ended and what went through each stream."""
    title = f"{workflow.name}: {duration(report.seconds)}"
    console.print(f"\n{title}\n", style="bold", markup=False)
    print_table(_programs(workflow, report), console)
    if workflow.streams:
        console.print()
        print_table(_streams(workflow, report), console)
    console.print()


def _programs(workflow: Workflow, report: RunReport) -> Table:
    table = Table(("program", "ranks", "time", "end"), numbers=("ranks", "time"))
    endings = {ending.program: ending for ending in report.outcome.endings}
    for program in workflow.programs:
        ending = endings.get(program.name)
        if ending is None:
            table.add(program.name, NOTHING, NOTHING, _host(workflow, program))
        else:
            ranks = NOTHING if ending.ranks is None else str(ending.ranks)
            table.add(program.name, ranks, duration(ending.seconds), _end(ending))
    return table


def _host(workflow: Workflow, program: Program) -> str:
    writers = [stream.source for stream in workflow.streams if program.name in stream.readers]
    return f"inside {', '.join(writers)}"


def _end(ending: Ending) -> str:
    if ending.returncode == 0:
        return "ok"
    return f"stopped ({ending.how})" if ending.stopped else ending.how


def _streams(workflow: Workflow, report: RunReport) -> Table:
    table = Table(
        ("stream", "from", "steps", "data", "data/s", "stall", "readers"),
        numbers=("steps", "data", "data/s", "stall"),
    )
    reports = {stream.name: stream for stream in report.streams}
    for stream in workflow.streams:
        readers = ", ".join(stream.readers) or NOTHING
        if stream.name not in reports:
            table.add(stream.name, stream.source, *[NOTHING] * 4, f"{readers} (never opened)")
            continue
        totals = reports[stream.name]
        table.add(
            stream.name,
            stream.source,
            str(totals.stats.steps),
            size(totals.stats.bytes),
            rate(totals.bytes_per_second),
            duration(totals.stats.stall_seconds),
            readers if totals.seconds is not None else f"{readers} (not closed)",
        )
    return table
