"""`staithe run`."""

from __future__ import annotations

from pathlib import Path

from ..workflow import Outcome, load, run
from .faults import CommandError
from .run_summary import print_summary
from .run_view import RunView


def run_workflow(file: Path, settings: list[str], directory: Path | None, grace: float) -> int:
    """Runs a workflow and prints its summary; returns the exit code where a signal ended it."""
    workflow = load(file, settings, directory)
    with RunView(workflow) as view:
        report = run(workflow, view, grace)
    print_summary(workflow, report, view.out)
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
