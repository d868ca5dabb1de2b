"""`staithe run`."""

from __future__ import annotations

from pathlib import Path

from ..workflow import Outcome, load, run
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
    failure = _failure(report.outcome)
    if failure is not None:
        raise CommandError(f"{workflow.name} failed: {failure}")
    # As a shell has it for a command that a signal ended.
    return 0 if report.outcome.interrupted is None else 128 + report.outcome.interrupted


def _failure(outcome: Outcome) -> str | None:
    if outcome.culprit is None:
        return None
    others = [end.program for end in outcome.endings if end.failed and end is not outcome.culprit]
    also = f"; then {', '.join(others)} failed too" if others else ""
    return f"{outcome.culprit.program}, {outcome.culprit.how}{also}"
