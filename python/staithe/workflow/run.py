"""Running a workflow from its start to its report."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from ..errors import NotFound
from . import stats
from .launch import launches
from .model import Workflow
from .mpi import is_on_several_hosts
from .report import RunReport, stream_reports
from .roster import Roster
from .run_directory import RunDirectory
from .sampler import Sample, Sampler, ServerSample
from .stats import Description
from .supervisor import Observer, Supervisor
from .trace import TraceSummary, merge

GRACE_SECONDS = 5.0


class RunObserver(Observer, Protocol):
    """An observer that also shows the streams and servers."""

    def follow(
        self, samples: Callable[[], Mapping[str, Sample]], servers: Callable[[], Mapping[str, ServerSample]]
    ) -> None:
        """Where the last samples of streams and servers are to be had during the run."""


def run(
    workflow: Workflow,
    observer: RunObserver,
    grace: float = GRACE_SECONDS,
    describe: Callable[[str], Description] | None = None,
    trace: Path | None = None,
) -> RunReport:
    """Launches the workflow's programs in a private run directory and waits for all of them.

    Where programs run on other hosts, that directory is made where they run, which all hosts must see.
    `trace` is the file that gets a trace of their steps.
    Returns how they ended, well or not. Raises StartError if one cannot be started.
    """
    names = [stream.name for stream in workflow.streams]
    started = time.monotonic()
    shared = workflow.directory if is_on_several_hosts(workflow) else None
    with RunDirectory(traced=trace is not None, shared=shared) as directory, _in_run_directory(directory):
        describe_servers = partial(stats.describe_servers, timeout=1.0) if workflow.servers else tuple
        with Sampler(names, describe or _describe_briefly, describe_servers) as sampler:
            observer.follow(sampler.samples, sampler.servers)
            roster = Roster(workflow, directory.directories.contacts)
            supervisor = Supervisor(directory, roster, observer, grace)
            outcome = supervisor.run(launches(workflow, directory.directories))
        seconds = time.monotonic() - started
        streams, opened = stream_reports(names, directory.directories, sampler.samples())
        traced = _merge_traces(directory, trace)
    return RunReport(outcome, seconds, streams, opened, traced)


def _merge_traces(directory: RunDirectory, file: Path | None) -> TraceSummary | None:
    traces = directory.directories.traces
    if file is None or traces is None:
        return None
    try:
        return merge(traces, file)
    except NotFound:  # no program opened a stream
        return None


def _describe_briefly(name: str) -> Description:
    return stats.describe(name, timeout=1.0)


@contextmanager
def _in_run_directory(directory: RunDirectory) -> Iterator[None]:
    """Points this process at the run's directory too: the core finds streams by the environment."""
    before = os.environ.get("STAITHE_RUN_DIR")
    os.environ["STAITHE_RUN_DIR"] = str(directory.directories.contacts)
    try:
        yield
    finally:
        if before is None:
            del os.environ["STAITHE_RUN_DIR"]
        else:
            os.environ["STAITHE_RUN_DIR"] = before
