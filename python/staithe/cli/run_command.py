"""`staithe run`."""

from __future__ import annotations

from pathlib import Path

from ..workflow import Ending, Outcome, load, run, shortfalls
from .faults import CommandError
from .run_summary import print_summary
from .run_view import RunView
from .trace_command import traced


def run_workflow(file: Path, settings: list[str], directory: Path | None, grace: float, trace: Path | None) -> int:
    """Runs a workflow and prints its summary; returns the exit code where a signal ended it."""
    workflow = load(file, settings, directory)
    if trace is not None:
        trace.open("a").close()  # better said now than after the run
    with RunView(workflow) as view:
        report = run(workflow, view, grace, trace=trace)
    print_summary(workflow, report, view.out)
    if trace is not None:
        print(traced(report.trace) if report.trace else f"no program opened a stream: {trace} has no steps")
    failures = shortfalls(workflow, report)
    if report.outcome.culprit is not None:
        failures.append(f"{workflow.name} failed: {_failure(report.outcome, report.outcome.culprit)}")
    if failures:
        raise CommandError("\n".join(failures))
    # As a shell has it for a command that a signal ended.
    return 0 if report.outcome.interrupted is None else 128 + report.outcome.interrupted


def _failure(outcome: Outcome, culprit: Ending) -> str:
    others = [end.program for end in outcome.endings if end.failed and end is not culprit]
    also = f"; then {', '.join(others)} failed too" if others else ""
    return f"{culprit.program}, {culprit.how}{also}"
