"""What `staithe run --json` prints; the guide lists its keys."""

from __future__ import annotations

from typing import Any

from ..workflow import Ending, Problem, RunReport, Workflow


def problem_as_json(problem: Problem) -> dict[str, Any]:
    """A problem of a workflow file, as `--check` finds it."""
    return {"line": problem.line, "key": ".".join(problem.path), "message": problem.message}


def summary_as_json(workflow: Workflow, report: RunReport, failures: list[str]) -> dict[str, Any]:
    """The end of a run."""
    interrupted = report.outcome.interrupted
    return {
        "name": workflow.name,
        "ok": not failures and interrupted is None,
        "failures": failures,
        "interrupted": None if interrupted is None else interrupted.name,
        "seconds": report.seconds,
        "programs": [_ending(ending) for ending in report.outcome.endings if not ending.served],
        "servers": [_ending(ending) for ending in report.outcome.endings if ending.served],
        "streams": [_stream(name, workflow, report) for name in _streams(workflow, report)],
        "trace": None if report.trace is None else str(report.trace.file),
    }


def _ending(ending: Ending) -> dict[str, Any]:
    return {
        "name": ending.program,
        "ranks": ending.ranks,
        "seconds": ending.seconds,
        "returncode": ending.returncode,
        "end": ending.how,
        "stopped": ending.stopped,
    }


def _streams(workflow: Workflow, report: RunReport) -> list[str]:
    named = [stream.name for stream in workflow.streams]
    return named + sorted(report.opened.keys() - set(named))


def _stream(name: str, workflow: Workflow, report: RunReport) -> dict[str, Any]:
    declared = next((stream for stream in workflow.streams if stream.name == name), None)
    totals = report.stream(name)
    stats = None if totals is None else totals.stats
    return {
        "name": name,
        "from": (declared.source or None) if declared else report.opened[name],
        "file": str(declared.file) if declared and declared.file else None,
        "to": list(declared.readers) if declared else [],
        "in_workflow": declared is not None,
        "opened": name in report.opened,
        "closed": totals is not None and totals.seconds is not None,
        "seconds": totals and totals.seconds,
        "steps": stats and stats.steps,
        "bytes": stats and stats.bytes,
        "stall_seconds": stats and stats.stall_seconds,
        "dropped": stats and stats.dropped,
        "readers_joined": stats and stats.readers_seen,
    }
