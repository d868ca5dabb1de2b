"""`staithe run`."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from ..workflow import Ending, Problem, RunReport, Workflow, WorkflowError, ended_unread, load, run, shortfalls
from .faults import CommandError
from .run_json import problem_as_json, summary_as_json
from .run_summary import print_summary
from .run_view import RunView
from .shown import shown
from .trace_command import traced
from .units import NOTHING


def check_workflow(file: Path, settings: list[str], directory: Path | None, as_json: bool) -> int:
    """Says what is wrong with a workflow, and starts nothing; returns the exit code."""
    problems: tuple[Problem, ...] = ()
    try:
        workflow = load(file, settings, directory)
    except WorkflowError as error:
        if not as_json:
            raise
        problems = error.problems
    if as_json:
        print(json.dumps({"file": str(file), "problems": [problem_as_json(problem) for problem in problems]}, indent=2))
    else:
        programs, streams = (", ".join(one.name for one in ones) for ones in (workflow.programs, workflow.streams))
        print(f"{shown(str(file))}: all is well; programs: {programs}; streams: {streams or NOTHING}")
    return 1 if problems else 0


def run_workflow(
    file: Path, settings: list[str], directory: Path | None, grace: float, trace: Path | None, as_json: bool
) -> int:
    """Runs a workflow and prints its summary; returns the exit code where a signal ended it."""
    workflow = load(file, settings, directory)
    if trace is not None:
        trace.open("a").close()  # better said now than after the run
    with RunView(workflow, Console(highlight=False, stderr=as_json)) as view:
        report = run(workflow, view, grace, trace=trace)
    failures = shortfalls(workflow, report)
    if report.outcome.culprit is not None:
        failures.append(f"{workflow.name} failed: {_failure(workflow, report, report.outcome.culprit)}")
    if as_json:
        print(json.dumps(summary_as_json(workflow, report, failures), indent=2))
    else:
        print_summary(workflow, report, view.out)
        if trace is not None:
            print(traced(report.trace) if report.trace else f"no program opened a stream: {trace} has no steps")
    if failures:
        raise CommandError("\n".join(failures))
    # As a shell has it for a command that a signal ended.
    return 0 if report.outcome.interrupted is None else 128 + report.outcome.interrupted


def _failure(workflow: Workflow, report: RunReport, culprit: Ending) -> str:
    others = [end.program for end in report.outcome.endings if end.failed and end is not culprit]
    written = {stream.name for stream in workflow.streams if workflow.process_of(stream.source) == culprit.program}
    absent = [reader for reader, stream in ended_unread(workflow, report).items() if stream in written]
    if absent and culprit.lost_its_peer:
        return f"{', '.join(absent)} ended and never joined; then {', '.join([culprit.program, *others])} failed"
    also = f"; then {', '.join(others)} failed too" if others else ""
    return f"{culprit.program}, {culprit.how}{also}"
